// Runs once before all tests: compiles the product, which tests load, and creates a migrated database to copy for each test.
import 'reflect-metadata';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm, statfs, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { MemoryFS } from '@electric-sql/pglite';
import pg from 'pg';

/** As in `database.ts`, which this file cannot import, because it is TypeScript. */
const SERVING_ROLE = 'lucarne_test_serve';

const root = path.resolve(import.meta.dirname, '../..');

const MEMORY_DIRECTORY = '/dev/shm';
const MIN_FREE_BYTES = 8 * 2 ** 30;

/**
 * Places temporary files in memory, if there is plenty: the tests create hundreds of thousands of files, and a disk takes more
 * CPU time for each. Returns the directory.
 */
async function placeTemporaryFiles() {
  const free = await statfs(MEMORY_DIRECTORY).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  if (Math.min(free, process.availableMemory()) < MIN_FREE_BYTES) return undefined;
  // A run that was killed removed nothing.
  for (const name of await readdir(MEMORY_DIRECTORY)) {
    const [, processId] = /^lucarne-tests-(\d+)$/.exec(name) ?? [];
    if (processId !== undefined && !existsSync(`/proc/${processId}`))
      await rm(path.join(MEMORY_DIRECTORY, name), { recursive: true, force: true });
  }
  const directory = path.join(MEMORY_DIRECTORY, `lucarne-tests-${process.pid}`);
  await mkdir(directory);
  // Like /tmp: some tests start processes of other users.
  await chmod(directory, 0o1777);
  process.env.TMPDIR = directory;
  return directory;
}

/** SoftHSM2 reads the directory of its tokens from the environment, once. */
async function placeTokens() {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'lucarne-hsm-'));
  await mkdir(path.join(directory, 'tokens'));
  process.env.SOFTHSM2_CONF = path.join(directory, 'softhsm2.conf');
  const lines = [
    `directories.tokendir = ${directory}/tokens`,
    'objectstore.backend = file',
    'log.level = ERROR',
  ];
  await writeFile(process.env.SOFTHSM2_CONF, `${lines.join('\n')}\n`);
  return directory;
}

/** Keeps the files of a database in memory when it is closed: a database that was shut down opens without a recovery. */
class KeptFiles extends MemoryFS {
  archive;

  async closeFs() {
    this.archive = await this.dumpTar('template', 'none');
    await super.closeFs();
  }

  async extract(directory) {
    await mkdir(directory);
    // GNU tar says on standard error that it removes the leading `/` of names.
    execFileSync('tar', ['--extract', '--directory', directory], {
      input: Buffer.from(await this.archive.arrayBuffer()),
      stdio: 'pipe',
    });
  }
}

export default async function setUp() {
  globalThis.temporaryFilesToRemove = await placeTemporaryFiles();
  globalThis.tokensToRemove = await placeTokens();
  // Many tests start processes that load the same modules.
  process.env.NODE_COMPILE_CACHE = path.join(root, 'node_modules/.cache/node-compile-cache');
  execFileSync(process.execPath, [path.join(root, 'scripts/build.mjs')], { stdio: 'inherit' });
  const { connectDatabase, grantServing } = await import(
    path.join(root, 'dist/src/platform/database/index.js')
  );
  const { openPglite } = await import(path.join(root, 'dist/src/platform/database/embedded/open-pglite.js'));
  const { entities } = await import(path.join(root, 'dist/src/app/storage/entities.js'));

  const serverUrl = process.env.DATABASE_URL;
  if (serverUrl === undefined) {
    const directory = await mkdtemp(path.join(os.tmpdir(), 'lucarne-template-'));
    globalThis.templateToRemove = { directory };
    process.env.LUCARNE_TEST_EMBEDDED_TEMPLATES = directory;
    // Many test files copy it. Small segments and buffers, and no other databases, make a copy small.
    const empty = new KeptFiles();
    const pglite = await openPglite(undefined, {
      fs: empty,
      initDbStartParams: ['--wal-segsize=1'],
      postgresqlconf: ['shared_buffers = 8MB', 'min_wal_size = 2MB'],
    });
    await pglite.query('update pg_database set datistemplate = false');
    for (const unused of ['template0', 'template1']) await pglite.query(`drop database ${unused}`);
    await pglite.close();
    await empty.extract(path.join(directory, 'empty'));
    const migrated = new KeptFiles();
    const embedded = await openPglite(undefined, { fs: migrated, loadDataDir: empty.archive });
    const database = await connectDatabase({ entities, target: { embedded } });
    await database.migrate();
    await database[Symbol.asyncDispose]();
    await embedded.close();
    await migrated.extract(path.join(directory, 'migrated'));
    return;
  }

  const name = `lucarne_template_${process.pid}`;
  const server = new pg.Client({ connectionString: serverUrl });
  await server.connect();
  await server.query(`drop database if exists ${name} with (force)`);
  await server.query(`create database ${name}`);
  // Roles belong to the whole server, so another run may create it at the same time.
  await server.query(`create role ${SERVING_ROLE} login`).catch((error) => {
    if (!['42710', '23505'].includes(error.code)) throw error;
  });
  // The tests change only the user of DATABASE_URL.
  const { password } = new URL(serverUrl);
  if (password)
    await server.query(
      `alter role ${SERVING_ROLE} password ${pg.escapeLiteral(decodeURIComponent(password))}`,
    );
  await server.end();
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const database = await connectDatabase({ entities, target: { url: url.href } });
  await database.migrate();
  await database.transaction((transaction) => grantServing(transaction, SERVING_ROLE));
  await database[Symbol.asyncDispose]();
  process.env.LUCARNE_TEST_TEMPLATE = name;
  globalThis.templateToRemove = { serverUrl, name };
}
