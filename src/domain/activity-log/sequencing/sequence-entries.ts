import {
  borderTiles,
  consistencyRanges,
  EMPTY_ROOT,
  isConsistent,
  openCheckpoint,
  rangeHash,
  signCheckpoint,
  tileAppender,
  type Checkpoint,
} from '../../../platform/crypto/index.js';
import {
  query,
  sql,
  type Foundation,
  type Reader,
  type Transaction,
} from '../../../platform/database/index.js';
import { isLucarneError } from '../../../platform/kernel/errors.js';
import { equalBytes, hex } from '../../../platform/kernel/encoding/bytes.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { isFreeFor, LogHeld, type SigningFoundation, signLogIn } from './sign-log.js';
import { readTiles, writeTiles } from './log-tiles.js';
import { destroyUnusedSecrets, logSigners, type OrganizationSigner } from './signing-key.js';
import { attempt } from '../../../platform/kernel/encoding/attempt.js';

/** The stored log contradicts its signed checkpoint. The log signs nothing more until a person has examined it. */
export class InconsistentLog extends Error {
  override readonly name = 'InconsistentLog';
}

/** Published after entries of the organization's log were sequenced. */
export const logTopic = (organizationId: Id<'org'>) => `log:${organizationId}`;

/** Maximum number of entries of one transaction, and therefore of one checkpoint. */
export const MAX_SEQUENCED_TOGETHER = 1_000;

/**
 * Gives the organization's waiting entries their indexes and signs the checkpoint that includes them, in one transaction.
 * Returns the number of entries, or 0 while another sequencer holds the log.
 * The next entries are those that are visible and have no index, in the order of writing. A transaction that commits late
 * becomes visible late and is not skipped, because gaps in `sequence` have no meaning. If an action began after an entry was
 * committed, its own entry follows that one in the log.
 *
 * @throws `UNAVAILABLE` with the reason `signing_key_away` while a key in a store cannot be used: the entries wait.
 */
export async function sequenceEntries(
  foundation: Foundation,
  log: NamedLog,
  limit = MAX_SEQUENCED_TOGETHER,
): Promise<number> {
  const { organizationId } = log;
  try {
    return await signLogIn(foundation, organizationId, false, async (transaction, signing) => {
      const now = foundation.clock.now();
      const origin = await lockLog(transaction, signing, log, now);
      if (origin === undefined) return 0;
      await destroyUnusedSecrets(transaction, organizationId, now);
      const signers = await logSigners(transaction, signing, organizationId, now);
      return sequenceBatch(transaction, signing, { organizationId, origin, signers, limit });
    });
  } catch (thrown) {
    if (thrown instanceof LogHeld) return 0;
    // A log whose key is unavailable gets its row before the first checkpoint. Without the row, the key could not be declared
    // lost.
    if (isLucarneError(thrown) && thrown.reason === 'signing_key_away')
      await foundation.database.rows(makeLog(log, foundation.clock.now()));
    throw thrown;
  }
}

/** A log whose row the transaction has locked, and its signers. */
export interface HeldLog {
  readonly organizationId: Id<'org'>;
  readonly origin: string;
  /** The key in use is first. */
  readonly signers: readonly [OrganizationSigner, ...OrganizationSigner[]];
  /** The key that signed the last checkpoint: the key in use, unless it is new. */
  readonly last?: OrganizationSigner;
}

/** Like {@link sequenceEntries}, in a transaction that holds the log. */
export async function sequenceBatch(
  transaction: Transaction,
  { clock, signals, signatures }: Pick<SigningFoundation, 'clock' | 'signals' | 'signatures'>,
  {
    organizationId,
    origin,
    signers,
    last: lastSigner = signers[0],
    limit,
  }: HeldLog & { readonly limit: number },
): Promise<number> {
  const { last, border } = await requireHead(transaction, organizationId, { ...lastSigner, name: origin });
  const appender = tileAppender(last.size, border);

  // The entries that an earlier attempt requested a signature for. Another entry since then would change the checkpoint.
  const batch = `batch ${organizationId} ${last.size}`;
  const entries = await waitingEntries(transaction, organizationId, limit, signatures.kept(batch));
  if (entries.length === 0) return 0;
  signatures.keep(
    batch,
    entries.map(({ leaf }) => hex.encode(leaf)),
  );
  for (const { leaf } of entries) appender.append(leaf);

  const next = { origin, size: appender.size, root: appender.root() };
  const proof = consistencyRanges(last.size, next.size).map((range) => rangeHash(range, appender.nodes));
  if (!isConsistent(last, next, proof))
    throw new InconsistentLog('The new entries would not extend the tree of the last checkpoint.');
  // Nothing is written before all signatures are there: while a store is away, each attempt would be undone.
  const [current, ...others] = signers;
  const named = (signer: OrganizationSigner) => ({ ...signer, name: origin });
  if (others.length > 0)
    signatures.together(signers.map((signer) => () => signCheckpoint(next, named(signer))));
  const note = signCheckpoint(next, named(current), ...others.map(named));

  await giveIndexes(transaction, last.size, entries);
  await writeTiles(transaction, organizationId, appender.changed());
  await transaction.rows(
    query.insertInto('log_checkpoints').values({
      organization_id: organizationId,
      size: next.size,
      root: next.root,
      note,
      signing_key_epoch: current.epoch,
      signed_at: clock.now(),
    }),
  );
  transaction.afterCommit(() => signals.publish(logTopic(organizationId)));
  return entries.length;
}

interface NamedLog {
  readonly organizationId: Id<'org'>;
  readonly publicHost: string;
}

const makeLog = ({ organizationId, publicHost }: NamedLog, now: Date) =>
  query
    .insertInto('activity_logs')
    .values({
      organization_id: organizationId,
      origin: `${publicHost}/log/${organizationId}`,
      created_at: now,
    })
    .onConflict((conflict) => conflict.doNothing());

/** Locks the log until the transaction ends and returns its origin; `undefined` while another process holds it. */
async function lockLog(
  transaction: Transaction,
  { owner }: Pick<SigningFoundation, 'owner'>,
  log: NamedLog,
  now: Date,
): Promise<string | undefined> {
  await transaction.rows(makeLog(log, now));
  const [row] = await transaction.rows(
    originOf(log.organizationId).where(isFreeFor(owner)).forUpdate().skipLocked(),
  );
  return row?.origin;
}

/** Locks the log until the transaction ends, and returns its origin; `undefined` before its first entry was sequenced. */
export async function holdLog(
  transaction: Transaction,
  organizationId: Id<'org'>,
): Promise<string | undefined> {
  const [row] = await transaction.rows(originOf(organizationId).forUpdate());
  return row?.origin;
}

const originOf = (organizationId: Id<'org'>) =>
  query.selectFrom('activity_logs').select('origin').where('organization_id', '=', organizationId);

/** The last checkpoint, and the border tiles of its tree. @throws {InconsistentLog} if they contradict each other. */
export async function requireHead(
  reader: Reader,
  organizationId: Id<'org'>,
  key: { readonly name: string; readonly publicKey: Uint8Array },
) {
  const last = await lastCheckpoint(reader, organizationId, key);
  return { last, border: await borderOf(reader, organizationId, last) };
}

/** The newest checkpoint of the log, read from its own signed note; the empty tree before there is one. */
async function lastCheckpoint(
  reader: Reader,
  organizationId: Id<'org'>,
  key: { readonly name: string; readonly publicKey: Uint8Array },
): Promise<Checkpoint> {
  const [row] = await reader.rows(
    query
      .selectFrom('log_checkpoints')
      .select(['size', 'root', 'note'])
      .where('organization_id', '=', organizationId)
      .orderBy('size', 'desc')
      .limit(1),
  );
  if (!row) return { origin: key.name, size: 0, root: EMPTY_ROOT };
  const signed = openCheckpoint(row.note, key);
  if (!signed) throw new InconsistentLog('The newest checkpoint is not signed by the organization’s key.');
  if (signed.size !== row.size || !equalBytes(signed.root, row.root)) {
    throw new InconsistentLog('The newest checkpoint does not match the tree that is stored with it.');
  }
  return signed;
}

/** The border tiles of the last signed tree, which determine its root. */
async function borderOf(reader: Reader, organizationId: Id<'org'>, last: Checkpoint) {
  const tiles = await readTiles(reader, organizationId, borderTiles(last.size));
  // The root is undefined if a tile is missing or truncated.
  const root = attempt(() => tileAppender(last.size, tiles).root());
  if (!root || !equalBytes(root, last.root)) {
    throw new InconsistentLog('The root of the stored tiles is not the one that was signed last.');
  }
  return tiles;
}

interface WaitingEntry {
  readonly id: string;
  /** The hash of its leaf. */
  readonly leaf: Uint8Array;
}

/** The next entries without an index, in the order of writing; only those with these leaf hashes, if they are given. */
const waitingEntries = (
  reader: Reader,
  organizationId: Id<'org'>,
  limit: number,
  only: readonly string[] | undefined,
): Promise<WaitingEntry[]> =>
  reader.rows(
    query
      .selectFrom('activity_entries')
      .select(['id', 'leaf_hash as leaf'])
      .where('organization_id', '=', organizationId)
      .where('log_index', 'is', null)
      .$if(only !== undefined, (entries) =>
        entries.where(sql<boolean>`encode(leaf_hash, 'hex') = any(${[...only!]}::text[])`),
      )
      .orderBy('sequence')
      .limit(limit),
  );

/** Gives the entries the indexes from `size` on. */
async function giveIndexes(
  transaction: Transaction,
  size: number,
  entries: readonly WaitingEntry[],
): Promise<void> {
  // An update from an array with the order of its elements: clearer in SQL than in the builder.
  const [updated] = await transaction.rows(sql<{ count: number }>`
    with updated as (
      update activity_entries set log_index = ${size}::bigint + numbered.position - 1
      from unnest(${entries.map(({ id }) => id)}::text[]) with ordinality as numbered (id, position)
      where activity_entries.id = numbered.id and log_index is null returning 1)
    select count(*) as count from updated`);
  if (updated?.count !== entries.length)
    throw new Error('An entry of the log was deleted while it was sequenced.');
}
