import { rm } from 'node:fs/promises';
import pg from 'pg';

export default async function tearDown() {
  await rm(globalThis.tokensToRemove, { recursive: true, force: true });
  const { directory, serverUrl, name } = globalThis.templateToRemove ?? {};
  if (directory) await rm(directory, { recursive: true, force: true });
  if (serverUrl) {
    const server = new pg.Client({ connectionString: serverUrl });
    await server.connect();
    await server.query(`drop database if exists ${name} with (force)`);
    await server.end();
  }
  const { temporaryFilesToRemove } = globalThis;
  if (temporaryFilesToRemove) await rm(temporaryFilesToRemove, { recursive: true, force: true });
}
