import type { JsonValue } from '../kernel/encoding/json.js';
import type { Reader } from './database.js';
import { query } from './query.js';
import { jsonb } from './sql.js';

/** Stores a fact about the database, once. Returns whether it was this call that stored it. */
export async function storeSetting(reader: Reader, name: string, value: JsonValue): Promise<boolean> {
  const stored = await reader.rows(
    query
      .insertInto('settings')
      .values({ name, value: jsonb(value) })
      .onConflict((conflict) => conflict.doNothing())
      .returning('name'),
  );
  return stored.length === 1;
}

export async function readSetting(reader: Reader, name: string): Promise<unknown> {
  const [row] = await reader.rows(query.selectFrom('settings').select('value').where('name', '=', name));
  return row?.value;
}
