import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hash, verify } from '@node-rs/argon2';
import {
  hasPasswordHashesInClear,
  keyPasswordHashes,
} from '../../../../src/domain/organizations/accounts/keyed-hash.js';
import { comparePassword, hashPassword } from '../../../../src/domain/organizations/accounts/password.js';
import { createSealer } from '../../../../src/platform/crypto/index.js';
import { type Database, sql } from '../../../../src/platform/database/index.js';
import { createEmptyDatabase } from '../../../kit/database/database.js';
import { migrateBefore } from '../../../kit/database/migrations.js';

const MIGRATION = '0068-keyed-password-hashes';
const PASSWORD = 'a quiet harbour at dawn';
const ANN = 'ann@example.test';

describe('the migration that lets hashes of passwords be keyed', () => {
  const sealer = createSealer(Buffer.alloc(32, 'key'));
  let empty: Awaited<ReturnType<typeof createEmptyDatabase>>;
  let database: Database;

  const storeAccount = (id: string, passwordHash: string | null) =>
    database.rows(
      sql`insert into accounts (id, email, password_hash, created_at) values (${id}, ${ANN}, ${passwordHash}, now())`,
    );
  const storedHash = async (id: string) => {
    const [account] = await database.rows(
      sql<{ hash: string | null }>`select password_hash as hash from accounts where id = ${id}`,
    );
    return account!.hash;
  };
  const opens = async (password: string, id: string) => {
    const caller = { clientAddress: '203.0.113.7', isKnown: false };
    const matches = await comparePassword(sealer, { email: ANN, password }, caller);
    return matches(await storedHash(id));
  };

  beforeAll(async () => {
    empty = await createEmptyDatabase();
    [database] = (await empty.open(1)) as [Database];
    await migrateBefore(database, MIGRATION);
    // By the version before, with a random salt or other costs; and an account without a password.
    await storeAccount('acc_1', await hash(PASSWORD));
    await storeAccount('acc_2', await hash(PASSWORD, { memoryCost: 8_192, timeCost: 3, parallelism: 2 }));
    await storeAccount('acc_3', null);
    await database.migrate(MIGRATION);
  }, 60_000);
  afterAll(async () => {
    await empty[Symbol.asyncDispose]();
  });

  it('lets processes of the previous version compare every hash until the operator runs reseal', async () => {
    const stored = await hashPassword({ database, sealer }, ANN, PASSWORD);
    await storeAccount('acc_4', stored);
    expect(await verify(stored, PASSWORD)).toBe(true);
    for (const id of ['acc_1', 'acc_2', 'acc_4']) {
      expect(await opens(PASSWORD, id)).toBe(true);
      expect(await opens('another password', id)).toBe(false);
    }
    expect(await hasPasswordHashesInClear(database)).toBe(true);
  });

  it('leaves nothing with which a guess can be tested once they are keyed, and everyone signs in as before', async () => {
    await Promise.all([keyPasswordHashes(database, sealer), keyPasswordHashes(database, sealer)]);
    await keyPasswordHashes(database, sealer);
    expect(await hasPasswordHashesInClear(database)).toBe(false);
    await storeAccount('acc_5', await hashPassword({ database, sealer }, ANN, PASSWORD));
    for (const id of ['acc_1', 'acc_2', 'acc_4', 'acc_5']) {
      expect(await opens(PASSWORD, id)).toBe(true);
      expect(await opens('another password', id)).toBe(false);
      expect(await verify((await storedHash(id))!.replace(/^keyed/, ''), PASSWORD)).toBe(false);
    }
    expect(await opens(PASSWORD, 'acc_3')).toBe(false);
  });

  it('keys every hash of a new database from the start', async () => {
    await using fresh = await createEmptyDatabase();
    const [newest] = (await fresh.open(1)) as [Database];
    await newest.migrate();
    expect(await hashPassword({ database: newest, sealer }, ANN, PASSWORD)).toMatch(/^keyed[$]argon2id[$]/);
  });
});
