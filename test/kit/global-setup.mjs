// Runs once before all tests: compiles the product, which tests load, and creates a migrated database to copy for each test.
import 'reflect-metadata';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';

/** As in `database.ts`, which this file cannot import, because it is TypeScript. */
const SERVING_ROLE = 'lucarne_test_serve';

const root = path.resolve(import.meta.dirname, '../..');

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

export default async function setUp() {
  globalThis.tokensToRemove = await placeTokens();
  // Many tests start processes that load the same modules.
  process.env.NODE_COMPILE_CACHE = path.join(root, 'node_modules/.cache/node-compile-cache');
  execFileSync(process.execPath, [path.join(root, 'scripts/build.mjs')], { stdio: 'inherit' });
  const { connectDatabase, grantServing } = await import(
    path.join(root, 'dist/src/platform/database/index.js')
  );
  const { typeParsers } = await import(path.join(root, 'dist/src/platform/database/type-parsers.js'));
  const { entities } = await import(path.join(root, 'dist/src/app/storage/entities.js'));

  const serverUrl = process.env.DATABASE_URL;
  if (serverUrl === undefined) {
    const directory = await mkdtemp(path.join(os.tmpdir(), 'lucarne-template-'));
    // Every test file copies it. Small segments and buffers, and no other databases, halve the cost of a copy.
    const pglite = await PGlite.create({
      initDbStartParams: ['--wal-segsize=1'],
      postgresqlconf: ['shared_buffers = 8MB', 'min_wal_size = 2MB'],
      parsers: typeParsers,
    });
    const database = await connectDatabase({ entities, target: { embedded: pglite } });
    await database.migrate();
    await pglite.query('update pg_database set datistemplate = false');
    for (const unused of ['template0', 'template1']) await pglite.query(`drop database ${unused}`);
    await pglite.query('checkpoint');
    const template = path.join(directory, 'template.tar');
    const dump = await pglite.dumpDataDir('none');
    await writeFile(template, Buffer.from(await dump.arrayBuffer()));
    await database[Symbol.asyncDispose]();
    await pglite.close();
    process.env.LUCARNE_TEST_TEMPLATE = template;
    globalThis.templateToRemove = { directory };
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
