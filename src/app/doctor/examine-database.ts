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
    const detail = `${pending.length} migrations are pending, starting with ${pending[0]}. Run: lucarne migrate`;
    return [...found, { check: 'migrations', result: 'failed', detail }];
  }
  found.push({ check: 'migrations', result: 'ok', detail: 'All migrations are applied.' });
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
): Promise<Examined> {
  const check = 'database role';
  if (database.engine !== 'postgresql')
    return { check, result: 'ok', detail: 'The embedded database has only one user.' };
  const grant = 'Run “lucarne migrate --serve-as ROLE” as the owner of the tables';
  const missing = await missingPrivileges(database);
  if (missing.length > 0)
    return {
      check,
      result: 'failed',
      detail: `The role cannot read ${missing.join(', ')}, which serving needs. ${grant}.`,
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
    return [
      {
        check,
        result: 'warning',
        detail: 'The database has no master key yet: no gateway has started on it.',
      },
    ];
  try {
    await keyring.refresh();
    keyring.sealer.open(keyring.sealer.seal(new Uint8Array(32), CONTEXT), CONTEXT);
  } catch (thrown) {
    return [failed(check, thrown, configuration)];
  }
  const live = dataKeys.filter(({ destroyedAt }) => destroyedAt === null).length;
  const detail = `Version ${current.version} (${current.provider}) unwraps all ${live} data keys. A test value was encrypted and decrypted with them.`;
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
        if (!signer) throw new Error('The key is missing.');
        if (!verify(signer.publicKey, message, signer.sign(message)))
          throw new Error('Its signatures do not verify under its public key.');
      });
    } catch (thrown) {
      const away = reasonOfStore(thrown);
      const { detail } = failed(check, away ?? thrown);
      const advice = away ? '' : ' Restore the row of signing_keys from a backup, or rotate the key.';
      return {
        check,
        result: 'failed',
        detail: `The signing key of ${organizationId} does not work: ${detail}${advice}`,
      };
    }
  }
  try {
    if (keys.next !== undefined) await keys.publicKeyAt(keys.next);
  } catch (thrown) {
    const { detail } = failed(check, reasonOfStore(thrown) ?? thrown);
    return { check, result: 'failed', detail: `LUCARNE_SIGNING_KEY: ${detail}` };
  }
  const next = keys.next === undefined ? '' : ` The next key is ${keys.next}.`;
  return { check, result: 'ok', detail: `The signing keys of ${logs.length} logs work.${next}` };
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
        detail: `${origin}: ${problem} The gateway signs nothing more in this log. Do not change the database, and compare it with a backup.`,
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
