import path from 'node:path';
import { sqlStateOf } from '../platform/database/index.js';
import { ConfigurationError } from '../platform/kernel/configuration-error.js';
import { messageOf } from '../platform/kernel/errors.js';
import type { Configuration } from './configuration/index.js';
import { DataDirectoryInUse } from './storage/data-directory-lock.js';
import { WrongMasterKey } from '../platform/keys/index.js';

type SystemError = NodeJS.ErrnoException & { readonly port?: number };

const NO_ADDRESS_HERE = new Set(['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN']);

/** For a failure that a person can repair, a sentence that says how. `undefined` for any other. */
export function startFailure(thrown: unknown, configuration?: Configuration): string | undefined {
  const isTold =
    thrown instanceof ConfigurationError ||
    thrown instanceof DataDirectoryInUse ||
    thrown instanceof WrongMasterKey;
  if (isTold) return messageOf(thrown);
  const found = systemErrorOf(thrown);
  if (found === undefined) return databaseFailure(thrown, configuration);
  if (found.syscall === 'listen' || found.syscall === 'getaddrinfo')
    return listenFailure(found, configuration);
  return fileFailure(found, configuration);
}

function systemErrorOf(thrown: unknown): SystemError | undefined {
  const { code, syscall } = thrown as Partial<SystemError>;
  return typeof code === 'string' && typeof syscall === 'string' ? (thrown as SystemError) : undefined;
}

function listenFailure({ code, port }: SystemError, configuration?: Configuration): string | undefined {
  if (code === 'EADDRINUSE') {
    return port === configuration?.port
      ? `Port ${port} is in use by another program. Set LUCARNE_PORT to a free port.`
      : `Port ${port} is in use by another program. The embedded ledger needs it, because it uses the port after ` +
          'LUCARNE_PORT. Set LUCARNE_PORT to a port that is free together with the next one.';
  }
  if (code === 'EACCES')
    return `Port ${port} needs privileges that this user does not have. Set LUCARNE_PORT to 1024 or above.`;
  return code !== undefined && NO_ADDRESS_HERE.has(code)
    ? 'LUCARNE_HOST is not an address of this machine. Set it to one, such as 127.0.0.1.'
    : undefined;
}

const FILE_FAILURES: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOTDIR: 'a part of the path is not a directory',
  EISDIR: 'it is a directory',
  EEXIST: 'it is not a directory',
};

function fileFailure(
  { code = '', path: file }: SystemError,
  configuration?: Configuration,
): string | undefined {
  const problem = FILE_FAILURES[code];
  if (problem === undefined || file === undefined) return undefined;
  const directory = configuration?.dataDirectory;
  const isInside = directory !== undefined && !path.relative(directory, file).startsWith('..');
  return (
    `${file} cannot be used: ${problem}. Let the user that runs Lucarne read and write it` +
    (isInside ? ', or set LUCARNE_DATA_DIR to another directory.' : '.')
  );
}

/** The SQLSTATEs of PostgreSQL for failures that only an administrator of the database can repair. */
function databaseFailure(thrown: unknown, configuration?: Configuration): string | undefined {
  const { databaseUrl } = configuration ?? {};
  if (databaseUrl === undefined) return undefined;
  const { pathname, username } = new URL(databaseUrl);
  const database = decodeURIComponent(pathname.slice(1));
  const role = decodeURIComponent(username);
  switch (sqlStateOf(thrown) ?? '') {
    case '3D000':
      return `The database “${database}” does not exist. Create it, or correct DATABASE_URL.`;
    case '28000':
    case '28P01':
      return `The database refuses the user “${role}”. Correct the user and the password in DATABASE_URL.`;
    case '42501':
      return `The database role “${role}” lacks a privilege: ${messageOf(thrown)}. Run “lucarne migrate” as the owner of the tables; see docs/operate.md.`;
    default:
      return undefined;
  }
}
