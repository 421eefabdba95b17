import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { appendFile, chown, mkdir, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../process/local-server.js';

const execute = promisify(execFile);
const PROGRAMS = ['initdb', 'pg_ctl', 'pg_basebackup'];

/** Debian's directory of the programs of each version. Elsewhere, they are in the path. */
function findPrograms(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).toSorted().toReversed() : [];
  const directories = [
    ...versions.map((version) => path.join(debian, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(path.delimiter),
  ];
  return directories.find((directory) =>
    PROGRAMS.every((program) => existsSync(path.join(directory, program))),
  );
}

/** The directory of the programs of a PostgreSQL server; `undefined` if there is none. */
export const SERVER_PROGRAMS = findPrograms();

/** A PostgreSQL server for one test, on loopback. */
export interface TestServer extends AsyncDisposable {
  readonly port: number;
  /** The URL of one of its databases for a role. */
  url(role: string, database: string): string;
  /** Kills it, as in a power failure. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Promotes it to a primary. */
  promote(): Promise<void>;
  /** A streaming replica of it, made by `pg_basebackup`. */
  replicate(): Promise<TestServer>;
}

/** The superuser of the servers' databases. */
const SUPERUSER = 'lucarne_test';

/** A new database cluster, with one superuser. */
export async function startPrimary(): Promise<TestServer> {
  const { directory, remove } = await makeDirectory();
  await program('initdb', [
    ...['--pgdata', directory, '--username', SUPERUSER, '--auth', 'trust'],
    ...['--encoding', 'UTF8', '--locale', 'C.UTF-8', '--no-sync'],
  ]);
  return startServer(directory, remove);
}

async function startServer(directory: string, remove: () => Promise<void>): Promise<TestServer> {
  const port = await freePort();
  await appendFile(
    path.join(directory, 'postgresql.auto.conf'),
    [
      `port = ${port}`,
      "listen_addresses = '127.0.0.1'",
      "unix_socket_directories = ''",
      'shared_buffers = 16MB',
      'max_connections = 60',
      "wal_retrieve_retry_interval = '100ms'",
      '',
    ].join('\n'),
  );
  const control = (...parameters: string[]) =>
    program('pg_ctl', ['--pgdata', directory, '--log', path.join(directory, 'log'), '--wait', ...parameters]);
  const start = () => control('start');
  await start();
  return {
    port,
    url: (role, database) => `postgres://${role}@127.0.0.1:${port}/${database}`,
    kill: () => control('stop', '--mode', 'immediate'),
    start,
    promote: () => control('promote'),
    async replicate() {
      const copy = await makeDirectory();
      await program('pg_basebackup', [
        ...['--pgdata', copy.directory, '--write-recovery-conf', '--checkpoint', 'fast', '--no-sync'],
        ...['--dbname', `postgres://${SUPERUSER}@127.0.0.1:${port}/postgres`],
      ]);
      return startServer(copy.directory, copy.remove);
    },
    async [Symbol.asyncDispose]() {
      if (existsSync(path.join(directory, 'postmaster.pid'))) await control('stop', '--mode', 'immediate');
      await remove();
    },
  };
}

export const superuserUrl = (server: TestServer, database = 'postgres') => server.url(SUPERUSER, database);

/** Removed by the caller. Owned by the user that the servers run as. */
async function makeDirectory() {
  const parent = await mkdtemp(path.join(os.tmpdir(), `lucarne-pg-${randomBytes(3).toString('hex')}-`));
  const directory = path.join(parent, 'data');
  await mkdir(directory, { mode: 0o700 });
  const { uid, gid } = runner();
  if (uid !== undefined) for (const made of [parent, directory]) await chown(made, uid, gid);
  return { directory, remove: () => rm(parent, { recursive: true, force: true, maxRetries: 3 }) };
}

/** An unprivileged user if this process runs as root, because a server does not run as root. */
function runner(): { readonly uid?: number; readonly gid: number } {
  if (process.getuid?.() !== 0) return { gid: 0 };
  const users = readFileSync('/etc/passwd', 'utf8').split('\n');
  const fields = (users.find((line) => line.startsWith('postgres:')) ?? 'nobody::65534:65534').split(':');
  return { uid: Number(fields[2]), gid: Number(fields[3]) };
}

async function program(name: string, parameters: readonly string[]): Promise<void> {
  const { uid, gid } = runner();
  // A server inherits the output and would keep it open.
  await execute(path.join(SERVER_PROGRAMS!, name), parameters, {
    cwd: os.tmpdir(),
    env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' },
    ...(uid === undefined ? {} : { uid, gid }),
  });
}
