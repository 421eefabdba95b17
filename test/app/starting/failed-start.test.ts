import { describe, it } from '@jest/globals';
import { chmod, chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { listen } from '../../kit/process/local-server.js';
import { dataDirectory, run, startGateway, temporaryDirectory } from '../gateway-process.js';
import { isOneSentence, QUIET } from './one-sentence.js';

const NOBODY = 65_534;

/** Takes a port. With `next is free`, takes one whose next port is free. */
async function takePort(next: 'next is free' | 'any'): Promise<AsyncDisposable & { readonly port: number }> {
  for (;;) {
    const server = createServer();
    const port = await listen(server);
    const taken = {
      port,
      [Symbol.asyncDispose]: () =>
        new Promise<void>((resolve) => {
          server.close(() => resolve());
        }),
    };
    if (next === 'any' || (port < 65_535 && (await isFree(port + 1)))) return taken;
    await taken[Symbol.asyncDispose]();
  }
}

async function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

describe('a start that fails because of the environment', () => {
  it('explains the fix in one sentence when the gateway’s port or the embedded ledger’s port is taken', async () => {
    await using directory = await dataDirectory();
    const environment = { ...QUIET, LUCARNE_DATA_DIR: directory.path };
    await using taken = await takePort('next is free');
    isOneSentence(
      await run(['serve'], { ...environment, LUCARNE_PORT: String(taken.port) }),
      new RegExp(`^Port ${taken.port} is in use by another program\\. Set LUCARNE_PORT to a free port\\.`),
    );
    isOneSentence(
      await run(['serve'], { ...environment, LUCARNE_PORT: String(taken.port - 1) }),
      new RegExp(
        `^Port ${taken.port} is in use .* The embedded ledger needs it, because it uses the port after LUCARNE_PORT`,
      ),
    );
  });

  it('explains the fix in one sentence when the data directory is a file, or is inside a file', async () => {
    await using directory = await temporaryDirectory();
    const file = path.join(directory.path, 'file');
    await writeFile(file, '');
    for (const place of [file, path.join(file, 'data')]) {
      isOneSentence(
        await run(['serve'], { ...QUIET, LUCARNE_DATA_DIR: place }),
        new RegExp(`^${file}\\S* cannot be used: .*(, or set LUCARNE_DATA_DIR to another directory)\\.\n$`),
      );
    }
  });

  it('explains the fix in one sentence when the data directory or its database belongs to another user', async () => {
    await using directory = await temporaryDirectory();
    const isRoot = process.getuid?.() === 0;
    const data = path.join(directory.path, 'data');
    await mkdir(path.join(data, 'database'), { recursive: true });
    await chmod(directory.path, 0o755);
    const user = isRoot ? { uid: NOBODY } : {};
    const denied = /^\S+ cannot be used: permission denied\. .*LUCARNE_DATA_DIR to another directory\.\n$/;
    await chmod(data, 0o000);
    isOneSentence(await run(['serve'], { ...QUIET, LUCARNE_DATA_DIR: data }, '', user), denied);
    if (isRoot) await chown(data, NOBODY, NOBODY);
    await chmod(data, 0o700);
    await chmod(path.join(data, 'database'), 0o000);
    isOneSentence(await run(['serve'], { ...QUIET, LUCARNE_DATA_DIR: data }, '', user), denied);
    isOneSentence(await run(['migrate'], { LUCARNE_DATA_DIR: data }, '', user), denied);
  });

  it('explains the fix in one sentence when demo.json, the only copy of the demo’s passwords, is not a file or is damaged', async () => {
    await using directory = await dataDirectory();
    const environment = { ...QUIET, LUCARNE_DATA_DIR: directory.path };
    const file = path.join(directory.path, 'demo.json');
    await using gateway = await startGateway({ LUCARNE_DATA_DIR: directory.path });
    await gateway.kill('SIGTERM');
    const whole = await readFile(file, 'utf8');
    await writeFile(file, whole.slice(0, 100));
    isOneSentence(
      await run(['serve'], environment),
      new RegExp(`^${file} is not a valid demo\\.json\\. Restore it`),
    );
    const elsewhere = path.join(directory.path, 'folder');
    await mkdir(elsewhere);
    isOneSentence(await run(['demo', '--file', elsewhere], environment), /folder cannot be read \(EISDIR\)/);
  });
});
