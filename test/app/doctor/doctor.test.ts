import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { existsSync } from 'node:fs';
import { utimes, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newestCheckpoint, sequenceEntries } from '../../../src/domain/activity-log/index.js';
import { lockDataDirectory } from '../../../src/app/storage/data-directory-lock.js';
import { sql, type Database, type Foundation } from '../../../src/platform/database/index.js';
import { base64 } from '../../../src/platform/kernel/encoding/bytes.js';
import { createKeptSigningKeys, parseKeyUri } from '../../../src/platform/keys/index.js';
import { act, sequence } from '../../domain/activity-log/kit.js';
import { forFile } from '../../kit/for-file.js';
import { listen } from '../../kit/process/local-server.js';
import { createDurableDatabase } from '../../kit/database/durable-database.js';
import { seedOrganization, type SeededOrganization, testFoundation } from '../../kit/seed.js';
import { openKeyRoom } from '../../platform/keys/key-room.js';
import { openLocalVault } from '../../platform/keys/stores/local-vault.js';
import { type Environment, ROOT, run, temporaryDirectory } from '../gateway-process.js';
import { itOnEmbedded, itOnPostgresql } from '../../kit/database/on-postgresql.js';

const GENESIS = [
  '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
  'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG',
];

/** A provider that reports this cluster and slot. */
async function provider(genesis: string, slot: number): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      const { id, method } = JSON.parse(body) as { id: string; method: string };
      const result = method === 'getGenesisHash' ? genesis : slot;
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
  });
  return { server, url: `http://127.0.0.1:${await listen(server)}` };
}

const directory = forFile(await temporaryDirectory());
const durable = forFile(await createDurableDatabase());
const room = forFile(await openKeyRoom());

describe('lucarne doctor', () => {
  let home: SeededOrganization;
  const servers: Server[] = [];
  const urls: string[] = [];

  async function inDatabase<Result>(work: (foundation: Foundation) => Promise<Result>): Promise<Result> {
    await using database = await durable.open();
    const { sealer } = await room.gateway(database);
    return await work({ ...testFoundation(database), sealer });
  }
  const file = (name: string) => path.join(directory.path, name);
  const environment = (): Environment => ({
    LUCARNE_MASTER_KEY_FILE: room.file,
    SOLANA_RPC_URL: urls.slice(0, 2).join(','),
    ...('url' in durable.target
      ? { DATABASE_URL: durable.target.url, LUCARNE_DATA_DIR: directory.path }
      : { LUCARNE_DATA_DIR: path.dirname(durable.target.directory) }),
  });
  /** The lines that report problems. */
  const problems = (output: string) =>
    output.split('\n').filter((line) => line !== '' && !line.startsWith('ok'));
  const examined = (parameters: readonly string[] = [], more: Environment = {}) =>
    run(['doctor', '--backup', file('lucarne.dump'), ...parameters], { ...environment(), ...more });

  beforeAll(async () => {
    for (const [genesis, slot] of [
      [GENESIS[0], 1_000],
      [GENESIS[0], 1_010],
      [GENESIS[1], 1_000],
      [GENESIS[0], 10],
    ] as [string, number][]) {
      const { server, url } = await provider(genesis, slot);
      servers.push(server);
      urls.push(url);
    }
    await writeFile(file('lucarne.dump'), 'a backup');
    await inDatabase(async (foundation) => {
      home = await seedOrganization(foundation);
      await act(foundation, home.organization.id, 3);
      await sequence(foundation);
      const { note } = await newestCheckpoint(foundation.database, home.organization.id);
      await writeFile(file('checkpoint.txt'), note);
    });
  });
  afterAll(() => {
    for (const server of servers) server.close();
  });

  const onOwner = () => 'url' in durable.target;

  it('reports that everything works, and exits with 0', async () => {
    const { exitCode, output, errors } = await examined(['--checkpoint', file('checkpoint.txt')]);
    expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
    // The tests on PostgreSQL run as the owner of the tables.
    const owner = [
      expect.stringMatching(
        /^warning {2}database role {2}The role has more privileges than serving needs: .*--serve-as ROLE/,
      ),
    ];
    expect(problems(output)).toEqual(onOwner() ? owner : []);
    for (const line of [
      /^ok +configuration +The configuration is valid\. The roles of this process are api, indexer, relayer\.$/m,
      /^ok +clock +The clocks of this machine and of the database agree\.$/m,
      /^ok +migrations +All migrations are applied\.$/m,
      /^ok +master key +Version 1 \(file\) unwraps all \d+ data keys\. A test value was encrypted and decrypted with them\.$/m,
      /^ok +signing keys +The signing keys of 1 logs work\.$/m,
      /^ok +sealed values +Each of them names a data key that is there\.$/m,
      /^ok +activity log +1 logs match their last checkpoints\.$/m,
      /^ok +checkpoint +The stored log continues .*checkpoint\.txt\.$/m,
      /^ok +providers +2 of 2 providers answer\. The genesis hash is 5eykt\w+, and the newest finalized slot 1010\.$/m,
      /^ok +relayer key +No key is configured, and none is needed\.$/m,
      /^ok +backup +The newest backup is 0 hours old and has 8 bytes\.$/m,
    ])
      expect(output).toMatch(line);
  });

  it('prints JSON, and warns about what it cannot check without failing', async () => {
    const { exitCode, output } = await run(['doctor', '--json'], environment());
    const { healthy, checks } = JSON.parse(output) as {
      healthy: boolean;
      checks: { check: string; result: string }[];
    };
    expect({ exitCode, healthy }).toEqual({ exitCode: 0, healthy: true });
    expect(checks.find(({ check }) => check === 'backup')).toMatchObject({ result: 'warning' });
  });

  it('reports whether the key that logs would rotate to exists and can sign', async () => {
    await using vault = await openLocalVault();
    vault.makeKey('log', 'ed25519');
    vault.makeKey('odd', 'ecdsa-p256');
    const lineFor = async (name: string) => {
      const { output } = await examined([], {
        LUCARNE_SIGNING_KEY: `vault:transit/${name}`,
        LUCARNE_VAULT_ADDR: vault.configuration.address.href,
        LUCARNE_VAULT_TOKEN_FILE: vault.configuration.tokenFile,
      });
      return output.split('\n').find((line) => line.includes('signing keys'));
    };
    expect(await lineFor('log')).toMatch(
      /^ok +signing keys +The signing keys of 1 logs work\. The next key is vault:transit\/log\.$/,
    );
    expect(await lineFor('odd')).toMatch(
      /^failed +signing keys +LUCARNE_SIGNING_KEY: .*Name a key of type ed25519/,
    );
    expect(await lineFor('nobody')).toMatch(/^failed +signing keys +LUCARNE_SIGNING_KEY: Vault has no key/);
  });

  it('reports configuration errors before anything else', async () => {
    const { exitCode, output } = await examined([], { LUCARNE_ROLLS: 'api' });
    expect(exitCode).toBe(1);
    expect(output).toMatch(/^failed {3}configuration {2}LUCARNE_ROLLS is not a setting of Lucarne\..*\n$/);
  });

  it('reports all broken parts together: the master key, the providers, the relayer’s key and the backup', async () => {
    const old = new Date(Date.now() - 30 * 3_600_000);
    await writeFile(file('old.dump'), '');
    await utimes(file('old.dump'), old, old);
    const { exitCode, output } = await run(['doctor', '--backup', file('old.dump')], {
      ...environment(),
      LUCARNE_MASTER_KEY_FILE: '',
      LUCARNE_MASTER_KEY: base64.encode(new Uint8Array(32).fill(7)),
      SOLANA_RPC_URL: `${urls[0]},${urls[2]}`,
      LUCARNE_RELAYER_KEYPAIR_FILE: `${file('no-key.json')},${file('nor-this.json')}`,
    });
    expect(exitCode).toBe(1);
    expect(problems(output).filter((line) => !line.includes('database role'))).toEqual([
      expect.stringMatching(/^failed +master key +The master key does not open this database/),
      expect.stringMatching(
        /^failed +providers +.* they belong to different clusters\. Correct SOLANA_RPC_URL\.$/,
      ),
      expect.stringMatching(/^failed +relayer key +.*no-key\.json/),
      expect.stringMatching(/^failed +relayer key +.*nor-this\.json/),
      expect.stringMatching(
        /^failed +backup +The newest backup is 30 hours old\. It must be less than 26 hours old\./,
      ),
    ]);
  });

  it('warns about a provider that lags or does not answer, and fails if none answers', async () => {
    const lagging = await examined([], { SOLANA_RPC_URL: `${urls[0]},${urls[3]},http://127.0.0.1:9` });
    expect(lagging.exitCode).toBe(0);
    expect(lagging.output).toMatch(
      /^warning +providers +2 of 3 providers answer\. .* No connection\. .*lags 990 slots\. Fix these providers/m,
    );
    const silent = await examined([], { SOLANA_RPC_URL: 'http://127.0.0.1:9' });
    expect(silent.exitCode).toBe(1);
    expect(silent.output).toMatch(/^failed +providers +No provider answers\. Correct SOLANA_RPC_URL\./m);
  });

  itOnPostgresql('names the tables that its role cannot read', async () => {
    if (!('url' in durable.target)) throw new Error('There are roles on PostgreSQL only.');
    const role = `lucarne_doctor_${randomBytes(6).toString('hex')}`;
    const url = new URL(durable.target.url);
    url.username = role;
    await using database = await durable.open();
    await database.rows(sql`create role ${sql.id(role)} login`);
    try {
      const { exitCode, output } = await examined([], { DATABASE_URL: url.href });
      expect(exitCode).toBe(1);
      expect(problems(output)).toEqual([
        expect.stringMatching(/^failed +database role +The role cannot .*select.* receipts.*--serve-as ROLE/),
      ]);
    } finally {
      await database.rows(sql`drop role ${sql.id(role)}`);
    }
  });

  itOnPostgresql(
    'requires a master key even before the database is migrated, and runs the checks that do not need one',
    async () => {
      if (!('url' in durable.target))
        throw new Error('Only PostgreSQL needs a master key that is configured.');
      const noKey = /^failed +master key +LUCARNE_MASTER_KEY or LUCARNE_MASTER_KEY_FILE is required/m;
      const { output } = await examined([], { LUCARNE_MASTER_KEY_FILE: '' });
      expect(output).toMatch(noKey);
      expect(output).toMatch(/^ok +activity log/m);
      const name = `lucarne_doctor_${randomBytes(6).toString('hex')}`;
      const url = new URL(durable.target.url);
      url.pathname = name;
      await using database = await durable.open();
      await database.rows(sql`create database ${sql.id(name)}`);
      try {
        const empty = await examined([], { LUCARNE_MASTER_KEY_FILE: '', DATABASE_URL: url.href });
        expect(empty.output).toMatch(/^failed +migrations +\d+ migrations are pending/m);
        expect(empty.output).toMatch(noKey);
      } finally {
        await database.rows(sql`drop database ${sql.id(name)}`);
      }
    },
  );

  itOnEmbedded('creates nothing if no gateway has started yet', async () => {
    await using empty = await temporaryDirectory();
    const place = path.join(empty.path, 'data');
    const { exitCode, output } = await run(['doctor'], {
      LUCARNE_DATA_DIR: place,
      SOLANA_RPC_URL: urls[0]!,
    });
    expect(exitCode).toBe(0);
    expect(output).toMatch(
      /^warning +database +There is no database in .* yet: no gateway has started on it\.$/m,
    );
    expect(existsSync(place)).toBe(false);
  });

  itOnEmbedded('does not replace a master key that is lost', async () => {
    const { exitCode, output } = await examined([], { LUCARNE_MASTER_KEY_FILE: '' });
    expect(exitCode).toBe(1);
    expect(output).toMatch(
      /^failed +master key +.*master\.key is missing\. .*Restore it before you start a gateway/m,
    );
    expect(existsSync(path.join(environment()['LUCARNE_DATA_DIR']!, 'master.key'))).toBe(false);
  });

  it('reports that a configured backup cannot be read', async () => {
    const { exitCode, output } = await run(['doctor', '--backup', file('no.dump')], environment());
    expect(exitCode).toBe(1);
    expect(output).toMatch(/^failed +backup +.*no\.dump cannot be read: ENOENT/m);
  });

  itOnPostgresql('warns of a clock that differs by seconds, and fails from half a minute on', async () => {
    const shifted = (aheadMs: number) =>
      examined([], {
        NODE_OPTIONS: `--import=${pathToFileURL(path.join(ROOT, 'test/kit/process/shifted-clock.mjs')).href}`,
        CLOCK_AHEAD_MS: String(aheadMs),
      });
    const line = async (aheadMs: number) =>
      (await shifted(aheadMs)).output.split('\n').find((each) => each.includes(' clock '));
    expect(await line(5_000)).toMatch(
      /^warning +clock +The clock of this machine is [45]\.\d s fast, compared with the clock of the database\. Synchronize both with NTP\.$/,
    );
    expect(await line(-40_000)).toMatch(/^failed +clock +The clock of this machine is (39|40)\.\d s slow, /);
  });

  itOnPostgresql(
    'reports that the database does not answer, and runs the checks that do not need it',
    async () => {
      const { exitCode, output } = await examined([], { DATABASE_URL: 'postgres://u@127.0.0.1:9/lucarne' });
      expect(exitCode).toBe(1);
      expect(output).toMatch(
        /^failed +database +The database cannot be reached\. Start it, or correct DATABASE_URL\.$/m,
      );
      expect(output).toMatch(/^ok +providers /m);
    },
  );

  itOnEmbedded('skips the embedded database while a gateway has it open', async () => {
    const directoryOfGateway = environment()['LUCARNE_DATA_DIR']!;
    await using lock = await lockDataDirectory(directoryOfGateway);
    const { exitCode, output } = await examined();
    expect({ exitCode, lock }).toMatchObject({ exitCode: 0 });
    expect(output).toMatch(
      /^warning +database +The data directory .* is in use by process \d+.* The database was not examined: stop the gateway first\.$/m,
    );
  });

  it('warns that the embedded ledger is only for evaluation', async () => {
    const { output } = await examined([], { SOLANA_RPC_URL: '' });
    expect(output).toMatch(/^warning +providers +The gateway uses the embedded ledger/m);
  });

  it('reports a missing signing key, and does not create one', async () => {
    const { id } = home.organization;
    const kept = sql`create table kept_key as select * from signing_keys where organization_id = ${id}`;
    await inDatabase(async ({ database }) => {
      await database.rows(kept);
      await database.rows(sql`delete from signing_keys where organization_id = ${id}`);
    });
    const { exitCode, output } = await examined();
    expect(exitCode).toBe(1);
    expect(output).toMatch(
      /^failed +signing keys +The signing key of org_\w+ does not work: .*is missing\./m,
    );
    await inDatabase(async ({ database }) => {
      expect(await database.rows(sql`select epoch from signing_keys where organization_id = ${id}`)).toEqual(
        [],
      );
      await database.rows(sql`insert into signing_keys select * from kept_key`);
      await database.rows(sql`drop table kept_key`);
    });
  });

  it('finds a log that differs from the signed one, and an entry that is waiting', async () => {
    await inDatabase(async ({ database }) => {
      await database.rows(sql`
        insert into activity_entries (id, organization_id, event_type, actor_id, entry, salts, leaf_hash, created_at)
        values ('log_waits', ${home.organization.id}, 'asset.created', 'operator', '{}', '{}', ${new Uint8Array(32)}, now() - interval '1 minute')`);
    });
    const waiting = await examined();
    expect(waiting.output).toMatch(
      /^warning +activity log +The oldest entry without an index has waited \d+ s\./m,
    );
    await inDatabase(({ database }) => tamper(database));
    const { exitCode, output } = await examined();
    expect(exitCode).toBe(1);
    expect(output).toMatch(
      /^failed +activity log +\S+: Entry 2 differs from the one that was signed\. The gateway signs nothing more in this log\./m,
    );
  });

  it('reports a log without a first key while the setting names no key, and nothing after the setting is fixed', async () => {
    await using vault = await openLocalVault();
    const { id: organizationId } = await inDatabase(async (foundation) => {
      const { organization } = await seedOrganization(foundation);
      await act(foundation, organization.id, 1);
      const signingKeys = createKeptSigningKeys(vault.stores, parseKeyUri('vault:transit/gone'), 0);
      const log = { organizationId: organization.id, publicHost: 'lucarne.example' };
      await expect(sequenceEntries({ ...foundation, signingKeys }, log)).rejects.toMatchObject({
        reason: 'signing_key_away',
      });
      return organization;
    });
    const lineWith = async (environment: Environment) =>
      (await examined([], environment)).output.split('\n').find((line) => line.includes('signing keys'));
    expect(
      await lineWith({
        LUCARNE_SIGNING_KEY: 'vault:transit/gone',
        LUCARNE_VAULT_ADDR: vault.configuration.address.href,
        LUCARNE_VAULT_TOKEN_FILE: vault.configuration.tokenFile,
      }),
    ).toMatch(/^failed +signing keys +LUCARNE_SIGNING_KEY: Vault has no key/);
    expect(await lineWith({})).toMatch(/^ok +signing keys /);
    await inDatabase(({ database }) =>
      database.rows(sql`delete from activity_entries where organization_id = ${organizationId}`),
    );
  });

  const tamper = (database: Database) =>
    database.rows(sql`
      update activity_entries set entry = entry || '{"details":{"forged":true}}'
      where organization_id = ${home.organization.id} and log_index = 2`);
});
