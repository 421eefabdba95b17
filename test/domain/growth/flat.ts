import { expect } from '@jest/globals';
import type { Database } from '../../../src/platform/database/index.js';
import { ROWS } from '../../kit/growth/grown.js';
import type { ReadCost } from '../../kit/growth/read-costs.js';

/** The rows that a listing reads for a page of 50. */
export const LIMIT = 51;
/** The first, a middle and the last page, as the number of rows before it in order of age. */
const PLACES = [0, ROWS / 2, ROWS - 10];

/** The maximum number of rows that a page may read, for any length of the table. */
const MAX_REMOVED = 20 * LIMIT;
const MAX_BUFFERS = 500;

/** Expects that no statement of these reads costs more than a page may. */
export const flatOn =
  (database: Database & { readonly costs: ReadCost[] }) =>
  async (reads: Readonly<Record<string, () => Promise<unknown>>>): Promise<void> => {
    const steep: string[] = [];
    for (const [name, read] of Object.entries(reads)) {
      database.costs.length = 0;
      await read();
      expect(database.costs.length).toBeGreaterThan(0);
      for (const { text, removed, buffers } of database.costs) {
        if (removed > MAX_REMOVED || buffers > MAX_BUFFERS)
          steep.push(
            `${name}: ${removed} rows removed, ${buffers} buffers: ${text.replace(/\s+/g, ' ').slice(0, 300)}`,
          );
      }
    }
    expect(steep).toEqual([]);
  };

/** Each of `filters` at the first, a middle and the last place. */
export const atEachPlace = <Filters>(
  filters: Readonly<Record<string, Filters>>,
  read: (filters: Filters, place: number) => Promise<unknown>,
): Record<string, () => Promise<unknown>> =>
  Object.fromEntries(
    Object.entries(filters).flatMap(([name, filter]) =>
      PLACES.map((place) => [`${name} after ${place}`, () => read(filter, place)]),
    ),
  );
