import { signNote, verifierKey } from '../../../platform/crypto/index.js';
import { type Foundation, query, type Transaction } from '../../../platform/database/index.js';
import { conflict, invalidMember } from '../../../platform/kernel/errors.js';
import type { Id } from '../../../platform/kernel/ids.js';
import type { Actor } from '../../access/index.js';
import { type KeyStatement, KEY_CHANGES, statementText } from '../key-statement.js';
import { recordActivity } from '../record-activity.js';
import {
  type HeldLog,
  holdLog,
  InconsistentLog,
  MAX_SEQUENCED_TOGETHER,
  sequenceBatch,
} from './sequence-entries.js';
import { addSigningKey, destroyUnusedSecrets, logSigners, type OrganizationSigner } from './signing-key.js';

/** A change of the keys of a log, decided by its organization. */
export interface KeyChange {
  readonly organizationId: Id<'org'>;
  readonly actor: Actor;
  readonly reason: string;
  readonly at: Date;
}

/** Every export of the log holds all of its key changes. */
const MAX_KEY_CHANGES = 100;

const DAY_MS = 86_400_000;

/**
 * Replaces the key of the organization by a new one of epoch `to`, in the transaction: the entry that names it is in the
 * log, under a checkpoint that both keys sign. The old key signs checkpoints for `overlapDays` more. False when the keys have
 * another newest epoch meanwhile.
 */
export async function replaceSigningKey(
  transaction: Transaction,
  foundation: Foundation,
  change: KeyChange,
  { to, overlapDays }: { readonly to: number; readonly overlapDays: number },
): Promise<boolean> {
  const { organizationId, at } = change;
  const log = await holdForChange(transaction, foundation, change);
  const [previous, ...others] = log.signers;
  if (previous.epoch !== to - 1) return false;
  await addSigningKey(transaction, foundation.sealer, { organizationId, epoch: to, at });
  await transaction.rows(
    query
      .updateTable('signing_keys')
      .set({ cosigns_until: new Date(at.getTime() + overlapDays * DAY_MS) })
      .where('organization_id', '=', organizationId)
      .where('epoch', '=', previous.epoch),
  );
  const [next] = await logSigners(transaction, foundation.sealer, organizationId, at);
  const [previousKey, nextKey] = [previous, next].map(({ publicKey }) => verifierKey(log.origin, publicKey));
  await record(transaction, foundation, change, {
    epoch: to,
    log: { ...log, signers: [next, previous, ...others], last: previous },
    statement: { type: 'signing_key.rotated', previous: previousKey!, next: nextKey! },
    // The old key vouches for the new one, and the new one shows that somebody has it.
    by: [previous, next],
    details: { verifier_key: nextKey!, previous_verifier_key: previousKey! },
  });
  await destroyUnusedSecrets(transaction, organizationId, at);
  return true;
}

/**
 * Declares in the log, with the key in use, that an earlier key is somebody else’s from an index on. It signs nothing
 * anymore, and its secret is destroyed.
 */
export async function markKeyCompromised(
  transaction: Transaction,
  foundation: Foundation,
  change: KeyChange,
  { epoch, fromIndex }: { readonly epoch: number; readonly fromIndex: number },
): Promise<void> {
  const { organizationId, at } = change;
  const log = await holdForChange(transaction, foundation, change);
  const [current, ...others] = log.signers;
  if (epoch === current.epoch)
    throw conflict(
      'This key signs the log now. Call rotateSigningKey first: the key that replaces it declares it compromised.',
    );
  const [key] = await transaction.rows(
    query
      .selectFrom('signing_keys')
      .select(['public_key as publicKey', 'compromised_from as compromisedFrom'])
      .where('organization_id', '=', organizationId)
      .where('epoch', '=', epoch),
  );
  if (!key) throw invalidMember('epoch', 'must be the epoch of an earlier signing key');
  if (fromIndex > log.size)
    throw invalidMember('fromIndex', `must be at most ${log.size}, the number of entries of the log`);
  if (key.compromisedFrom !== null && key.compromisedFrom <= fromIndex)
    throw conflict(`The key is declared compromised from index ${key.compromisedFrom} on already.`);
  await transaction.rows(
    query
      .updateTable('signing_keys')
      .set({ compromised_from: fromIndex, cosigns_until: at })
      .where('organization_id', '=', organizationId)
      .where('epoch', '=', epoch),
  );
  await destroyUnusedSecrets(transaction, organizationId, at);
  const compromised = verifierKey(log.origin, key.publicKey);
  await record(transaction, foundation, change, {
    epoch,
    log: { ...log, signers: [current, ...others.filter((other) => other.epoch !== epoch)] },
    statement: { type: 'signing_key.compromised', key: compromised, fromIndex },
    by: [current],
    details: { verifier_key: compromised, from_index: fromIndex },
  });
}

/** Holds the log with nothing that waits, so that the entry of the change is the next. */
async function holdForChange(
  transaction: Transaction,
  foundation: Foundation,
  { organizationId, at }: KeyChange,
): Promise<HeldLog & { readonly size: number }> {
  const origin = await holdLog(transaction, organizationId);
  if (origin === undefined)
    throw conflict(
      'The log has no checkpoint yet: its first entry waits to be sequenced. Try again in some seconds.',
    );
  const changes = await transaction.rows(
    query
      .selectFrom('activity_entries')
      .select('id')
      .where('organization_id', '=', organizationId)
      .where('event_type', 'in', [...KEY_CHANGES]),
  );
  if (changes.length >= MAX_KEY_CHANGES)
    throw conflict(`The keys of a log change at most ${MAX_KEY_CHANGES} times, and those of yours have.`);
  const signers = await logSigners(transaction, foundation.sealer, organizationId, at);
  const log = { organizationId, origin, signers };
  await sequenceAllOf(transaction, foundation, log);
  const [head] = await transaction.rows(
    query
      .selectFrom('log_checkpoints')
      .select(({ fn }) => fn.max<number | null>('size').as('size'))
      .where('organization_id', '=', organizationId),
  );
  return { ...log, size: head?.size ?? 0 };
}

interface Recorded {
  /** Of the key that the change is about. */
  readonly epoch: number;
  readonly log: HeldLog;
  readonly statement: KeyStatement;
  readonly by: readonly [OrganizationSigner, ...OrganizationSigner[]];
  readonly details: Readonly<Record<string, string | number>>;
}

/** Writes the entry of the change with its signed statement, and signs the checkpoint that holds it. */
async function record(
  transaction: Transaction,
  foundation: Foundation,
  { organizationId, actor, reason, at }: KeyChange,
  { epoch, log, statement, by: [first, ...rest], details }: Recorded,
): Promise<void> {
  const named = (signer: OrganizationSigner) => ({ ...signer, name: log.origin });
  const note = signNote(statementText(log.origin, statement), named(first), ...rest.map(named));
  await recordActivity(transaction, {
    organizationId,
    eventType: statement.type,
    actor,
    object: { type: 'signing_key', epoch },
    details: { ...details, statement: note, reason },
    at,
  });
  await sequenceAllOf(transaction, foundation, log);
}

async function sequenceAllOf(transaction: Transaction, foundation: Foundation, log: HeldLog): Promise<void> {
  try {
    for (let { last } = log; ; last = log.signers[0]) {
      const batch = { ...log, ...(last && { last }), limit: MAX_SEQUENCED_TOGETHER };
      if ((await sequenceBatch(transaction, foundation, batch)) < MAX_SEQUENCED_TOGETHER) return;
    }
  } catch (thrown) {
    if (!(thrown instanceof InconsistentLog)) throw thrown;
    throw conflict(
      `The stored log contradicts what was signed of it, so that its keys cannot be changed: ${thrown.message}`,
    );
  }
}
