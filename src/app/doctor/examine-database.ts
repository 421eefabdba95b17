import {
  examineKept,
  examineLog,
  examinePersonalValues,
  logsOf,
  longestWait,
} from '../../domain/activity-log/index.js';
import type { Examined, ExaminationOptions } from '../../edge/cli/index.js';
import {
  type Database,
  examineReplica,
  excessivePrivileges,
  missingPrivileges,
  sql,
} from '../../platform/database/index.js';
import type { Configuration } from '../configuration/index.js';
import { tableNames } from '../storage/entities.js';
import { examineKeys, examineKeySetting, examineSealedValues } from './examine-keys.js';

const WARN_CLOCK_MS = 1_000;
const FAIL_CLOCK_MS = 30_000;
const MAX_WAIT_SECONDS = 10;
const MIN_REPLICA_WAIT_MS = 5_000;

/** All findings that only need the database. */
export async function examineDatabase(
  database: Database,
  configuration: Configuration,
  { checkpoints }: ExaminationOptions,
): Promise<readonly Examined[]> {
  const begun = Date.now();
  // Raw: the clock of the server is in no table.
  const [row] = await database.rows(sql<{ now: Date }>`select clock_timestamp() as now`);
  const clock = examineClock(row!.now.getTime() - (begun + Date.now()) / 2);
  const missing = await missingPrivileges(database, tableNames);
  const found: Examined[] = [
    { check: 'database', result: 'ok', detail: `${database.engine} answers.` },
    clock,
    await examineRole(database, configuration, missing),
    ...(await examineReplicas(database, configuration)),
  ];
  // Without the privilege to read, all other checks fail for the same reason.
  if (missing.length > 0) return found;
  const setting = await examineKeySetting(configuration);
  const pending = await database.pendingMigrations();
  if (pending.length > 0) {
    const detail = `${pending.length} migrations are pending, starting with ${pending[0]}. Run: lucarne migrate`;
    return [...found, { check: 'migrations', result: 'failed', detail }, ...setting];
  }
  found.push({ check: 'migrations', result: 'ok', detail: 'All migrations are applied.' });
  found.push(...(setting.length > 0 ? setting : await examineKeys(database, configuration)));
  found.push(...(await examineSealedValues(database)));
  found.push(...(await examineLogs(database, checkpoints)));
  return found;
}

/** Checks that each replica is in recovery, belongs to this database, and follows it. */
async function examineReplicas(
  database: Database,
  { databaseReplicaUrls, replicaMaxLagMs }: Configuration,
): Promise<readonly Examined[]> {
  // Opening the first connection takes longer than a read may wait.
  const maxLagMs = Math.max(replicaMaxLagMs, MIN_REPLICA_WAIT_MS);
  return Promise.all(
    databaseReplicaUrls.map(async (url): Promise<Examined> => {
      const check = 'replica';
      const examined = await examineReplica(database, url, { maxLagMs });
      if ('problem' in examined)
        return {
          check,
          result: 'warning',
          detail: `The gateway does not read from ${examined.name}: the primary answers instead. ${examined.problem}`,
        };
      return { check, result: 'ok', detail: `${examined.name} follows the primary.` };
    }),
  );
}

function examineClock(differenceMs: number): Examined {
  const off = Math.abs(differenceMs);
  const text = `${(off / 1_000).toFixed(1)} s ${differenceMs < 0 ? 'fast' : 'slow'}, compared with the clock of the database`;
  const check = 'clock';
  if (off < WARN_CLOCK_MS)
    return { check, result: 'ok', detail: 'The clocks of this machine and of the database agree.' };
  return {
    check,
    result: off < FAIL_CLOCK_MS ? 'warning' : 'failed',
    detail: `The clock of this machine is ${text}. Synchronize both with NTP.`,
  };
}

async function examineRole(
  database: Database,
  { production, serveAsOwner }: Configuration,
  missing: readonly string[],
): Promise<Examined> {
  const check = 'database role';
  if (database.engine !== 'postgresql')
    return { check, result: 'ok', detail: 'The embedded database has only one user.' };
  const grant = 'Run “lucarne migrate --serve-as ROLE” as the owner of the tables';
  if (missing.length > 0)
    return {
      check,
      result: 'failed',
      detail: `The role cannot ${missing.join(', or ')}, which serving needs. ${grant}.`,
    };
  const excessive = await excessivePrivileges(database);
  if (excessive.length === 0)
    return { check, result: 'ok', detail: 'The role has the privileges that serving needs, and no others.' };
  return {
    check,
    result: production && !serveAsOwner ? 'failed' : 'warning',
    detail: `The role has more privileges than serving needs: ${excessive.join(', ')}. ${grant}, and serve as that role.`,
  };
}

async function examineLogs(
  database: Database,
  checkpoints: ReadonlyMap<string, string>,
): Promise<readonly Examined[]> {
  const check = 'activity log';
  const found: Examined[] = [];
  const logs = await logsOf(database);
  for (const { organizationId, origin } of logs) {
    const problem = await examineLog(database, organizationId);
    if (problem !== undefined)
      found.push({
        check,
        result: 'failed',
        detail: `${origin}: ${problem} The gateway signs nothing more in this log. Do not change the database, and compare it with a backup.`,
      });
    const falsified = await examinePersonalValues(database, organizationId);
    if (falsified !== undefined)
      found.push({
        check,
        result: 'failed',
        detail: `${origin}: ${falsified} Someone changed the database: compare it with a backup.`,
      });
  }
  if (found.length === 0)
    found.push({ check, result: 'ok', detail: `${logs.length} logs match their last checkpoints.` });
  const waited = Math.floor(await longestWait(database));
  if (waited > MAX_WAIT_SECONDS)
    found.push({
      check,
      result: 'warning',
      detail: `The oldest entry without an index has waited ${waited} s. Start a gateway, and search its log for “Log sequencing failed”.`,
    });
  for (const [file, note] of checkpoints) {
    const problem = await examineKept(database, note);
    found.push(
      problem === undefined
        ? { check: 'checkpoint', result: 'ok', detail: `The stored log continues ${file}.` }
        : { check: 'checkpoint', result: 'failed', detail: `${file}: ${problem}` },
    );
  }
  return found;
}
