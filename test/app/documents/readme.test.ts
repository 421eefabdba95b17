import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { readConfiguration, VARIABLES } from '../../../src/app/configuration/index.js';
import { ROOT, startGateway, temporaryDirectory } from '../gateway-process.js';
import { commandsOf, paste } from './pasted-commands.js';

const TIMEOUT_MS = 800_000;

/** Documents whose commands need the gateway with its demo, in the order in which they run. */
const WITH_DEMO = ['docs/concepts.md', 'docs/relaying.md', 'docs/screening.md', 'docs/verify.md'];
/** Documents whose commands set up a gateway on PostgreSQL: `operate-document.test.ts`. */
const ON_POSTGRESQL = ['docs/operate.md'];

describe('the commands of the documents', () => {
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
  let gateway: Awaited<ReturnType<typeof startGateway>>;
  /** The output of each block, by document. */
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

  it.each(['README.md', ...WITH_DEMO])('of %s end what they print with a line end', (file) => {
    const unended = printed.get(file)!.filter(({ output }) => !/^$|\n$/.test(output));
    expect(unended).toEqual([]);
  });

  describe('of the README', () => {
    const README = 'README.md';

    it('run the demo, and all its checks pass', () => {
      expect(outputOf(README, 'npx lucarne demo\n')).toContain('Every check passed');
    });

    it('register an asset, which is pending until it has a mint', () => {
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

  it('work as documented in the other documents', () => {
    expect(outputOf('docs/relaying.md', 'demo-relay.json')).toContain('"status":"succeeded"');
    expect(outputOf('docs/screening.md', '/check')).toContain('"approved":false');
    expect(outputOf('docs/verify.md', 'disclosure verify')).toMatch(/pass {2}proofs/);
    expect(outputOf('docs/verify.md', 'relay verify')).toMatch(/pass {2}package/);
    expect(outputOf('docs/verify.md', 'log verify')).toMatch(/pass {2}complete[^]*pass {2}since/);
  });

  it('are all run: no document has commands that no test runs', async () => {
    const documents = (await readdir(path.join(ROOT, 'docs'))).filter((name) => name.endsWith('.md'));
    const withCommands: string[] = [];
    for (const name of documents) {
      if ((await commandsOf(`docs/${name}`)).length > 0) withCommands.push(`docs/${name}`);
    }
    expect(withCommands).toEqual([...WITH_DEMO, ...ON_POSTGRESQL].toSorted());
  });
});

describe('the settings', () => {
  const textOf = (file: string) => readFile(path.join(ROOT, file), 'utf8');
  const settings = VARIABLES.toSorted();

  it('are all in the table of the documents, which contains no others', async () => {
    const rows = [...(await textOf('docs/configuration.md')).matchAll(/^\| `([A-Z0-9_]+)`/gm)].map(
      ([, name]) => name,
    );
    expect(rows.toSorted()).toEqual(settings);
  });

  it('accept their documented defaults', async () => {
    const text = await textOf('docs/configuration.md');
    const numbers = [...text.matchAll(/^\| `([A-Z0-9_]+)` *\| `(\d+)` *\|/gm)];
    expect(numbers.length).toBeGreaterThan(10);
    const defaults = Object.fromEntries(
      numbers.map(([, name = '', value]): [string, string | undefined] => [name, value]),
    );
    expect(await readConfiguration(defaults)).toEqual(await readConfiguration({}));
  });

  it('are all passed to the containers by docker-compose.yml', async () => {
    // The image sets them, or they have no use in a container.
    const elsewhere = ['LUCARNE_HOST', 'LUCARNE_PORT', 'LUCARNE_DATA_DIR', 'NODE_ENV'];
    elsewhere.push('LUCARNE_DEMO', 'LUCARNE_DEMO_DATA', 'GOOGLE_SDK_NODE_LOGGING');
    // The file has one PostgreSQL server.
    elsewhere.push('DATABASE_REPLICA_URLS', 'LUCARNE_REPLICA_MAX_LAG_MS');
    // The key is in a file.
    elsewhere.push('LUCARNE_MASTER_KEY');
    const compose = await textOf('docker-compose.yml');
    const passed = [...compose.matchAll(/^ {4}([A-Z0-9_]+): /gm)].map(([, name = '']) => name);
    expect([...new Set([...passed, ...elsewhere])].toSorted()).toEqual(settings);
  });
});
