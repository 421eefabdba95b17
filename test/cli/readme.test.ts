import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import {
  bareEnvironment,
  ROOT,
  RunningCommand,
  startGateway,
  temporaryDirectory,
  type Ended,
  type Environment,
} from './gateway-process.js';

const PATIENCE = 120_000;

/** The shell blocks of the README's tour, in order. */
async function tourBlocks(): Promise<readonly string[]> {
  const readme = await readFile(path.join(ROOT, 'README.md'), 'utf8');
  const [, tour = ''] = /^## A tour\n([^]*?)^## /m.exec(readme) ?? [];
  return [...tour.matchAll(/^```bash\n([^]*?)^```$/gm)].map(([, block = '']) => block);
}

/** Runs blocks in one shell, as they are pasted, each behind a line with its number; the first failure ends it. */
async function paste(blocks: readonly string[], environment: Environment): Promise<Ended> {
  const script = blocks.map((block, index) => `echo '${marker(index)}'\n${block}`).join('\n');
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: ROOT,
    env: { ...bareEnvironment(), ...environment },
    stdio: 'pipe',
  });
  return new RunningCommand(shell, '').ended;
}

const marker = (index: number) => `=== block ${index}`;

describe('the tour of the README', () => {
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
  let gateway: Awaited<ReturnType<typeof startGateway>>;
  let said: readonly string[];
  const after = (command: string) => {
    const index = blocks.findIndex((block) => block.includes(command));
    return said[index] ?? `No block has ${command}.`;
  };
  let blocks: readonly string[];

  beforeAll(async () => {
    blocks = await tourBlocks();
    directory = await temporaryDirectory();
    gateway = await startGateway({ LUCARNE_DATA_DIR: directory.path });
    const { exitCode, output, errors } = await paste(blocks, {
      LUCARNE: gateway.url,
      LUCARNE_DATA_DIR: directory.path,
    });
    if (exitCode !== 0) throw new Error(`The tour ended with ${exitCode} and said:\n${output}${errors}`);
    said = output.split(/^=== block \d+\n/m).slice(1);
  }, PATIENCE);

  afterAll(async () => {
    await gateway[Symbol.asyncDispose]();
    await directory[Symbol.asyncDispose]();
  });

  it('finds the gateway ready and tells the demo’s story', () => {
    expect(after('/readyz')).toContain('"status": "ok"');
    expect(after('lucarne demo')).toContain('All of it holds');
  });

  it('registers an asset that waits for its mint', () => {
    expect(JSON.parse(after('"Confidential Franc"'))).toMatchObject({ symbol: 'CCHF', status: 'pending' });
  });

  it('shows ciphertexts in REST, both assets in GraphQL, and three records in a subscription', () => {
    expect(after('indexer-status')).toMatch(
      /"status": "active"[^]*"type": "confidential_transfer"[^]*"lo": "/,
    );
    expect(after('assets(first: 5)')).toMatch(/"name": "Demo Bank"[^]*"symbol": "CCHF"/);
    expect(after('graphql-ws').match(/^added/gm)).toHaveLength(3);
  });

  it('requests a disclosure, has it decided, and reads the amount with its proof', () => {
    expect(after('DISCLOSURE=$(')).toBe('pending\n');
    expect(after('decideDisclosure')).toMatch(/"status": "available"[^]*"decision": "authorize"/);
    expect(after('> "$LUCARNE_DATA_DIR/disclosure.json"')).toMatch(
      /"proof": "[^]*"amount": "1250500000"[^]*pass {2}proofs/,
    );
  });

  it('checks an address that nobody has listed', () => {
    expect(after('$LUCARNE/check')).toContain('"reason": "not_approved"');
  });

  it('opens a case, shows its amounts without senders, and stores a report of it', () => {
    expect(after('case(application:')).toMatch(
      /"amount": "1250500000"[^]*"sourceAccount": null[^]*"sourceAccount"/,
    );
    expect(after('$REPORT/download')).toMatch(/^digest: sha-256=\S{44}/im);
  });

  it('exports the log, all of whose entries verify', () => {
    expect(after('lucarne log verify')).toMatch(/pass {2}proofs[^]*pass {2}complete/);
  });

  it('refuses the copy that was changed, and another organization', () => {
    const refused = after('tampered.json');
    expect(refused).toMatch(/FAIL {2}proofs[^]*Refused, as it must be\./);
    expect(refused).toContain('"statusCode": 404');
  });
});

describe('the configuration of the README', () => {
  it('has a row for each variable that is read, and for no other', async () => {
    const source = await readFile(path.join(ROOT, 'src/config.ts'), 'utf8');
    const read = new Set([...source.matchAll(/read(?:\(|, )'([A-Z_]+)'/g)].map(([, name]) => name));
    const readme = await readFile(path.join(ROOT, 'README.md'), 'utf8');
    const [, section = ''] = /^## Configuration\n([^]*?)^## /m.exec(readme) ?? [];
    const rows = [...section.matchAll(/^\| `([A-Z_]+)`/gm)].map(([, name]) => name);
    expect(rows.toSorted()).toEqual([...read].toSorted());
  });
});
