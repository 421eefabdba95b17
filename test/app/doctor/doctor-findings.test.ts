import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Configuration, readConfiguration } from '../../../src/app/configuration/index.js';
import { examineDatabase } from '../../../src/app/doctor/examine-database.js';
import { examineRelayerKeys } from '../../../src/app/doctor/examine-relayer-key.js';
import { newestCheckpoint, organizationSigner } from '../../../src/domain/activity-log/index.js';
import { generateSigningKey, sealedPrefix } from '../../../src/platform/crypto/index.js';
import {
  acrossOrganizations,
  type Database,
  type Foundation,
  sql,
} from '../../../src/platform/database/index.js';
import {
  createKeptSigningKeys,
  parseKeyUri,
  rotateMasterKey,
  withSignatures,
} from '../../../src/platform/keys/index.js';
import { act, sequence } from '../../domain/activity-log/kit.js';
import { relayerKey } from '../../domain/relays/kit.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { createDurableDatabase } from '../../kit/database/durable-database.js';
import { itOnPostgresql } from '../../kit/database/on-postgresql.js';
import { type SeededOrganization, seedOrganization, testFoundation } from '../../kit/seed.js';
import { type KeyRoom, openKeyRoom, storePieces } from '../../platform/keys/key-room.js';
import { type LocalVault, openLocalVault } from '../../platform/keys/stores/local-vault.js';
import { temporaryDirectory } from '../gateway-process.js';

const NO_KEY = 4_000_000_000;

describe('lucarne doctor', () => {
  const parts = new AsyncDisposableStack();
  let room: KeyRoom;
  let vault: LocalVault;
  let directory: string;
  beforeAll(async () => {
    vault = parts.use(await openLocalVault());
    room = parts.use(await openKeyRoom(vault.stores));
    vault.makeKey('log', 'ed25519');
    directory = parts.use(await temporaryDirectory()).path;
  });
  afterAll(() => parts.disposeAsync());

  const configured = (more: Record<string, string> = {}): Promise<Configuration> =>
    readConfiguration({
      ...{ DATABASE_URL: 'postgres://u@127.0.0.1/lucarne', LUCARNE_MASTER_KEY_FILE: room.file },
      ...{ LUCARNE_VAULT_ADDR: vault.configuration.address.href },
      ...{ LUCARNE_VAULT_TOKEN_FILE: vault.configuration.tokenFile },
      ...more,
    });
  interface House {
    readonly database: Database;
    readonly foundation: Foundation;
    readonly home: SeededOrganization;
    /** The findings of each check, one per line. */
    readonly found: (
      more?: Record<string, string>,
      checkpoints?: Record<string, string>,
    ) => Promise<string[]>;
  }
  /** A database with one organization whose log has been signed. */
  async function inHouse(work: (house: House) => Promise<void>, uri?: string): Promise<void> {
    await using database = await createTestDatabase();
    const { sealer } = await room.gateway(database);
    const signingKeys = createKeptSigningKeys(
      vault.stores,
      uri === undefined ? undefined : parseKeyUri(uri),
      0,
    );
    const foundation = { ...testFoundation(database), sealer, signingKeys };
    const home = await seedOrganization(foundation);
    await act(foundation, home.organization.id, 3);
    expect(await sequence(foundation)).toEqual([]);
    await work({
      ...{ database, foundation, home },
      found: async (more, checkpoints = {}) =>
        found(database, await configured(more), new Map(Object.entries(checkpoints))),
    });
  }
  async function found(
    database: Database,
    configuration: Configuration,
    checkpoints = new Map<string, string>(),
  ) {
    const options = { maxBackupAgeHours: 26, checkpoints };
    const checks = await acrossOrganizations(() => examineDatabase(database, configuration, options));
    return checks.map(({ check, result, detail }) => `${result} ${check}: ${detail}`);
  }
  const ofCheck = (lines: readonly string[], check: string) =>
    lines.filter((line) => line.startsWith(`${check}:`, line.indexOf(' ') + 1));
  const forge = (database: Database, table: string, column: string, where = sql`true`) =>
    database.rows(sql`update ${sql.table(table)} set ${sql.id(column)} = ${sealedPrefix(NO_KEY)}::bytea
      || substring(${sql.id(column)} from 6) where ${where}`);

  it('finds no problem in a healthy installation', () =>
    inHouse(async ({ found }) => {
      const lines = await found();
      expect(lines.filter((line) => !line.startsWith('ok ') && !line.includes('database role'))).toEqual([]);
      expect(ofCheck(lines, 'sealed values')).toEqual([
        'ok sealed values: Each of them names a data key that is there.',
      ]);
    }));

  it('finds values that name a data key that never existed, and names one of them', () =>
    inHouse(async ({ database, foundation, found }) => {
      await storePieces(database, foundation.sealer, 'one', 3);
      await forge(database, 'report_chunks', 'sealed_bytes', sql`chunk_index > 0`);
      expect(ofCheck(await found(), 'sealed values')).toEqual([
        `failed sealed values: 2 values of sealed_bytes in report_chunks name data key ${NO_KEY}, which never existed in this database: the first at content_id one, chunk_index 1. Restore from a backup what can be restored, and remove the rest.`,
      ]);
    }));

  it('finds values whose data key was destroyed', () =>
    inHouse(async ({ database, foundation, found }) => {
      await storePieces(database, foundation.sealer, 'one', 2);
      const [{ id } = { id: 0 }] = await database.rows(sql<{ id: number }>`
        insert into data_keys (id, purpose, master_version, first_master_version, wrapped_key, created_at, usable_at, destroyed_at)
        values (1000, 'report_chunks', 1, 1, null, now(), now(), now()) returning id`);
      await database.rows(sql`update report_chunks set sealed_bytes = ${sealedPrefix(id)}::bytea
        || substring(sealed_bytes from 6) where chunk_index = 1`);
      expect(ofCheck(await found(), 'sealed values')).toEqual([
        expect.stringMatching(
          /^failed sealed values: 1 value of sealed_bytes in report_chunks names data key 1000, which was destroyed: /,
        ),
      ]);
    }));

  it('finds values that are not sealed', () =>
    inHouse(async ({ database, foundation, found }) => {
      await storePieces(database, foundation.sealer, 'one', 2);
      await database.rows(
        sql`update report_chunks set sealed_bytes = set_byte(sealed_bytes, 0, 9) where chunk_index = 0`,
      );
      expect(ofCheck(await found(), 'sealed values')).toEqual([
        expect.stringMatching(
          /^failed sealed values: 1 value of sealed_bytes in report_chunks is damaged: the first at content_id one, chunk_index 0\. /,
        ),
      ]);
    }));

  it('finds a signing key that names a data key that never existed, and does not report it as temporarily unavailable', () =>
    inHouse(async ({ database, found }) => {
      await forge(database, 'signing_keys', 'sealed_secret');
      const lines = await found();
      expect(ofCheck(lines, 'signing keys')).toEqual([
        expect.stringMatching(
          /^failed signing keys: The signing key of org_\w+ does not work: A sealed value cannot be opened: it names data key 4000000000, which never existed in this database\. Restore the row of signing_keys from a backup, or rotate the key\.$/,
        ),
      ]);
      expect(ofCheck(lines, 'sealed values')).toEqual([
        expect.stringMatching(
          /^failed sealed values: 1 value of sealed_secret in signing_keys names data key 4000000000/,
        ),
      ]);
    }));

  it('finds a signing key whose secret belongs to another key', () =>
    inHouse(async ({ database, found }) => {
      await database.rows(sql`update signing_keys set public_key = ${generateSigningKey().publicKey}`);
      expect(ofCheck(await found(), 'signing keys')).toEqual([
        expect.stringMatching(
          /does not work: Its signatures do not verify under its public key\. Restore the row/,
        ),
      ]);
    }));

  it('finds a signing key that its store has lost, and explains how to replace it', () =>
    inHouse(async ({ found }) => {
      expect(ofCheck(await found(), 'signing keys')).toEqual([
        'ok signing keys: The signing keys of 1 logs work.',
      ]);
      vault.deleteKey('log');
      expect(ofCheck(await found(), 'signing keys')).toEqual([
        expect.stringMatching(
          /^failed signing keys: The signing key of org_\w+ does not work: Vault has no key “transit\/log”\..* If the key is lost permanently, replace it with declareSigningKeyLost: see “In a store” in docs\/operate\.md\.$/,
        ),
      ]);
    }, 'vault:transit/log'));

  it('finds a lost first signing key that signed a receipt before the first checkpoint', async () => {
    await using database = await createTestDatabase();
    const { sealer } = await room.gateway(database);
    vault.makeKey('first', 'ed25519');
    const signingKeys = createKeptSigningKeys(vault.stores, parseKeyUri('vault:transit/first'), 0);
    const foundation = { ...testFoundation(database), sealer, signingKeys };
    const { organization } = await seedOrganization(foundation);
    await withSignatures(signingKeys, (signatures) =>
      database.transaction(async (transaction) => {
        const signing = { ...foundation, signatures };
        const signer = await organizationSigner(transaction, signing, organization.id, new Date());
        return signer.sign(new TextEncoder().encode('a receipt'));
      }),
    );
    vault.deleteKey('first');
    // The first run of a sequencer creates the log, and finds no key.
    await expect(sequence(foundation)).resolves.toEqual(['signer']);
    expect(ofCheck(await found(database, await configured()), 'signing keys')).toEqual([
      expect.stringMatching(
        /^failed signing keys: .* Vault has no key “transit\/first”\..* declareSigningKeyLost: /,
      ),
    ]);
  });

  it('reports that there is no master key if no gateway has started', async () => {
    await using database = await createTestDatabase();
    expect(ofCheck(await found(database, await configured()), 'master key')).toEqual([
      'warning master key: The database has no master key yet: no gateway has started on it.',
    ]);
  });

  it('finds a master key whose store does not answer, has lost it, or has another key of the same name', () =>
    inHouse(async ({ database, found }) => {
      const uri = parseKeyUri('vault:transit/master');
      await rotateMasterKey(room.operator(database), uri);
      const away = await found({ LUCARNE_VAULT_ADDR: 'http://127.0.0.1:9' });
      expect(ofCheck(away, 'master key')).toEqual([
        expect.stringMatching(/^failed master key: Vault at http:\/\/127\.0\.0\.1:9 does not answer: /),
      ]);
      // Checks that need no key still run.
      for (const check of ['activity log', 'sealed values'])
        expect(ofCheck(away, check)).toEqual([expect.stringMatching(/^ok /)]);
      vault.deleteKey('master');
      expect(ofCheck(await found(), 'master key')).toEqual([
        expect.stringMatching(/^failed master key: Vault has no key “transit\/master”\. /),
      ]);
      vault.makeKey('master', 'aes256-gcm96', { derived: true });
      expect(ofCheck(await found(), 'master key')).toEqual([
        'failed master key: A data key is not wrapped by the key “transit/master” of Vault. If another key has this name now, restore the right one. Otherwise restore the table data_keys from a backup.',
      ]);
    }));

  it('finds a log whose newest entry is missing, and a log whose last checkpoint was signed by another key', () =>
    inHouse(async ({ database, found }) => {
      await database.rows(
        sql`delete from activity_entries where log_index = (select max(log_index) from activity_entries)`,
      );
      expect(ofCheck(await found(), 'activity log')).toEqual([
        expect.stringMatching(
          /^failed activity log: \S+: The last checkpoint covers \d+ entries, but the newest stored entry has index \d+\./,
        ),
      ]);
      await database.rows(sql`update signing_keys set public_key = ${generateSigningKey().publicKey}`);
      expect(ofCheck(await found(), 'activity log')).toEqual([
        expect.stringMatching(
          /^failed activity log: \S+: .* Do not change the database, and compare it with a backup\.$/,
        ),
      ]);
    }));

  it('finds that the newest checkpoint of a log was deleted, or each of them', () =>
    inHouse(async ({ database, found }) => {
      for (const few of [sql`size = (select max(size) from log_checkpoints)`, sql`true`]) {
        await database.rows(sql`delete from log_checkpoints where ${few}`);
        expect(ofCheck(await found(), 'activity log')).toEqual([
          expect.stringMatching(
            /^failed activity log: \S+: Entry \d+ has an index, but no checkpoint covers it: one was deleted\./,
          ),
        ]);
      }
    }));

  it('finds a checkpoint of a log that is not in the database, and a malformed checkpoint', () =>
    inHouse(async ({ database, home, found }) => {
      const { note } = await newestCheckpoint(database, home.organization.id);
      const kept = {
        'kept.txt': note,
        'changed.txt': note.replace(/^\d+$/m, '9'),
        'other.txt': note.replace('lucarne.example', 'other.example'),
        'empty.txt': '',
      };
      expect(ofCheck(await found({}, kept), 'checkpoint')).toEqual([
        'ok checkpoint: The stored log continues kept.txt.',
        expect.stringMatching(
          /^failed checkpoint: changed\.txt: The checkpoint is malformed, or no key of this log signed it\. Keep it/,
        ),
        expect.stringMatching(
          /^failed checkpoint: other\.txt: The checkpoint belongs to no log of this database\. Use a checkpoint/,
        ),
        expect.stringMatching(
          /^failed checkpoint: empty\.txt: The checkpoint belongs to no log of this database\./,
        ),
      ]);
    }));

  itOnPostgresql(
    'a role with too many privileges, which production refuses unless allowed, and checks the rest',
    async () => {
      await using durable = await createDurableDatabase();
      await using owner = await durable.open();
      const production = {
        ...{ NODE_ENV: 'production', LUCARNE_PUBLIC_URL: 'https://lucarne.example' },
        ...{
          SOLANA_RPC_URL: 'https://provider.example',
          LUCARNE_VAULT_TOKEN_FILE: '',
          LUCARNE_VAULT_ADDR: '',
        },
      };
      const refused = await found(owner, await configured(production));
      expect(ofCheck(refused, 'database role')).toEqual([
        expect.stringMatching(
          /^failed database role: The role has more privileges than serving needs: .*serve as that role\.$/,
        ),
      ]);
      expect(ofCheck(refused, 'activity log')).toEqual([
        'ok activity log: 0 logs match their last checkpoints.',
      ]);
      const allowed = await configured({ ...production, LUCARNE_SERVE_AS_OWNER: '1' });
      expect(ofCheck(await found(owner, allowed), 'database role')).toEqual([
        expect.stringMatching(/^warning database role: /),
      ]);
    },
  );

  describe('for the payer keys of the relayer', () => {
    const lines = async (more: Record<string, string>) => {
      const pools = path.join(directory, 'pools.json');
      const settings = { LUCARNE_POOLS_FILE: pools, SOLANA_RPC_URL: 'http://127.0.0.1:9', ...more };
      const checks = await examineRelayerKeys(await configured(settings));
      return checks.map(({ result, detail }) => `${result}: ${detail}`);
    };

    it('reports that pools are configured without a payer', async () => {
      expect(await lines({})).toEqual([
        'failed: Pools are configured, but no key that pays: nothing is relayed. Set LUCARNE_RELAYER_KEYPAIR_FILE or LUCARNE_RELAYER_KEY.',
      ]);
    });

    it('reports that all keys are retiring', async () => {
      const file = path.join(directory, 'payer.json');
      await writeFile(file, JSON.stringify([...relayerKey()]), { mode: 0o600 });
      const [signs] = await lines({ LUCARNE_RELAYER_KEYPAIR_FILE: file });
      const address = /^ok: (\w+) signs\.$/.exec(signs!)![1]!;
      expect(await lines({ LUCARNE_RELAYER_KEYPAIR_FILE: file, LUCARNE_RELAYER_RETIRING: address })).toEqual([
        `ok: ${address} signs, and is retiring.`,
        'failed: Every key is retiring: nothing is relayed. Add another key to LUCARNE_RELAYER_KEYPAIR_FILE or LUCARNE_RELAYER_KEY.',
      ]);
    });

    it('finds a key that its store refuses, and a key whose store does not answer', async () => {
      expect(await lines({ LUCARNE_RELAYER_KEY: 'vault:transit/nobody' })).toEqual([
        expect.stringMatching(/^failed: LUCARNE_RELAYER_KEY, vault:transit\/nobody: Vault has no key/),
      ]);
      const away = { LUCARNE_RELAYER_KEY: 'vault:transit/nobody', LUCARNE_VAULT_ADDR: 'http://127.0.0.1:9' };
      expect(await lines(away)).toEqual([
        expect.stringMatching(
          /^failed: LUCARNE_RELAYER_KEY, vault:transit\/nobody: Vault at \S+ does not answer: /,
        ),
      ]);
    });

    it('finds a key that opens but cannot sign', async () => {
      vault.makeKey('payer', 'ed25519');
      vault.trouble = (asked) => (asked.includes('/sign/') ? { status: 503 } : undefined);
      expect(await lines({ LUCARNE_RELAYER_KEY: 'vault:transit/payer' })).toEqual([
        expect.stringMatching(
          /^failed: \w+ does not sign: Vault at \S+ is sealed or down for maintenance\.$/,
        ),
      ]);
      vault.trouble = undefined;
    });
  });
});
