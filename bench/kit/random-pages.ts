import { randomInt } from 'node:crypto';
import { NO_FILTERS, transactionCursors } from '#lucarne/domain/transactions/list-transactions.js';
import type { Targets } from './compare-servers.ts';
import type { Target } from './load.ts';
import type { SeededRecords } from './seed-records.ts';
import { selectRows } from './select-rows.ts';

/** A page as requested by one arm. */
export interface AskedPage {
  readonly rows: Awaited<ReturnType<typeof selectRows>>;
  /** The cursor before the page, and the one at its end. Cursors are opaque and differ between the arms. */
  readonly after: string;
  readonly end: string;
  readonly hasNext: boolean;
  /** Undefined for the reference, which does not authenticate. */
  readonly apiKey?: string;
}

/** Pages after random positions, with their expected rows, which are read without either arm. */
export async function randomPages(
  databaseUrl: string,
  { assetId, apiKey, count }: SeededRecords,
  { columns, size, amount }: { readonly columns: string; readonly size: number; readonly amount: number },
  target: (page: AskedPage) => Target,
): Promise<Targets> {
  const cursors = transactionCursors(assetId, NO_FILTERS);
  const product: Target[] = [];
  const reference: Target[] = [];
  for (let page = 0; page < amount; page += 1) {
    const begin = randomInt(count - size);
    const end = begin + size;
    const rows = await selectRows(
      databaseUrl,
      `select ${columns} from transactions where position > $1 and position <= $2 order by position`,
      [begin, end],
    );
    const hasNext = end < count;
    product.push(target({ rows, hasNext, after: cursors.encode(begin), end: cursors.encode(end), apiKey }));
    reference.push(target({ rows, hasNext, after: String(begin), end: String(end) }));
  }
  return { product, reference };
}
