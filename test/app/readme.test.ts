import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { VARIABLES } from '../../src/app/configuration/index.js';
import { keyStatus } from '../../src/platform/keys/index.js';
import { DIGESTS } from '../../src/platform/keys/data-key-rows.js';
import { createTestDatabase } from '../kit/database.js';
import {
  bareEnvironment,
  ROOT,
  RunningCommand,
  startGateway,
  temporaryDirectory,
  type Ended,
  type Environment,
} from './gateway-process.js';
import { describeOnPostgresql } from '../kit/on-postgresql.js';

const TIMEOUT_MS = 800_000;

/** Documents whose commands need the gateway with its demo, in the order in which they run. */
const WITH_DEMO = ['docs/concepts.md', 'docs/relaying.md', 'docs/screening.md', 'docs/verify.md'];
/** Documents whose commands set up a gateway on PostgreSQL. */
const ON_POSTGRESQL = ['docs/operate.md'];

/** The `bash` blocks of a document, in order: every command that a reader is told to paste. */
async function commandsOf(file: string): Promise<readonly string[]> {
  const text = await readFile(path.join(ROOT, file), 'utf8');
  const from = file === 'README.md' ? text.indexOf('\n## A tour\n') : 0;
  return [...text.slice(from).matchAll(/^```bash\n([^]*?)^```$/gm)].map(([, block = '']) => block);
}

/** The `sh` blocks of a section of a document, in order. They need more than a gateway, or longer. */
async function longCommandsOf(file: string, heading: string): Promise<readonly string[]> {
  const text = await readFile(path.join(ROOT, file), 'utf8');
  const [, section = ''] = text.split(`\n### ${heading}\n`);
  return [...section.split(/\n###? /)[0]!.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = '']) => block);
}

/** Runs blocks in one shell, as a reader pastes them. The first failure ends it. */
async function paste(
  blocks: readonly string[],
  environment: Environment,
  cwd = ROOT,
): Promise<{ readonly output: readonly string[]; readonly ended: Ended }> {
  const marker = '=== next block ===';
  const shell = spawn('bash', ['--norc', '-euo', 'pipefail', '-c', blocks.join(`\necho '${marker}'\n`)], {
    cwd,
    env: { ...bareEnvironment(), ...environment },
    stdio: 'pipe',
  });
  const ended = await new RunningCommand(shell, '').ended;
  return { output: ended.output.split(`${marker}\n`), ended };
}

describe('the commands of the documents', () => {
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
  let gateway: Awaited<ReturnType<typeof startGateway>>;
  /** What each block printed, by document. */
  const printed = new Map<string, { readonly block: string; readonly output: string }[]>();
  const outputOf = (file: string, command: string) => {
    const found = printed.get(file)?.find(({ block }) => block.includes(command));
    if (!found) throw new Error(`No block of ${file} has ${command}.`);
    return found.output;
  };

  beforeAll(async () => {
    directory = await temporaryDirectory();
    gateway = await startGateway({ LUCARNE_DATA_DIR: directory.path });
    for (const file of ['README.md', ...WITH_DEMO]) {
      const blocks = await commandsOf(file);
      const here = blocks.map((block) =>
        block
          .replaceAll('http://127.0.0.1:4000', gateway.url)
          .replaceAll(/(\.\/)?\.lucarne\b/g, directory.path),
      );
      const { output, ended } = await paste(here, { LUCARNE_DATA_DIR: directory.path });
      if (ended.exitCode !== 0)
        throw new Error(`${file} ended with ${ended.exitCode}:\n${ended.output}${ended.errors}`);
      printed.set(
        file,
        blocks.map((block, index) => ({ block, output: output[index] ?? '' })),
      );
    }
  }, TIMEOUT_MS);

  afterAll(async () => {
    await gateway[Symbol.asyncDispose]();
    await directory[Symbol.asyncDispose]();
  });

  describe('of the README', () => {
    const README = 'README.md';

    it('run the demo, whose checks all pass', () => {
      expect(outputOf(README, 'npx lucarne demo\n')).toContain('Every check passed');
    });

    it('register an asset, which waits for its mint', () => {
      const asset: unknown = JSON.parse(outputOf(README, '"Confidential Franc"'));
      expect(asset).toMatchObject({ symbol: 'CCHF', status: 'pending' });
    });

    it('show ciphertexts over REST, and both assets over GraphQL', () => {
      expect(outputOf(README, 'type=confidential_transfer')).toMatch(
        /"ciphertexts":\{"auditor":\{"(?:lo|hi)":"[^"]{88}","(?:lo|hi)":"[^"]{88}"/,
      );
      expect(outputOf(README, 'assets(first: 5)')).toMatch(/"symbol":"CCHF"[^]*"symbol":"CEUR"/);
    });

    it('verify a disclosure, and refuse a changed copy', () => {
      expect(outputOf(README, 'changed.json')).toMatch(
        /pass {2}proofs[^]*FAIL {2}proofs[^]*The changed copy was refused\./,
      );
    });

    it('check an address that is not listed', () => {
      expect(outputOf(README, '/check')).toContain('"reason":"not_approved"');
    });

    it('relay a package', () => {
      expect(outputOf(README, 'demo relay')).toContain('Every check passed: one package, one transaction');
    });

    it('export the activity log, which verifies', () => {
      expect(outputOf(README, 'lucarne log verify')).toMatch(/pass {2}proofs[^]*pass {2}complete/);
    });
  });

  describe('of the concepts', () => {
    const CONCEPTS = 'docs/concepts.md';

    it('request a disclosure, authorize it, and read the amount with its proof', () => {
      expect(outputOf(CONCEPTS, 'DISCLOSURE=$(')).toBe('pending\n');
      expect(outputOf(CONCEPTS, 'decideDisclosure')).toMatch(
        /"status": "available"[^]*"decision": "authorize"/,
      );
      expect(outputOf(CONCEPTS, '.result.records[0]')).toMatch(/"proof": "[^]*"amount": "1250500000"/);
    });

    it('hide the disclosure from another organization', () => {
      expect(outputOf(CONCEPTS, 'OTHER=$(')).toContain('"statusCode": 404');
    });

    it('open a case that shows amounts without senders', () => {
      expect(outputOf(CONCEPTS, 'case(')).toMatch(
        /"amount": "1250500000"[^]*"sourceAccount": null[^]*"restricted": \[[^]*"sourceAccount"/,
      );
    });

    it('follow three new records over WebSocket', () => {
      expect(outputOf(CONCEPTS, 'graphql-ws').match(/^added/gm)).toHaveLength(3);
    });
  });

  it('of the other documents do what their documents say', () => {
    expect(outputOf('docs/relaying.md', 'demo-relay.json')).toContain('"status":"succeeded"');
    expect(outputOf('docs/screening.md', '/check')).toContain('"approved":false');
    expect(outputOf('docs/verify.md', 'disclosure verify')).toMatch(/pass {2}proofs/);
    expect(outputOf('docs/verify.md', 'relay verify')).toMatch(/pass {2}package/);
    expect(outputOf('docs/verify.md', 'log verify')).toMatch(/pass {2}complete[^]*pass {2}since/);
  });

  it('are all pasted: no document has commands that no test runs', async () => {
    const documents = (await readdir(path.join(ROOT, 'docs'))).filter((name) => name.endsWith('.md'));
    const withCommands: string[] = [];
    for (const name of documents) {
      if ((await commandsOf(`docs/${name}`)).length > 0) withCommands.push(`docs/${name}`);
    }
    expect(withCommands).toEqual([...WITH_DEMO, ...ON_POSTGRESQL].toSorted());
  });
});

describeOnPostgresql('the commands for operators', () => {
  it('set up a gateway, back it up, and restore it', async () => {
    await using database = await createTestDatabase();
    await using directory = await temporaryDirectory();
    const url = database.url!;
    const restored = `${url}_restored`;
    const blocks = (await commandsOf('docs/operate.md')).map((block) =>
      block
        .replaceAll('postgres://lucarne@db.example/lucarne_restored', restored)
        .replaceAll('postgres://lucarne@db.example/lucarne', url)
        .replaceAll('lucarne_restored', path.basename(restored))
        .replaceAll('npx lucarne', `node ${path.join(ROOT, 'bin/lucarne.mjs')}`),
    );
    try {
      const { output, ended } = await paste(blocks, { LUCARNE_DATA_DIR: directory.path }, directory.path);
      expect(ended).toMatchObject({ exitCode: 0 });
      expect(output[1]).toMatch(/^lck_/m);
      expect(output.at(-1)).toMatch(/The database is up to date\.\nkey_\w+ {2}lck_\S+ {2}active/);
    } finally {
      const drop = `drop database if exists ${path.basename(restored)}`;
      await paste([`psql --quiet '${url}' --command '${drop}'`], {});
    }
  }, 480_000);

  it('leave no data key that an earlier master key ever wrapped, when backups are made unreadable', async () => {
    await using database = await createTestDatabase();
    await using directory = await temporaryDirectory();
    const url = database.url!;
    const settle = `psql --quiet '${url}' --command "update data_keys set usable_at = usable_at - interval '5 minutes'"`;
    const setUp = (await commandsOf('docs/operate.md')).slice(0, 2);
    const rounds = await longCommandsOf('docs/operate.md', 'Make backups unreadable');
    const blocks = [...setUp, ...rounds].map((block) =>
      block
        .replaceAll('postgres://lucarne@db.example/lucarne', url)
        .replaceAll('sleep 60', settle)
        .replaceAll('npx lucarne', `node ${path.join(ROOT, 'bin/lucarne.mjs')}`),
    );
    const { ended } = await paste(blocks, { LUCARNE_DATA_DIR: directory.path }, directory.path);
    expect(ended).toMatchObject({ exitCode: 0, errors: expect.not.stringContaining('is not retired') });
    const { masterKeys, dataKeys } = await keyStatus(database);
    expect(masterKeys.map(({ retiredAt }) => retiredAt !== null)).toEqual([true, true, false]);
    const left = dataKeys.filter(({ purpose, destroyedAt }) => purpose !== DIGESTS && !destroyedAt);
    expect(new Set(left.map(({ firstMasterVersion }) => firstMasterVersion))).toEqual(new Set([3]));
  }, 480_000);
});

describe('the settings', () => {
  const textOf = (file: string) => readFile(path.join(ROOT, file), 'utf8');
  const settings = VARIABLES.toSorted();

  it('are all described in the table, and no others', async () => {
    const rows = [...(await textOf('docs/configuration.md')).matchAll(/^\| `([A-Z0-9_]+)`/gm)].map(
      ([, name]) => name,
    );
    expect(rows.toSorted()).toEqual(settings);
  });

  it('all reach the containers of docker-compose.yml', async () => {
    // Set by the image, or of no use in a container.
    const elsewhere = ['LUCARNE_HOST', 'LUCARNE_PORT', 'LUCARNE_DATA_DIR', 'NODE_ENV'];
    elsewhere.push('LUCARNE_DEMO', 'LUCARNE_DEMO_DATA', 'GOOGLE_SDK_NODE_LOGGING');
    // The file has one PostgreSQL.
    elsewhere.push('DATABASE_REPLICA_URLS', 'LUCARNE_REPLICA_MAX_LAG_MS');
    // The key comes as a file.
    elsewhere.push('LUCARNE_MASTER_KEY');
    const compose = await textOf('docker-compose.yml');
    const passed = [...compose.matchAll(/^ {4}([A-Z0-9_]+): /gm)].map(([, name = '']) => name);
    expect([...new Set([...passed, ...elsewhere])].toSorted()).toEqual(settings);
  });
});
