import type { Sealer } from '../crypto/index.js';
import { jsonb, sql, type Database } from '../database/index.js';
import { base64 } from '../kernel/bytes.js';

/** The master key is not the one that sealed this database's secrets. */
export class WrongMasterKey extends Error {
  override readonly name = 'WrongMasterKey';
}

const NAME = 'master_key_check';
const KNOWN = new TextEncoder().encode('lucarne');

/**
 * Seals a known text at the first start and opens it at every other: with a wrong key nothing starts, so nothing is
 * written that the right key could not open.
 */
export async function checkMasterKey(database: Database, sealer: Sealer): Promise<void> {
  await database.rows(sql`
    insert into settings (name, value) values (${NAME}, ${jsonb(base64.encode(sealer.seal(KNOWN, NAME)))})
    on conflict do nothing`);
  const [row] = await database.rows(sql<{ value: string }>`select value from settings where name = ${NAME}`);
  const sealed = base64.decode(row?.value ?? '');
  try {
    sealer.open(sealed ?? new Uint8Array(), NAME);
  } catch (thrown) {
    throw new WrongMasterKey(
      'The master key does not open this database: it was sealed under another one. Nothing was changed. ' +
        'Set LUCARNE_MASTER_KEY or LUCARNE_MASTER_KEY_FILE to the key that this database was first started with.',
      { cause: thrown },
    );
  }
}
