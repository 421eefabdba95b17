import type { RawBuilder } from 'kysely';
import { sql } from '../../../platform/database/index.js';
import { type Mask, MASKABLE, type Maskable, maskOf, SENDERS } from './case-masks.js';
import { referenceId } from './case-references.js';
import type { CaseScope } from './case-scope.js';
import { CASE_TRANSACTION_TYPES, type CaseTransactionType } from './case-transaction-types.js';
import { ENCRYPTED, REFERENCE } from './select-case-transactions.js';

type Text = RawBuilder<string>;
/** A constant mask applies to every record or to none. */
type Condition = RawBuilder<boolean> | boolean;

/**
 * The result of `maskTransaction` as SQL, for the statements that read pages of a case: the text of each member. It
 * is empty if the case hides the member or if it is absent.
 */
export interface MaskedText extends Readonly<
  Record<'id' | 'networkTransactionId' | 'type' | 'assetId' | 'symbol' | 'decimals', Text>
> {
  readonly signer: Text;
  readonly authority: Text;
  readonly sourceAccount: Text;
  readonly destinationAccount: Text;
  /** The second of the block, or only its day if the case grants no more. */
  blockTime(format: {
    readonly second: (seconds: RawBuilder<number>) => Text;
    readonly day: (seconds: RawBuilder<number>) => Text;
  }): Text;
  /** The slot, if the amount is encrypted. */
  readonly amount: Text;
  /** The word if no key opens the amount; the slot if only decryption can show it. */
  readonly undecryptable: Text;
  /** The names of the members that the case hides, separated by spaces. */
  restricted(names: Readonly<Record<Maskable, string>>): Text;
  /** The data that decryption needs for a record with slots. Null for other records. */
  readonly encrypted: RawBuilder<string | null>;
}

/** The columns of the members. A column is empty or null if a record lacks the member. */
const COLUMNS = {
  id: sql`transactions.id`,
  networkTransactionId: sql`transactions.signature`,
  blockTime: sql<number>`transactions.block_time`,
  signer: sql`transactions.signer`,
  authority: sql`transactions.authority`,
  sourceAccount: sql`transactions.source_account`,
  destinationAccount: sql`transactions.destination_account`,
  amount: sql`transactions.amount`,
} as const satisfies Record<Maskable, RawBuilder<unknown>>;

/** Members that a record may lack. A hidden amount is listed as restricted even if no key decrypts it. */
const OPTIONAL: readonly Maskable[] = ['authority', 'sourceAccount', 'destinationAccount'];

const NOTHING = sql<string>`''`;

/**
 * If a record's amount is encrypted and shown, the text contains `slot` twice: first in place of the amount, then in place
 * of the word for undecryptable amounts.
 */
export function maskedText(
  { flags, references }: Pick<CaseScope, 'flags' | 'references'>,
  { slot, undecryptable }: { readonly slot: string; readonly undecryptable: string },
): MaskedText {
  const hides = (member: Maskable) =>
    either(whereHides(member, 'everything'), whereHides(member, 'the sender'));
  const whereHides = (member: Maskable, what: Mask['hides']): Condition => {
    const masked = isAnyOf((type) => maskOf(type, member, flags)?.hides === what);
    if (what === 'everything') return masked;
    const senders = sql.join(SENDERS.map((sender) => COLUMNS[sender]));
    return both(masked, sql<boolean>`coalesce(${COLUMNS[member]} in (${senders}), false)`);
  };
  const shown = (member: Maskable) =>
    choose(hides(member), NOTHING, sql<string>`coalesce(${COLUMNS[member]}, '')`);
  if (hides('id') !== false && references === null) throw new Error('Masked records have no references.');

  const isEncrypted = sql<boolean>`transactions.is_encrypted`;
  const hasSlots = both(isEncrypted, not(hides('amount')));
  const amountText = (encrypted: Text, open: Text) =>
    choose(hides('amount'), NOTHING, choose(isEncrypted, encrypted, open));
  return {
    id: choose(
      hides('id'),
      sql<string>`${referenceId('')}::text || ${REFERENCE}`,
      sql<string>`transactions.id`,
    ),
    networkTransactionId: shown('networkTransactionId'),
    type: sql`transactions.type`,
    assetId: sql`assets.id`,
    symbol: sql`assets.symbol`,
    decimals: sql`assets.decimals::text`,
    signer: shown('signer'),
    authority: shown('authority'),
    sourceAccount: shown('sourceAccount'),
    destinationAccount: shown('destinationAccount'),
    blockTime: ({ second, day }) =>
      choose(hides('blockTime'), day(COLUMNS.blockTime), second(COLUMNS.blockTime)),
    amount: amountText(sql`${slot}::text`, sql`coalesce(${COLUMNS.amount}, '')`),
    undecryptable: amountText(
      sql`${slot}::text`,
      sql`case when coalesce(${COLUMNS.amount}, '') = '' then ${undecryptable}::text else '' end`,
    ),
    restricted(names) {
      const hidden = MASKABLE.map((member): RawBuilder<string | null> => {
        const isThere = OPTIONAL.includes(member) ? sql<boolean>`${COLUMNS[member]} <> ''` : true;
        return choose(both(hides(member), isThere), sql`${names[member]}::text`, NULL);
      }).filter((name) => name !== NULL);
      return hidden.length === 0 ? NOTHING : sql`concat_ws(' ', ${sql.join(hidden)})`;
    },
    encrypted: choose(hasSlots, ENCRYPTED, NULL),
  };
}

const NULL = sql<null>`null::text`;

function isAnyOf(belongs: (type: CaseTransactionType) => boolean): Condition {
  const types = CASE_TRANSACTION_TYPES.filter(belongs);
  if (types.length === 0) return false;
  if (types.length === CASE_TRANSACTION_TYPES.length) return true;
  return sql`transactions.type = any(${types}::text[])`;
}

function either(one: Condition, other: Condition): Condition {
  if (one === true || other === true) return true;
  if (one === false) return other;
  return other === false ? one : sql`(${one} or ${other})`;
}

function both(one: Condition, other: Condition): Condition {
  if (one === false || other === false) return false;
  if (one === true) return other;
  return other === true ? one : sql`(${one} and ${other})`;
}

const not = (one: Condition): Condition => (typeof one === 'boolean' ? !one : sql`not ${one}`);

function choose<One, Other>(
  condition: Condition,
  one: RawBuilder<One>,
  other: RawBuilder<Other>,
): RawBuilder<One | Other> {
  if (condition === true) return one;
  if (condition === false) return other;
  return sql`case when ${condition} then ${one} else ${other} end`;
}
