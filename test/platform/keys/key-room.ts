import { expect } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { PURPOSES, SEALED_COLUMNS } from '../../../src/app/storage/sealed-columns.js';
import { createSealer, type Sealer } from '../../../src/platform/crypto/index.js';
import { type Database, jsonb, sql } from '../../../src/platform/database/index.js';
import { base64 } from '../../../src/platform/kernel/encoding/bytes.js';
import { silentLog } from '../../../src/platform/kernel/log.js';
import { systemRandom } from '../../../src/platform/kernel/random.js';
import {
  createKeyring,
  createMasterKeys,
  type Keyring,
  type KeyStores,
  type MasterKeys,
} from '../../../src/platform/keys/index.js';

/** A master key file, and the actions of an operator and the gateways with it. */
export async function openKeyRoom(stores?: KeyStores) {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'lucarne-keys-'));
  const file = path.join(directory, 'master.key');
  const key = randomBytes(32);
  await writeFile(file, `${base64.encode(key)}\n`, { mode: 0o600 });
  const masterKeys = createMasterKeys({ kind: 'file', name: 'the file', file }, stores);
  return {
    file,
    /** The first key of the file. */
    firstKey: key as Uint8Array,
    masterKeys,
    /** The parameters of the commands. */
    operator: (database: Database) => ({
      ...{ database, masterKeys, columns: SEALED_COLUMNS, purposes: PURPOSES, random: systemRandom },
      leadSeconds: 0,
    }),
    /** A gateway that starts now. */
    gateway: (database: Database, keys: MasterKeys = masterKeys) => openGateway(database, keys),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

export type KeyRoom = Awaited<ReturnType<typeof openKeyRoom>>;

export async function openGateway(
  database: Database,
  masterKeys: MasterKeys,
  elapsedMs?: () => number,
): Promise<Keyring> {
  const options = { database, masterKeys, purposes: PURPOSES, random: systemRandom, log: silentLog };
  const keyring = createKeyring({ ...options, ...(elapsedMs && { elapsedMs }) });
  await keyring.open();
  return keyring;
}

/** The master keys with one key that is not in a file. */
export const onlyKey = (key: Uint8Array): MasterKeys =>
  createMasterKeys({ kind: 'bytes', name: 'the key', keys: [key] });

/** Leaves a database in the state of the previous version: its values were sealed with the master key itself. */
export async function sealAsBefore(database: Database, key: Uint8Array): Promise<Sealer> {
  const sealer = createSealer(key);
  const check = base64.encode(sealer.seal(new TextEncoder().encode('lucarne'), 'master_key_check'));
  await database.rows(sql`insert into settings (name, value) values ('master_key_check', ${jsonb(check)})`);
  return sealer;
}

const textOf = (chunk: number) => new TextEncoder().encode(`piece ${chunk}`);
const contextOf = (content: string, chunk: number) => `report_chunks/${content}/${chunk}`;

/** Stores chunks of a report, which belong to nothing else. */
export async function storePieces(
  database: Database,
  sealer: Sealer,
  content: string,
  count: number,
): Promise<void> {
  for (let chunk = 0; chunk < count; chunk += 1) {
    const sealed = sealer.seal(textOf(chunk), contextOf(content, chunk));
    await database.rows(sql`insert into report_chunks (content_id, chunk_index, sealed_bytes)
      values (${content}, ${chunk}, ${sealed})`);
  }
}

export interface StoredPiece {
  readonly content: string;
  readonly chunk: number;
  readonly sealed: Uint8Array;
}

export const storedPieces = (database: Database) =>
  database.rows(
    sql<StoredPiece>`select content_id as content, chunk_index as chunk, sealed_bytes as sealed
      from report_chunks order by content_id, chunk_index`,
  );

/** The number of chunks that can be opened with the correct contents. */
export function opened(sealer: Sealer, pieces: readonly StoredPiece[]): number {
  return pieces.filter(({ content, chunk, sealed }) => {
    try {
      return Buffer.compare(sealer.open(sealed, contextOf(content, chunk)), textOf(chunk)) === 0;
    } catch {
      return false;
    }
  }).length;
}

/** As if the newest data keys had been in use for a long time. */
export const letSettle = (database: Database) =>
  database.rows(sql`update data_keys set usable_at = usable_at - interval '1 hour'`);

/** Expects that a configured key is refused with a sentence that has the text. */
export const expectRefusal = (attempt: Promise<unknown>, text: string) =>
  expect(attempt).rejects.toThrow(
    expect.objectContaining({ name: 'ConfigurationError', message: expect.stringContaining(text) }),
  );
