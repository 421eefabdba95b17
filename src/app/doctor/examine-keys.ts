import { logsOf, type StoredLog, storedCurrentSigner } from '../../domain/activity-log/index.js';
import type { Examined } from '../../edge/cli/index.js';
import { verify } from '../../platform/crypto/index.js';
import type { Database } from '../../platform/database/index.js';
import { isLucarneError, isUnavailable, messageOf } from '../../platform/kernel/errors.js';
import { silentLog } from '../../platform/kernel/log.js';
import {
  findLostValues,
  type Keyring,
  keyStatus,
  type LostValues,
  withSignatures,
} from '../../platform/keys/index.js';
import { type Configuration, resolveMasterKey } from '../configuration/index.js';
import { signingKeysOf } from '../key-stores.js';
import { openKeyring } from '../storage/open-keyring.js';
import { hasPasswordHashesInClear } from '../../domain/organizations/index.js';
import { hasDigestsInClear } from '../../domain/reports/index.js';
import { SEALED_COLUMNS } from '../storage/sealed-columns.js';
import { examineAuditorKeys } from './examine-auditor-keys.js';
import { failed } from './failed-check.js';

/** The value sealed in the round trip; it is not stored. */
const CONTEXT = 'signing_keys/lucarne doctor';

/**
 * Problems of the master key setting, which a server database requires. On the embedded database the key may be created.
 */
export async function examineKeySetting(configuration: Configuration): Promise<readonly Examined[]> {
  if (configuration.databaseUrl === undefined) return [];
  try {
    await resolveMasterKey(configuration);
    return [];
  } catch (thrown) {
    return [failed('master key', thrown, configuration)];
  }
}

/** The master key and, if it is available, the signing keys and the auditor keys. */
export async function examineKeys(
  database: Database,
  configuration: Configuration,
): Promise<readonly Examined[]> {
  await using keyring = await openKeyring(configuration, { database, log: silentLog });
  const keys = await examineDataKeys(database, keyring, configuration);
  const isOpen = keys.some(({ result }) => result === 'ok');
  if (!isOpen) return keys;
  const signing = await examineSigningKeys(database, keyring, configuration);
  return [...keys, signing, ...(await examineAuditorKeys(database, keyring))];
}

/** Checks that the master key unwraps the data keys, and that a value sealed with them opens again. */
async function examineDataKeys(
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
  const { weakness } = keyring.master;
  return [
    { check, result: 'ok', detail },
    ...(weakness === undefined ? [] : [{ check, result: 'warning' as const, detail: weakness }]),
  ];
}

/** Checks that each organization's current key signs, that its signatures verify, and that the next rotation's key exists. */
async function examineSigningKeys(
  database: Database,
  keyring: Keyring,
  configuration: Configuration,
): Promise<Examined> {
  const check = 'signing keys';
  const keys = signingKeysOf(configuration);
  const logs = await logsOf(database);
  for (const log of logs) {
    const requireWorking = () => requireSigningKey(database, keyring, configuration, log);
    try {
      await requireWorking().catch(async (thrown: unknown) => {
        if (reasonOfStore(thrown) !== undefined || !isUnavailable(thrown)) throw thrown;
        // A missing data key may not be loaded yet: refresh once before reporting it.
        await keyring.refresh();
        await requireWorking();
      });
    } catch (thrown) {
      const away = reasonOfStore(thrown);
      const { detail } = failed(check, away ?? thrown);
      return {
        check,
        result: 'failed',
        detail: `The signing key of ${log.organizationId} does not work: ${detail} ${away ? OF_LOST_KEY : OF_LOST_ROW}`,
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

const OF_LOST_ROW = 'Restore the row of signing_keys from a backup, or rotate the key.';
const OF_LOST_KEY =
  'If the key is lost permanently, replace it with declareSigningKeyLost: see “In a store” in docs/operate.md.';

/** Throws if the key in use does not sign, or if its signature does not verify. */
async function requireSigningKey(
  database: Database,
  { sealer }: Keyring,
  configuration: Configuration,
  { organizationId, hasCheckpoint }: StoredLog,
): Promise<void> {
  const message = new TextEncoder().encode('lucarne doctor');
  await withSignatures(signingKeysOf(configuration), async (signatures) => {
    const signer = await storedCurrentSigner(database, { sealer, signatures }, organizationId);
    if (!signer && !hasCheckpoint) return;
    if (!signer) throw new Error('The key is missing.');
    if (!verify(signer.publicKey, message, signer.sign(message)))
      throw new Error('Its signatures do not verify under its public key.');
  });
}

/** Why a store does not sign, for the operator. `undefined` if something else failed. */
const reasonOfStore = (thrown: unknown): unknown =>
  isLucarneError(thrown) && thrown.reason === 'signing_key_away' ? thrown.cause : undefined;

/** Checks that each sealed value names an existing data key, even without the master key. No value is opened. */
export async function examineSealedValues(database: Database): Promise<readonly Examined[]> {
  const check = 'sealed values';
  const found: Examined[] = [];
  for (const column of SEALED_COLUMNS) {
    try {
      const lost = await findLostValues(database, column);
      found.push(...lost.map((values): Examined => ({ check, result: 'failed', detail: tellLost(values) })));
    } catch (thrown) {
      const detail = `Not all values of ${column.table} were examined: ${messageOf(thrown)}`;
      found.push({ check, result: 'warning', detail });
    }
  }
  if (await hasDigestsInClear(database)) {
    const detail =
      'Digests of reports from an earlier version are stored unencrypted: anyone who has a copy of the database can test guesses ' +
      'of their content. Run “lucarne master-key reseal”.';
    found.push({ check, result: 'warning', detail });
  }
  if (await hasPasswordHashesInClear(database)) {
    const detail =
      'Hashes of passwords are stored without a key: anyone who has a copy of the database can test guesses of these passwords. ' +
      'After all gateways run this version, run “lucarne master-key reseal”.';
    found.push({ check, result: 'warning', detail });
  }
  if (found.length > 0) return found;
  return [{ check, result: 'ok', detail: 'Each of them names a data key that is there.' }];
}

function tellLost({ column, count, dataKey, isDestroyed, first }: LostValues): string {
  const values = `${count} ${count === 1 ? 'value' : 'values'} of ${column.column} in ${column.table}`;
  const what =
    dataKey === undefined
      ? `${count === 1 ? 'is' : 'are'} damaged`
      : `${count === 1 ? 'names' : 'name'} data key ${dataKey}, which ${isDestroyed ? 'was destroyed' : 'never existed in this database'}`;
  const place = column.key.map((name, at) => `${name} ${first[at]}`).join(', ');
  return `${values} ${what}: the first at ${place}. Restore from a backup what can be restored, and remove the rest.`;
}
