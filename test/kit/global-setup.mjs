// Runs once before all tests: builds the worker threads' compiled files, and a migrated database to copy for each test.
import 'reflect-metadata';
import { execFileSync } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';

const root = path.resolve(import.meta.dirname, '../..');

export default async function setUp() {
  execFileSync(process.execPath, [path.join(root, 'scripts/build.mjs')], { stdio: 'inherit' });
  const { connectDatabase, openPglite } = await import(path.join(root, 'dist/database/index.js'));
  const { entities } = await import(path.join(root, 'dist/entities.js'));

  const serverUrl = process.env.DATABASE_URL;
  if (serverUrl === undefined) {
    const directory = await mkdtemp(path.join(os.tmpdir(), 'lucarne-template-'));
    const pglite = await openPglite(path.join(directory, 'database'));
    const database = await connectDatabase({ entities, target: { pglite } });
    await database.migrate();
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
  await server.end();
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const database = await connectDatabase({ entities, target: { url: url.href } });
  await database.migrate();
  await database[Symbol.asyncDispose]();
  process.env.LUCARNE_TEST_TEMPLATE = name;
  globalThis.templateToRemove = { serverUrl, name };
}
