import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sealedPrefix } from '../../../src/platform/crypto/index.js';
import { type Database, sql } from '../../../src/platform/database/index.js';
import {
  announceDataKeys,
  type Keyring,
  reseal,
  retireMasterKey,
  rotateMasterKey,
} from '../../../src/platform/keys/index.js';
import { createTestDatabase } from '../../kit/database/database.js';
import {
  type KeyRoom,
  letSettle,
  opened,
  openGateway,
  openKeyRoom,
  storedPieces,
  storePieces,
} from './key-room.js';

const AWAY = expect.objectContaining({ code: 'UNAVAILABLE' });
const broken = (why: string) =>
  expect.objectContaining({ code: 'INTERNAL_SERVER_ERROR', message: expect.stringContaining(why) });

describe('a sealed value whose data key is not in the database', () => {
  let database: Database;
  let room: KeyRoom;
  beforeEach(async () => {
    database = await createTestDatabase();
    room = await openKeyRoom();
  });
  afterEach(async () => {
    await room[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  /** Makes the chunk name a data key that did not seal it. */
  const forge = (id: number, chunk = 1) =>
    database.rows(sql`update report_chunks set sealed_bytes = ${sealedPrefix(id)}::bytea
      || substring(sealed_bytes from 6) where chunk_index = ${chunk}`);
  const open = async (gateway: Keyring, chunk = 1) => {
    const { sealed, content } = (await storedPieces(database)).find((piece) => piece.chunk === chunk)!;
    return gateway.sealer.open(sealed, `report_chunks/${content}/${chunk}`);
  };

  it.each([99, 4_294_967_295])(
    'is permanently broken if the key %i never existed, and other values open',
    async (id) => {
      const gateway = await room.gateway(database);
      await storePieces(database, gateway.sealer, 'one', 3);
      await forge(id);
      // It may be newer than the last check.
      await expect(open(gateway)).rejects.toEqual(AWAY);
      await gateway.refresh();
      await expect(open(gateway)).rejects.toEqual(broken(`names data key ${id}, which never existed`));
      expect(opened(gateway.sealer, await storedPieces(database))).toBe(2);
    },
  );

  it('is reported as lost with a destroyed key if its key was destroyed', async () => {
    const gateway = await room.gateway(database);
    await storePieces(database, gateway.sealer, 'one', 3);
    const [kept] = await database.rows(sql<{ sealed: Uint8Array }>`select sealed_bytes as sealed
      from report_chunks where chunk_index = 1`);
    await rotateMasterKey(room.operator(database));
    await announceDataKeys(room.operator(database));
    await reseal({ ...room.operator(database), sealer: (await room.gateway(database)).sealer });
    await letSettle(database);
    await retireMasterKey(room.operator(database), 1);
    // An attacker restores the row of an old backup.
    await database.rows(sql`update report_chunks set sealed_bytes = ${kept!.sealed} where chunk_index = 1`);
    await gateway.refresh();
    await expect(open(gateway)).rejects.toEqual(AWAY);
    await gateway.refresh();
    await expect(open(gateway)).rejects.toEqual(broken('was destroyed'));
    expect(opened(gateway.sealer, await storedPieces(database))).toBe(2);
  });

  it('opens once the key exists, even if an earlier search failed', async () => {
    const gateway = await room.gateway(database);
    await storePieces(database, gateway.sealer, 'one', 2);
    const next = await database.rows(sql<{ id: number }>`select max(id) + 1 as id from data_keys`);
    // An attacker submits a value that names the next data key.
    expect(() => gateway.sealer.open(forged(next[0]!.id), 'report_chunks/one/0')).toThrow(AWAY);
    await gateway.refresh();
    expect(() => gateway.sealer.open(forged(next[0]!.id), 'report_chunks/one/0')).toThrow(
      broken('never existed'),
    );
    await announceDataKeys(room.operator(database));
    await reseal({ ...room.operator(database), sealer: (await room.gateway(database)).sealer });
    await gateway.refresh();
    expect(opened(gateway.sealer, await storedPieces(database))).toBe(2);
  });

  it('is unavailable, not broken, for an instance that has not read the keys for longer than the announcement period', async () => {
    if (database.engine !== 'postgresql') return;
    let now = 0;
    const gateway = await openGateway(database, room.masterKeys, () => now);
    expect(() => gateway.sealer.open(forged(99), 'report_chunks/one/0')).toThrow(AWAY);
    await gateway.refresh();
    expect(() => gateway.sealer.open(forged(99), 'report_chunks/one/0')).toThrow(broken('never existed'));
    now += 30_000;
    expect(() => gateway.sealer.open(forged(99), 'report_chunks/one/0')).toThrow(AWAY);
  });

  it('is reported by reseal, with its row', async () => {
    const gateway = await room.gateway(database);
    await storePieces(database, gateway.sealer, 'one', 3);
    await forge(99);
    await announceDataKeys(room.operator(database));
    const { sealer } = await room.gateway(database);
    await expect(reseal({ ...room.operator(database), sealer })).rejects.toThrow(
      'The value of sealed_bytes in report_chunks at content_id one, chunk_index 1 cannot be opened.',
    );
    await database.rows(sql`delete from report_chunks where chunk_index = 1`);
    await reseal({ ...room.operator(database), sealer });
    expect(opened(sealer, await storedPieces(database))).toBe(2);
  });
});

const forged = (id: number) => Uint8Array.of(...sealedPrefix(id), ...new Uint8Array(40));
