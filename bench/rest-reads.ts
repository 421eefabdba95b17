import { randomBytes, randomInt } from 'node:crypto';
import type { Benchmark } from './kit/benchmark.ts';
import { compareServers, type Targets } from './kit/compare-servers.ts';
import { openFoundation } from './kit/foundation.ts';
import { startGateway } from './kit/gateway.ts';
import { startLoad } from './kit/load.ts';
import { randomPages } from './kit/random-pages.ts';
import { startReference } from './kit/reference-server.ts';
import { seedRecords, type SeededRecords } from './kit/seed-records.ts';
import { selectRows } from './kit/select-rows.ts';
import { RECORD_COLUMNS } from './references/record-columns.ts';

const PAGE = 200;
const CONNECTIONS = 16;
const STARTS = 7;

/**
 * Records over REST, one by its id and by the page, compared with a bare node:http server with prepared statements of `pg` that
 * returns the same documents without authentication.
 */
export const benchmark: Benchmark = async (conditions) => {
  const { quick, databaseUrl, parts, tell } = conditions;
  const masterKey = randomBytes(32);
  const seeded = await seedRecords(await openFoundation(conditions, masterKey), quick ? 2_000 : 100_000);
  tell(`${seeded.count} records indexed`);
  const servers = {
    gateway: () => startGateway({ databaseUrl, masterKey }),
    reference: () => startReference('node-http.ts', { databaseUrl }),
  };
  const load = parts.use(startLoad({ connections: CONNECTIONS, seconds: quick ? 0.2 : 1 }));
  const works = {
    record: await restRecords(databaseUrl, seeded, quick ? 200 : 10_000),
    page: await restPages(databaseUrl, seeded, quick ? 10 : 150),
  };
  const { record, page } = await compareServers(conditions, load, servers, works, STARTS);
  const reference = 'node:http and a prepared statement of `pg`, without authentication';
  return [
    { what: 'A record over REST, by id', reference, reach: 0.6, ...record },
    { what: `A page of ${PAGE} records over REST`, reference, reach: 0.7, ...page },
  ];
};

/** Random records. */
export async function restRecords(
  databaseUrl: string,
  { apiKey, count }: SeededRecords,
  amount: number,
): Promise<Targets> {
  const records = await selectRows(
    databaseUrl,
    `select ${RECORD_COLUMNS} from transactions where position = any($1::bigint[])`,
    [Array.from({ length: amount }, () => 1 + randomInt(count))],
  );
  const targets = (key?: string) =>
    records.map((document) => ({
      request: get(`/v1/transactions/${String(document['id'])}`, key),
      document,
    }));
  return { product: targets(apiKey), reference: targets() };
}

/** Random pages. */
export function restPages(databaseUrl: string, seeded: SeededRecords, amount: number): Promise<Targets> {
  const { assetId } = seeded;
  const pages = { columns: RECORD_COLUMNS, size: PAGE, amount };
  return randomPages(databaseUrl, seeded, pages, ({ rows: transactions, after, end, hasNext, apiKey }) => ({
    request: get(`/v1/assets/${assetId}/transactions?limit=${PAGE}&cursor=${after}`, apiKey),
    document: { assetId, transactions, nextCursor: hasNext ? end : null },
  }));
}

function get(path: string, apiKey?: string): string {
  const authorization = apiKey === undefined ? '' : `authorization: Bearer ${apiKey}\r\n`;
  return `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: application/json\r\n${authorization}\r\n`;
}
