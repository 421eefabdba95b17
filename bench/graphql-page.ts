import { randomBytes } from 'node:crypto';
import type { Benchmark } from './kit/benchmark.ts';
import { compareServers, type Targets } from './kit/compare-servers.ts';
import { openFoundation } from './kit/foundation.ts';
import { startGateway } from './kit/gateway.ts';
import { startLoad } from './kit/load.ts';
import { randomPages } from './kit/random-pages.ts';
import { startReference } from './kit/reference-server.ts';
import { seedRecords, type SeededRecords } from './kit/seed-records.ts';

const PAGE = 50;
const CONNECTIONS = 16;
const STARTS = 7;

/** The query of a list of transactions. */
const QUERY = `query Transactions($assetId: ID!, $first: Int!, $after: String!) {
  transactions(assetId: $assetId, first: $first, after: $after) {
    nodes { id networkTransactionId type slot blockTime indexedAt signer sourceAccount destinationAccount }
    pageInfo { hasNextPage endCursor }
  }
}`;

/** The same columns of the table `transactions`. */
const COLUMNS = `id, signature as "networkTransactionId", type, slot::float8 as slot, block_time::float8 as "blockTime",
  indexed_at as "indexedAt", signer, source_account as "sourceAccount", destination_account as "destinationAccount"`;

/**
 * A page over GraphQL, compared with unmodified Apollo and type-graphql with the same types and a resolver with one statement.
 */
export const benchmark: Benchmark = async (conditions) => {
  const { quick, databaseUrl, parts, tell } = conditions;
  const masterKey = randomBytes(32);
  const seeded = await seedRecords(await openFoundation(conditions, masterKey), quick ? 2_000 : 100_000);
  tell(`${seeded.count} records indexed`);
  const servers = {
    gateway: () => startGateway({ databaseUrl, masterKey }),
    reference: () => startReference('apollo.ts', { databaseUrl }),
  };
  const load = parts.use(startLoad({ connections: CONNECTIONS, seconds: quick ? 0.2 : 1 }));
  const pages = await graphqlPages(databaseUrl, seeded, quick ? 20 : 500);
  const { page } = await compareServers(conditions, load, servers, { page: pages }, STARTS);
  const bytes = JSON.stringify(pages.product[0]?.document).length;
  return [
    {
      what: `A page of ${PAGE} over GraphQL, ${Math.round(bytes / 1000)} KB`,
      reference: 'Apollo Server and type-graphql, without authentication',
      reach: 2.2,
      reachByCpu: 3,
      ...page,
    },
  ];
};

/** Random pages. */
export function graphqlPages(databaseUrl: string, seeded: SeededRecords, amount: number): Promise<Targets> {
  const pages = { columns: COLUMNS, size: PAGE, amount };
  return randomPages(databaseUrl, seeded, pages, ({ rows: nodes, after, end, hasNext, apiKey }) => ({
    request: post({ assetId: seeded.assetId, first: PAGE, after }, apiKey),
    document: { data: { transactions: { nodes, pageInfo: { hasNextPage: hasNext, endCursor: end } } } },
  }));
}

function post(variables: object, apiKey?: string): string {
  const body = JSON.stringify({ query: QUERY, variables });
  const authorization = apiKey === undefined ? '' : `authorization: Bearer ${apiKey}\r\n`;
  return (
    'POST /graphql HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: application/json\r\ncontent-type: application/json\r\n' +
    `${authorization}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}
