import { signNote, verifierKey } from '../../../platform/crypto/index.js';
import { columnsOf, query, sql, type Transaction } from '../../../platform/database/index.js';
import { conflict, invalidMember, isLucarneError } from '../../../platform/kernel/errors.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { systemRandom } from '../../../platform/kernel/random.js';
import type { Actor } from '../../access/index.js';
import { LogCheckpointEntity } from '../activity-log.entity.js';
import { type KeyStatement, statementText } from '../key-statement.js';
import { recordActivity } from '../record-activity.js';
import { requireFewRotationsToday } from './rotations-of-a-day.js';
import { type HeldLog, holdLog, InconsistentLog, sequenceBatch } from './sequence-entries.js';
import type { SigningFoundation } from './sign-log.js';
import {
  addSigningKey,
  destroyUnusedSecrets,
  logSigners,
  type OrganizationSigner,
  signingKeysOf,
} from './signing-key.js';

/** A change of the keys of a log, decided by its organization. */
export interface KeyChange {
  readonly organizationId: Id<'org'>;
  readonly actor: Actor;
  readonly reason: string;
  readonly at: Date;
}

/** Maximum number of rotations of a log, because every export of the log has all of its key changes. */
const MAX_ROTATIONS = 100;
/**
 * Maximum number of declarations about one key, each from an earlier index than the last. The limit for each key leaves room
 * for other keys and for rotations. A key can always be declared compromised from index 0, so an index that is too high can
 * always be corrected.
 */
const MAX_DECLARATIONS_PER_KEY = 3;

/**
 * One transaction sequences all waiting entries. A store is asked for each checkpoint, and the transaction is repeated after
 * each answer. While a lost key signed nothing, many entries may have accumulated.
 */
const MAX_CHECKPOINT_ENTRIES = 50_000;

const DAY_MS = 86_400_000;

/**
 * Replaces the organization's key by a new one of epoch `to`, in the transaction. The entry that names the new key is in the
 * log, under a checkpoint that both keys sign. The old key signs checkpoints for another `overlapDays`. Returns false if the
 * newest epoch has changed.
 */
export async function replaceSigningKey(
  transaction: Transaction,
  foundation: SigningFoundation,
  change: KeyChange,
  { to, overlapDays }: { readonly to: number; readonly overlapDays: number },
): Promise<boolean> {
  const { organizationId, at } = change;
  const log = await holdForChange(transaction, foundation, change);
  const rotations = await changesOfKeys(transaction, organizationId, 'signing_key.rotated');
  if (rotations.length >= MAX_ROTATIONS)
    throw conflict(
      `The signing key of a log can be rotated at most ${MAX_ROTATIONS} times. Yours has reached this limit.`,
    );
  const [previous, ...others] = log.signers;
  if (previous.epoch !== to - 1) return false;
  await requireFewRotationsToday(transaction, organizationId, at);
  await addSigningKey(transaction, foundation, { organizationId, epoch: to, at });
  const cosignsUntil = new Date(at.getTime() + overlapDays * DAY_MS);
  await changeKeys(transaction, organizationId, [previous], { cosigns_until: cosignsUntil });
  const [next] = await logSigners(transaction, foundation, organizationId, at);
  const held = { ...log, signers: [next, previous, ...others] as const };
  await recordRotation(transaction, foundation, change, held, { previous, next });
  await sequenceAllOf(transaction, foundation, { ...held, last: previous });
  await destroyUnusedSecrets(transaction, organizationId, at);
  return true;
}

/**
 * Declares in the log, with the key in use, that an earlier key is compromised from an index on. The earlier key signs
 * nothing anymore, and its secret is destroyed.
 */
export async function markKeyCompromised(
  transaction: Transaction,
  foundation: SigningFoundation,
  change: KeyChange,
  { epoch, fromIndex }: { readonly epoch: number; readonly fromIndex: number },
): Promise<void> {
  const { organizationId, at } = change;
  const { origin, signers } = await holdSigners(transaction, foundation, change);
  const [current, ...others] = signers;
  if (epoch === current.epoch)
    throw conflict(
      'This key signs the log now. Call rotateSigningKey first: only the next key can declare it compromised.',
    );
  const [key] = await transaction.rows(
    query
      .selectFrom('signing_keys')
      .select(['public_key as publicKey', 'compromised_from as compromisedFrom'])
      .where('organization_id', '=', organizationId)
      .where('epoch', '=', epoch),
  );
  if (!key) throw invalidMember('epoch', 'must be the epoch of an earlier signing key');
  // Signs the waiting entries without this key: its store may be abandoned and must not delay the log until the key expires.
  const stillSigning = others.filter((other) => other.epoch !== epoch);
  const held = { organizationId, origin, signers: [current, ...stillSigning] as const };
  await sequenceAllOf(transaction, foundation, held);
  const size = (await headOf(transaction, organizationId))?.size ?? 0;
  if (fromIndex > size)
    throw invalidMember('fromIndex', `must be at most ${size}, the number of entries of the log`);
  if (key.compromisedFrom !== null && key.compromisedFrom <= fromIndex)
    throw conflict(`The key is already declared compromised as of index ${key.compromisedFrom}.`);
  const declared = await changesOfKeys(transaction, organizationId, 'signing_key.compromised');
  const ofThisKey = declared.filter((declaration) => declaration.epoch === epoch);
  if (fromIndex > 0 && ofThisKey.length >= MAX_DECLARATIONS_PER_KEY)
    throw conflict(
      `A key can be declared compromised as of an index above 0 at most ${MAX_DECLARATIONS_PER_KEY} times. This key has reached the limit. ` +
        'It can still be declared compromised as of index 0.',
    );
  await changeKeys(transaction, organizationId, [{ epoch }], disownedFrom(fromIndex, at));
  await destroyUnusedSecrets(transaction, organizationId, at);
  await recordCompromise(transaction, foundation, change, held, {
    signer: { epoch, publicKey: key.publicKey },
    fromIndex,
  });
  await sequenceAllOf(transaction, foundation, held);
}

/**
 * Continues the log of a restored database. The current keys may have signed entries that the backup does not have, so a
 * new key replaces them and disowns what they signed beyond the last stored checkpoint. They do not sign this log anymore.
 */
export async function resumeRestoredLog(
  transaction: Transaction,
  foundation: SigningFoundation,
  change: KeyChange,
): Promise<{ readonly epoch: number; readonly fromIndex: number }> {
  const { organizationId, at } = change;
  // The new key also signs the waiting entries: the old ones sign nothing of this log.
  const { origin, signers } = await holdSigners(transaction, foundation, change);
  const head = await headOf(transaction, organizationId);
  const fromIndex = head?.size ?? 0;
  const [previous] = signers;
  // Also expired keys, because they signed the lost entries.
  const disowned = (await signingKeysOf(transaction, organizationId)).filter(
    ({ cosignsUntil, compromisedFrom }) =>
      (cosignsUntil === null || head === undefined || cosignsUntil > head.signedAt) &&
      (compromisedFrom === null || compromisedFrom > fromIndex),
  );
  const epoch = previous.epoch + 1;
  await addSigningKey(transaction, foundation, { organizationId, epoch, at });
  await changeKeys(transaction, organizationId, disowned, disownedFrom(fromIndex, at));
  const [next] = await logSigners(transaction, foundation, organizationId, at);
  const log = { organizationId, origin, signers: [next] as const };
  await recordRotation(transaction, foundation, change, log, { previous, next });
  for (const signer of disowned)
    await recordCompromise(transaction, foundation, change, log, { signer, fromIndex });
  await sequenceAllOf(transaction, foundation, { ...log, last: previous });
  await destroyUnusedSecrets(transaction, organizationId, at);
  return { epoch, fromIndex };
}

/**
 * Continues a log whose key is lost: a new key of epoch `to` replaces it, and declares it lost. No earlier key vouches for
 * the new one, so verifiers need it from another source. Returns false if the newest epoch has changed.
 */
export async function replaceLostKey(
  transaction: Transaction,
  foundation: SigningFoundation,
  change: KeyChange,
  { to }: { readonly to: number },
): Promise<boolean> {
  const { organizationId, at } = change;
  const lost = await changesOfKeys(transaction, organizationId, 'signing_key.lost');
  if (lost.length >= MAX_ROTATIONS)
    throw conflict(
      `At most ${MAX_ROTATIONS} keys of a log can be declared lost. Yours has reached this limit.`,
    );
  // The new key also signs the waiting entries: the old one signs nothing anymore.
  const { origin, signers } = await holdSigners(transaction, foundation, change);
  const [previous] = signers;
  if (previous.epoch !== to - 1) return false;
  await addSigningKey(transaction, foundation, { organizationId, epoch: to, at });
  await changeKeys(transaction, organizationId, signers, { cosigns_until: at });
  const [next] = await logSigners(transaction, foundation, organizationId, at);
  const log = { organizationId, origin, signers: [next] as const };
  const [previousKey, nextKey] = [previous, next].map(({ publicKey }) => verifierKey(origin, publicKey));
  await record(transaction, foundation, change, {
    ...{ epoch: previous.epoch, origin },
    statement: { type: 'signing_key.lost', previous: previousKey!, next: nextKey! },
    by: [next],
    details: { verifier_key: nextKey!, previous_verifier_key: previousKey! },
  });
  await sequenceAllOf(transaction, foundation, { ...log, last: previous });
  await destroyUnusedSecrets(transaction, organizationId, at);
  return true;
}

/**
 * Checks that the key of an epoch is in use and lost. Returns false if the key in use has another epoch.
 *
 * @throws `CONFLICT` if there is no key, or if it can sign: then it must name its successor itself.
 */
export async function requireLostKey(
  { database, signingKeys }: Pick<SigningFoundation, 'database' | 'signingKeys'>,
  organizationId: Id<'org'>,
  epoch: number,
): Promise<boolean> {
  const [current] = await signingKeysOf(database, organizationId);
  if (!current)
    throw conflict(
      'The log has no signing key yet. Ask the operator to correct LUCARNE_SIGNING_KEY, or to remove that ' +
        'setting. The first key is then created.',
    );
  if (current.epoch !== epoch) return false;
  const { storeKey: uri, publicKey } = current;
  if (uri !== null) {
    try {
      await signingKeys.sign({ uri, publicKey }, new TextEncoder().encode('lucarne signing key probe v1'));
    } catch (thrown) {
      if (isLucarneError(thrown) && thrown.reason === 'signing_key_away') return true;
      throw thrown;
    }
  }
  throw conflict(
    'The key still signs, so it is not lost. Call rotateSigningKey instead: the key then signs its successor.',
  );
}

interface KeyState {
  readonly cosigns_until: Date;
  readonly compromised_from?: number;
}

const disownedFrom = (fromIndex: number, at: Date): KeyState => ({
  compromised_from: fromIndex,
  cosigns_until: at,
});

async function changeKeys(
  transaction: Transaction,
  organizationId: Id<'org'>,
  keys: readonly { readonly epoch: number }[],
  state: KeyState,
): Promise<void> {
  const epochs = keys.map(({ epoch }) => epoch);
  await transaction.rows(
    query
      .updateTable('signing_keys')
      .set(state)
      .where('organization_id', '=', organizationId)
      .where('epoch', 'in', epochs),
  );
}

/** Locks the log, and sequences the waiting entries, so that the entry of the change follows them. */
async function holdForChange(
  transaction: Transaction,
  foundation: SigningFoundation,
  change: KeyChange,
): Promise<HeldLog> {
  const log = await holdSigners(transaction, foundation, change);
  await sequenceAllOf(transaction, foundation, log);
  return log;
}

/** The changes of one kind, by the key that they concern. */
function changesOfKeys(
  transaction: Transaction,
  organizationId: Id<'org'>,
  eventType: KeyStatement['type'],
): Promise<{ epoch: number }[]> {
  return transaction.rows(
    query
      .selectFrom('activity_entries')
      .select(sql<number>`(entry -> 'object' ->> 'epoch')::integer`.as('epoch'))
      .where('organization_id', '=', organizationId)
      .where('event_type', '=', eventType),
  );
}

async function holdSigners(
  transaction: Transaction,
  foundation: SigningFoundation,
  { organizationId, at }: KeyChange,
): Promise<HeldLog> {
  const origin = await holdLog(transaction, organizationId);
  if (origin === undefined)
    throw conflict(
      'The log has no checkpoint yet: its first entry waits to be sequenced. Try again in a few seconds.',
    );
  const signers = await logSigners(transaction, foundation, organizationId, at);
  return { organizationId, origin, signers };
}

/** The last checkpoint; `undefined` before the first. */
async function headOf(transaction: Transaction, organizationId: Id<'org'>) {
  const [head] = await transaction.rows(
    query
      .selectFrom('log_checkpoints')
      .select(columnsOf(LogCheckpointEntity, ['size', 'signedAt']))
      .where('organization_id', '=', organizationId)
      .orderBy('size', 'desc')
      .limit(1),
  );
  return head;
}

/** Both keys sign: the old key to name its successor, the new key to show that the gateway can use it. */
async function recordRotation(
  transaction: Transaction,
  foundation: SigningFoundation,
  change: KeyChange,
  { origin }: HeldLog,
  { previous, next }: { readonly previous: OrganizationSigner; readonly next: OrganizationSigner },
): Promise<void> {
  const [previousKey, nextKey] = [previous, next].map(({ publicKey }) => verifierKey(origin, publicKey));
  await record(transaction, foundation, change, {
    epoch: next.epoch,
    origin,
    statement: { type: 'signing_key.rotated', previous: previousKey!, next: nextKey! },
    by: [previous, next],
    details: { verifier_key: nextKey!, previous_verifier_key: previousKey! },
  });
}

async function recordCompromise(
  transaction: Transaction,
  foundation: SigningFoundation,
  change: KeyChange,
  { origin, signers: [current] }: HeldLog,
  {
    signer: { epoch, publicKey },
    fromIndex,
  }: { readonly signer: Pick<OrganizationSigner, 'epoch' | 'publicKey'>; readonly fromIndex: number },
): Promise<void> {
  const key = verifierKey(origin, publicKey);
  await record(transaction, foundation, change, {
    epoch,
    origin,
    statement: { type: 'signing_key.compromised', key, fromIndex },
    by: [current],
    details: { verifier_key: key, from_index: fromIndex },
  });
}

interface Recorded {
  /** The epoch of the key that changes. */
  readonly epoch: number;
  readonly origin: string;
  readonly statement: KeyStatement;
  readonly by: readonly [OrganizationSigner, ...OrganizationSigner[]];
  readonly details: Readonly<Record<string, string | number>>;
}

/** Writes the entry of the change with its signed statement. */
async function record(
  transaction: Transaction,
  { signatures }: SigningFoundation,
  { organizationId, actor, reason, at }: KeyChange,
  { epoch, origin, statement, by: [first, ...rest], details }: Recorded,
): Promise<void> {
  const named = (signer: OrganizationSigner) => ({ ...signer, name: origin });
  const note = signNote(statementText(origin, statement), named(first), ...rest.map(named));
  const activity = {
    organizationId,
    eventType: statement.type,
    actor,
    object: { type: 'signing_key', epoch },
    details: { ...details, statement: note, reason },
    at,
  };
  // The checkpoint covers the entry with its salts, so each attempt must use the same salts.
  let salts = 0;
  await recordActivity(transaction, activity, (length) => {
    const name = `salt ${statement.type} ${epoch} ${(salts += 1)}`;
    return signatures.kept<Uint8Array>(name) ?? signatures.keep(name, systemRandom(length));
  });
}

async function sequenceAllOf(
  transaction: Transaction,
  foundation: SigningFoundation,
  log: HeldLog,
): Promise<void> {
  try {
    for (let { last } = log; ; last = log.signers[0]) {
      const batch = { ...log, ...(last && { last }), limit: MAX_CHECKPOINT_ENTRIES };
      if ((await sequenceBatch(transaction, foundation, batch)) < MAX_CHECKPOINT_ENTRIES) return;
    }
  } catch (thrown) {
    if (!(thrown instanceof InconsistentLog)) throw thrown;
    throw conflict(
      `The keys of the log cannot be changed, because the stored log contradicts its last checkpoint: ${thrown.message}`,
    );
  }
}
