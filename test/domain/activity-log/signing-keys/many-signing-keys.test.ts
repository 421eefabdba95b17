import { beforeEach, describe, expect, it } from '@jest/globals';
import { sequenceEntries } from '../../../../src/domain/activity-log/index.js';
import { generateSigningKey, sign, type KeptSigningKeys } from '../../../../src/platform/crypto/index.js';
import { sql, type Database, type Reader } from '../../../../src/platform/database/index.js';
import { textOf } from '../../../../src/platform/database/statement.js';
import { unavailable } from '../../../../src/platform/kernel/errors.js';
import { openTestFoundation, seedOrganization } from '../../../kit/seed.js';
import { act, PUBLIC_HOST } from '../kit.js';
import { opensWith, roomOf } from './log-room.js';

const { database, foundation } = await openTestFoundation();

describe('a log whose keys are in a store', () => {
  let room: ReturnType<typeof roomOf>;
  let kept: Map<string, ReturnType<typeof generateSigningKey>>;
  let signatures: number;
  let isAway: boolean;
  beforeEach(async () => {
    room = roomOf(database, await seedOrganization(foundation));
    kept = new Map();
    signatures = 0;
    isAway = false;
  });

  const signingKeys: KeptSigningKeys = {
    next: undefined,
    publicKeyAt: () => Promise.reject(new Error('No key is created here.')),
    sign({ uri }, message) {
      if (isAway)
        return Promise.reject(unavailable('Away.', { retryAfterSeconds: 1, reason: 'signing_key_away' }));
      signatures += 1;
      return Promise.resolve(sign(kept.get(uri)!.secret, message));
    },
  };
  /** The keys of a log that has no checkpoint, all of which sign. */
  const addKeys = async (count: number) => {
    for (let epoch = 1; epoch <= count; epoch += 1) {
      const [uri, key] = [`vault:transit/key-${epoch}`, generateSigningKey()];
      kept.set(uri, key);
      await database.rows(sql`
        insert into signing_keys (organization_id, epoch, public_key, store_key, created_at)
        values (${room.organizationId}, ${epoch}, ${key.publicKey}, ${uri}, now())`);
    }
    await database.rows(sql`
      update signing_keys set cosigns_until = now() + interval '1 year'
      where organization_id = ${room.organizationId} and epoch < ${count}`);
  };
  const log = () => ({ organizationId: room.organizationId, publicHost: PUBLIC_HOST });

  it('is sequenced by as many keys as sign it', async () => {
    await addKeys(40);
    await act(foundation, room.organizationId);
    expect(await sequenceEntries({ ...foundation, signingKeys }, log())).toBeGreaterThan(0);
    expect(signatures).toBe(40);
    const { note } = await room.newest();
    for (const key of await room.keys()) expect(opensWith(note, key)).toBe(true);
  });

  it('writes nothing of its waiting entries while the store is away', async () => {
    await addKeys(1);
    await act(foundation, room.organizationId, 3);
    isAway = true;
    const written: string[] = [];
    const watch = (reader: Reader): Pick<Reader, 'rows'> => ({
      rows(statement) {
        written.push(textOf(statement).text);
        return reader.rows(statement);
      },
    });
    const watched: Database = {
      ...database,
      ...watch(database),
      transaction: (work) =>
        database.transaction((transaction) => work({ ...transaction, ...watch(transaction) })),
    };
    await expect(
      sequenceEntries({ ...foundation, database: watched, signingKeys }, log()),
    ).rejects.toMatchObject({ reason: 'signing_key_away' });
    expect(written.filter((text) => /update "?activity_entries|into "?log_/.test(text))).toEqual([]);
    isAway = false;
    expect(await sequenceEntries({ ...foundation, signingKeys }, log())).toBeGreaterThan(3);
    expect(await room.waiting()).toBe(0);
    expect(await room.faults()).toEqual([]);
  });
});
