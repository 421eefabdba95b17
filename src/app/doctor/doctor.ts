import 'reflect-metadata';
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { CommandFailed, type Examined, type ExaminationOptions } from '../../edge/cli/index.js';
import { DataDirectoryInUse } from '../storage/data-directory-lock.js';
import { isUnavailable, messageOf } from '../../platform/kernel/errors.js';
import { type Configuration, readConfiguration } from '../configuration/index.js';
import { withDatabase } from '../open-foundation.js';
import { examineDatabase } from './examine-database.js';
import { examineProviders } from './examine-providers.js';
import { examineRelayerKeys } from './examine-relayer-key.js';
import { failed } from './failed-check.js';

const HOUR_MS = 3_600_000;

/** Examines everything that serving needs, without changes. Reports what could not be examined. */
export async function examine(options: ExaminationOptions): Promise<readonly Examined[]> {
  let configuration: Configuration;
  try {
    configuration = await readConfiguration();
  } catch (thrown) {
    return [failed('configuration', thrown)];
  }
  const roles = [...configuration.roles].join(', ');
  return [
    {
      check: 'configuration',
      result: 'ok',
      detail: `The configuration is valid. The roles of this process are ${roles}.`,
    },
    ...(await guarded('database', () => examineStored(configuration, options), configuration)),
    ...(await guarded('providers', () => examineProviders(configuration))),
    ...(await guarded('relayer key', () => examineRelayerKeys(configuration), configuration)),
    await examineBackup(options),
  ];
}

async function examineStored(
  { databaseUrl, dataDirectory, masterKey }: Configuration,
  options: ExaminationOptions,
): Promise<readonly Examined[]> {
  // Opening the embedded database would create it and a master key if they do not exist.
  if (databaseUrl === undefined && !existsSync(path.join(dataDirectory, 'database')))
    return [
      {
        check: 'database',
        result: 'warning',
        detail: `There is no database in ${dataDirectory} yet: no gateway has started on it.`,
      },
    ];
  const keyFile = path.join(dataDirectory, 'master.key');
  if (databaseUrl === undefined && masterKey === undefined && !existsSync(keyFile))
    return [
      {
        check: 'master key',
        result: 'failed',
        detail: `${keyFile} is missing. Without it, nothing in the database can be decrypted. Restore it before you start a gateway: a start would create a new key.`,
      },
    ];
  const instead = 'The database was not examined: stop the gateway first.';
  try {
    // It reads every sealed value, which takes long.
    return await withDatabase({ instead, isLong: true }, (database, configuration) =>
      examineDatabase(database, configuration, options),
    );
  } catch (thrown) {
    if (isUnavailable(thrown)) {
      const detail = `${thrown.message} Start it, or correct DATABASE_URL.`;
      return [{ check: 'database', result: 'failed', detail }];
    }
    if (!(thrown instanceof CommandFailed && thrown.cause instanceof DataDirectoryInUse)) throw thrown;
    return [{ check: 'database', result: 'warning', detail: thrown.message }];
  }
}

/** An exception makes the check fail, not the command. */
async function guarded(
  check: string,
  run: () => Promise<readonly Examined[]>,
  configuration?: Configuration,
): Promise<readonly Examined[]> {
  try {
    return await run();
  } catch (thrown) {
    return [failed(check, thrown, configuration)];
  }
}

async function examineBackup({ backup, maxBackupAgeHours }: ExaminationOptions): Promise<Examined> {
  const check = 'backup';
  if (backup === undefined)
    return {
      check,
      result: 'warning',
      detail:
        'The age of the newest backup is unknown. Name the backup, or a file that the backup job touches, with --backup FILE.',
    };
  try {
    const { mtimeMs, size } = await stat(backup);
    const hours = Math.floor(Math.max(0, Date.now() - mtimeMs) / HOUR_MS);
    if (hours >= maxBackupAgeHours)
      return {
        check,
        result: 'failed',
        detail: `The newest backup is ${hours} hours old. It must be less than ${maxBackupAgeHours} hours old. Find out why the backup job made no newer one.`,
      };
    return { check, result: 'ok', detail: `The newest backup is ${hours} hours old and has ${size} bytes.` };
  } catch (thrown) {
    return { check, result: 'failed', detail: `${backup} cannot be read: ${messageOf(thrown)}` };
  }
}
