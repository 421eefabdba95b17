import { randomBytes } from 'node:crypto';
import type { Benchmark } from './kit/benchmark.ts';
import { compareServers, type ComparedServers, type Targets } from './kit/compare-servers.ts';
import { joined, median } from './kit/compare.ts';
import { openFoundation } from './kit/foundation.ts';
import { startGateway } from './kit/gateway.ts';
import { startLoad } from './kit/load.ts';
import { seedRecords } from './kit/seed-records.ts';
import { graphqlPages } from './graphql-page.ts';
import { restPages, restRecords } from './rest-reads.ts';

const CONNECTIONS = 16;
/** How often both gateways start again. */
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
  const works: Readonly<Record<string, Targets>> = {
    'a record over REST': await restRecords(databaseUrl, seeded, quick ? 200 : 10_000),
    'a page of 200 over REST': await restPages(databaseUrl, seeded, quick ? 10 : 150),
    'a page of 50 over GraphQL': await graphqlPages(databaseUrl, seeded, quick ? 20 : 500),
  };
  const starts = quick ? 1 : STARTS;
  const pairs = Math.ceil(conditions.pairs / 5);
  const results = new Map<string, ComparedServers[]>();
  for (let start = 0; start < starts; start += 1) {
    await using servers = new AsyncDisposableStack();
    const open = async (asOwner: boolean) =>
      servers.use(await startGateway({ databaseUrl, masterKey, asOwner }));
    // Each is the first to start in half of the rounds.
    const first = await open(start % 2 === 1);
    const second = await open(start % 2 === 0);
    const [gateway, reference] = start % 2 === 0 ? [first, second] : [second, first];
    for (const [what, { product }] of Object.entries(works)) {
      const compared = await compareServers(
        { pairs },
        { gateway, reference, load },
        { product, reference: product },
      );
      results.set(what, [...(results.get(what) ?? []), compared]);
    }
    tell(`start ${start + 1} of ${starts} compared`);
  }
  return [...results].map(([what, comparisons]) => ({
    what: `Row-level security: ${what}`,
    reference: 'the same as the owner of the tables',
    ...{ reach: 0.97, unit: 'requests' },
    ...joined(comparisons),
    additional: Object.fromEntries(
      Object.keys(comparisons[0]!.additional).map((name) => [
        name,
        median(comparisons.map(({ additional }) => additional[name]!)),
      ]),
    ),
  }));
};
