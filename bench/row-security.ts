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

/**
 * The cost of row-level security: the reads of `rest` and `graphql` through a gateway with it, and through one that owns the
 * tables.
 */
export const benchmark: Benchmark = async (conditions) => {
  const { quick, databaseUrl, parts, tell } = conditions;
  const masterKey = randomBytes(32);
  const seeded = await seedRecords(await openFoundation(conditions, masterKey), quick ? 2_000 : 100_000);
  tell(`${seeded.count} records indexed`);
  const servers = {
    gateway: parts.use(await startGateway({ databaseUrl, masterKey })),
    reference: parts.use(await startGateway({ databaseUrl, masterKey, asOwner: true })),
    load: parts.use(startLoad({ connections: CONNECTIONS, seconds: quick ? 0.2 : 1 })),
  };
  const compared = async (what: string, { product }: Targets) => {
    const comparison = await compareServers(conditions, servers, { product, reference: product });
    tell(`${what} compared`);
    return { what, reference: 'the same as the owner of the tables', reach: 0.97, ...comparison };
  };
  return [
    await compared(
      'Row-level security: a record over REST',
      await restRecords(databaseUrl, seeded, quick ? 200 : 10_000),
    ),
    await compared(
      'Row-level security: a page of 200 over REST',
      await restPages(databaseUrl, seeded, quick ? 10 : 150),
    ),
    await compared(
      'Row-level security: a page of 50 over GraphQL',
      await graphqlPages(databaseUrl, seeded, quick ? 20 : 500),
    ),
  ];
};
