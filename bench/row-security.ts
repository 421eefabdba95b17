import { randomBytes } from 'node:crypto';
import type { Benchmark } from './kit/benchmark.ts';
import { compareServers, type Targets } from './kit/compare-servers.ts';
import { openFoundation } from './kit/foundation.ts';
import { startGateway } from './kit/gateway.ts';
import { startLoad } from './kit/load.ts';
import { seedRecords } from './kit/seed-records.ts';
import { graphqlPages } from './graphql-page.ts';
import { restPages, restRecords } from './rest-reads.ts';

const CONNECTIONS = 16;
const STARTS = 10;

/**
 * The cost of row-level security: the reads of `rest` and `graphql` through a gateway with it, and through one that owns the
 * tables. Both are the same program, so a few percent are only visible over several starts of both.
 */
export const benchmark: Benchmark = async (conditions) => {
  const { quick, databaseUrl, parts, tell } = conditions;
  const masterKey = randomBytes(32);
  const seeded = await seedRecords(await openFoundation(conditions, masterKey), quick ? 2_000 : 100_000);
  tell(`${seeded.count} records indexed`);
  const load = parts.use(startLoad({ connections: CONNECTIONS, seconds: quick ? 0.2 : 1 }));
  // Both arms get the same requests, with credentials.
  const same = ({ product }: Targets): Targets => ({ product, reference: product });
  const works = {
    'a record over REST': same(await restRecords(databaseUrl, seeded, quick ? 200 : 10_000)),
    'a page of 200 over REST': same(await restPages(databaseUrl, seeded, quick ? 10 : 150)),
    'a page of 50 over GraphQL': same(await graphqlPages(databaseUrl, seeded, quick ? 20 : 500)),
  };
  const servers = {
    gateway: () => startGateway({ databaseUrl, masterKey }),
    reference: () => startGateway({ databaseUrl, masterKey, asOwner: true }),
  };
  const compared = await compareServers(
    { ...conditions, pairs: 2 * conditions.pairs },
    ...([load, servers, works, STARTS] as const),
  );
  return Object.entries(compared).map(([what, comparison]) => ({
    what: `Row-level security: ${what}`,
    reference: 'the same as the owner of the tables',
    reach: 0.97,
    ...comparison,
  }));
};
