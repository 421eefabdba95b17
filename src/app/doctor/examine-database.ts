import {
  examineKept,
  examineLog,
  logsOf,
  longestWait,
  storedCurrentSigner,
} from '../../domain/activity-log/index.js';
import type { Examined, ExaminationOptions } from '../../edge/cli/index.js';
import { verify } from '../../platform/crypto/index.js';
import {
  type Database,
  examineReplica,
  excessivePrivileges,
  missingPrivileges,
  sql,
} from '../../platform/database/index.js';
import { isLucarneError } from '../../platform/kernel/errors.js';
import { silentLog } from '../../platform/kernel/log.js';
import { type Keyring, keyStatus, withSignatures } from '../../platform/keys/index.js';
import type { Configuration } from '../configuration/index.js';
import { signingKeysOf } from '../key-stores.js';
import { openKeyring } from '../storage/open-keyring.js';
import { failed } from './failed-check.js';

const WARN_CLOCK_MS = 1_000;
const FAIL_CLOCK_MS = 30_000;
const MAX_WAIT_SECONDS = 10;
const MIN_REPLICA_WAIT_MS = 5_000;
/** What is sealed in the round trip; it is stored nowhere. */
const CONTEXT = 'signing_keys/lucarne doctor';

/** Everything that the database tells. */
export async function examineDatabase(
  database: Database,
  configuration: Configuration,
  { checkpoints }: ExaminationOptions,
): Promise<readonly Examined[]> {
  const begun = Date.now();
  // Raw: the clock of the server is in no table.
  const [row] = await database.rows(sql<{ now: Date }>`select clock_timestamp() as now`);
  const clock = examineClock(row!.now.getTime() - (begun + Date.now()) / 2);
  const role = await examineRole(database, configuration);
  const found: Examined[] = [
    { check: 'database', result: 'ok', detail: `${database.engine} answers.` },
    clock,
    role,
    ...(await examineReplicas(database, configuration)),
  ];
  // Without the rights to read, everything else fails for the same reason.
  if (role.result === 'failed') return found;
  const pending = await database.pendingMigrations();
  if (pending.length > 0) {
    const detail = `${pending.length} are pending, from ${pending[0]} on. Run: lucarne migrate`;
    return [...found, { check: 'migrations', result: 'failed', detail }];
  }
  found.push({ check: 'migrations', result: 'ok', detail: 'All are applied.' });
  await using keyring = await openKeyring(configuration, { database, log: silentLog });
  const keys = await examineKeys(database, keyring, configuration);
  found.push(...keys);
  const isOpen = keys.every(({ result }) => result === 'ok');
  if (isOpen) found.push(await examineSigningKeys(database, keyring, configuration));
  found.push(...(await examineLogs(database, checkpoints)));
  return found;
}

/** Each replica is one of this database, in recovery, and follows it. */
async function examineReplicas(
  database: Database,
  { databaseReplicaUrls, replicaMaxLagMs }: Configuration,
): Promise<readonly Examined[]> {
  // The first connection to a server takes longer than a read waits for one.
  const maxLagMs = Math.max(replicaMaxLagMs, MIN_REPLICA_WAIT_MS);
  return Promise.all(
    databaseReplicaUrls.map(async (url): Promise<Examined> => {
      const check = 'replica';
      const examined = await examineReplica(database, url, { maxLagMs });
      if ('problem' in examined)
        return {
          check,
          result: 'warning',
          detail: `${examined.name} is not read from: the primary answers for it. ${examined.problem}`,
        };
      return { check, result: 'ok', detail: `${examined.name} follows the primary.` };
    }),
  );
}

function examineClock(differenceMs: number): Examined {
  const off = Math.abs(differenceMs);
  const text = `${(off / 1_000).toFixed(1)} s ${differenceMs < 0 ? 'fast' : 'slow'} by the database’s`;
  const check = 'clock';
  if (off < WARN_CLOCK_MS) return { check, result: 'ok', detail: 'It agrees with the database’s.' };
  return {
    check,
    result: off < FAIL_CLOCK_MS ? 'warning' : 'failed',
    detail: `The clock of this machine is ${text}. Set both by NTP.`,
  };
}

async function examineRole(
  database: Database,
  { production, serveAsOwner }: Configuration,
): Promise<Examined> {
  const check = 'database role';
  if (database.engine !== 'postgresql')
    return { check, result: 'ok', detail: 'The embedded database has one user.' };
  const grant = 'Run “lucarne migrate --serve-as ROLE” as the owner of the tables';
  const missing = await missingPrivileges(database);
  if (missing.length > 0)
    return { check, result: 'failed', detail: `It may not read ${missing.join(', ')}. ${grant}.` };
  const excessive = await excessivePrivileges(database);
  if (excessive.length === 0)
    return { check, result: 'ok', detail: 'It may do what serving needs, and no more.' };
  return {
    check,
    result: production && !serveAsOwner ? 'failed' : 'warning',
    detail: `It may do more than serve: ${excessive.join(', ')}. ${grant}, and serve as that role.`,
  };
}

/** The data keys are unwrapped by the master key, and what is sealed with them opens again. */
async function examineKeys(
  database: Database,
  keyring: Keyring,
  configuration: Configuration,
): Promise<readonly Examined[]> {
  const check = 'master key';
  const { masterKeys, dataKeys } = await keyStatus(database);
  const current = masterKeys.at(-1);
  if (!current)
    return [{ check, result: 'warning', detail: 'The database has none yet: no gateway started on it.' }];
  try {
    await keyring.refresh();
    keyring.sealer.open(keyring.sealer.seal(new Uint8Array(32), CONTEXT), CONTEXT);
  } catch (thrown) {
    return [failed(check, thrown, configuration)];
  }
  const live = dataKeys.filter(({ destroyedAt }) => destroyedAt === null).length;
  const detail = `Version ${current.version} (${current.provider}) opens all ${live} data keys, and what they seal.`;
  return [{ check, result: 'ok', detail }];
}

/** Each organization's key in use signs, and what it signs verifies; and the key that they would rotate to is there. */
async function examineSigningKeys(
  database: Database,
  { sealer }: Keyring,
  configuration: Configuration,
): Promise<Examined> {
  const check = 'signing keys';
  const message = new TextEncoder().encode('lucarne doctor');
  const keys = signingKeysOf(configuration);
  const logs = await logsOf(database);
  for (const { organizationId } of logs) {
    try {
      await withSignatures(keys, async (signatures) => {
        const signer = await storedCurrentSigner(database, { sealer, signatures }, organizationId);
        if (!signer) throw new Error('It is missing.');
        if (!verify(signer.publicKey, message, signer.sign(message)))
          throw new Error('What it signs does not verify as its public key.');
      });
    } catch (thrown) {
      const away = reasonOfStore(thrown);
      const { detail } = failed(check, away ?? thrown);
      const advice = away ? '' : ' Restore the row of signing_keys from a backup, or rotate the key.';
      return {
        check,
        result: 'failed',
        detail: `That of ${organizationId} does not sign: ${detail}${advice}`,
      };
    }
  }
  try {
    if (keys.next !== undefined) await keys.publicKeyAt(keys.next);
  } catch (thrown) {
    const { detail } = failed(check, reasonOfStore(thrown) ?? thrown);
    return { check, result: 'failed', detail: `LUCARNE_SIGNING_KEY: ${detail}` };
  }
  const next = keys.next === undefined ? '' : ` The next one is ${keys.next}.`;
  return { check, result: 'ok', detail: `Those of ${logs.length} logs sign.${next}` };
}

/** Why a store does not sign, as the operator may know it; `undefined` where something else is wrong. */
const reasonOfStore = (thrown: unknown): unknown =>
  isLucarneError(thrown) && thrown.reason === 'signing_key_away' ? thrown.cause : undefined;

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
        detail: `${origin}: ${problem} Nothing more is signed. Keep the database as it is, and compare it with a backup.`,
      });
  }
  if (found.length === 0)
    found.push({ check, result: 'ok', detail: `${logs.length} logs are those of their last checkpoints.` });
  const waited = Math.floor(await longestWait(database));
  if (waited > MAX_WAIT_SECONDS)
    found.push({
      check,
      result: 'warning',
      detail: `An entry has waited ${waited} s for its index. Start a gateway, and look at its log for “Log sequencing failed”.`,
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
