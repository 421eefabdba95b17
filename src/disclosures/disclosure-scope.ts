import { badUserInput } from '../kernel/errors.js';
import { timestamp } from '../kernel/clock.js';
import { parseId, type Id } from '../kernel/ids.js';
import type { JsonObject } from '../kernel/json.js';
import { parseAddress, type Address } from '../ledger/index.js';
import { parsePeriod } from '../transactions/index.js';

/** The confidential fields that can be disclosed. */
export const DISCLOSURE_FIELDS = ['amount', 'fee'] as const;
export type DisclosureField = (typeof DISCLOSURE_FIELDS)[number];

/** Most records of one disclosure. */
export const LARGEST_DISCLOSURE = 10_000;

/** Which records and which confidential fields of them: chosen records, or those of an account in a time. */
export type DisclosureScope = { readonly fields: readonly DisclosureField[] } & (
  | { readonly kind: 'transactions'; readonly transactionIds: readonly Id<'txn'>[] }
  | {
      readonly kind: 'account';
      /** A token account, as source or destination. */
      readonly account: Address;
      /** Of the block time, both inside. */
      readonly from: Date | null;
      readonly to: Date | null;
    }
);

export interface DisclosureScopeInput {
  readonly transactionIds?: readonly string[] | null | undefined;
  readonly account?: string | null | undefined;
  readonly from?: Date | null | undefined;
  readonly to?: Date | null | undefined;
  readonly fields: readonly string[];
}

export function parseScope(input: DisclosureScopeInput): DisclosureScope {
  const fields = parseFields('scope.fields', input.fields);
  const { transactionIds, account } = input;
  if ((transactionIds == null) === (account == null)) {
    throw badUserInput('scope must have either transactionIds or account.');
  }
  if (account != null) {
    const period = parsePeriod({ from: 'scope.from', to: 'scope.to' }, input.from, input.to);
    return { kind: 'account', account: parseAddress('scope.account', account), ...period, fields };
  }
  if (input.from != null || input.to != null) {
    throw badUserInput('scope.from and scope.to belong to a scope by account.');
  }
  return { kind: 'transactions', transactionIds: parseTransactionIds(transactionIds ?? []), fields };
}

/** A subset of the known fields, not empty, without repetition. */
export function parseFields(member: string, values: readonly string[]): readonly DisclosureField[] {
  const fields = values.map((value) => DISCLOSURE_FIELDS.find((field) => field === value));
  const known = fields.filter((field) => field !== undefined);
  if (known.length === 0 || known.length !== fields.length || new Set(known).size !== known.length) {
    throw badUserInput(
      `${member} must name each field once, at least one of: ${DISCLOSURE_FIELDS.join(', ')}.`,
    );
  }
  return known;
}

function parseTransactionIds(values: readonly string[]): readonly Id<'txn'>[] {
  if (values.length > LARGEST_DISCLOSURE) throw tooManyRecords();
  if (values.length === 0) throw badUserInput('scope.transactionIds must name at least one transaction.');
  const ids = values.map((value) => parseId('txn', 'scope.transactionIds', value));
  if (new Set(ids).size !== ids.length)
    throw badUserInput('scope.transactionIds must name each transaction once.');
  return ids;
}

export const tooManyRecords = () =>
  badUserInput(
    `A disclosure has at most ${LARGEST_DISCLOSURE.toLocaleString('en')} records; the scope selects more.`,
  );

/** The scope as it is stored, shown and digested: without the members that are not set. */
export function scopeToJson(scope: DisclosureScope): JsonObject {
  if (scope.kind === 'transactions') return { transactionIds: scope.transactionIds, fields: scope.fields };
  return {
    account: scope.account,
    ...(scope.from && { from: timestamp(scope.from) }),
    ...(scope.to && { to: timestamp(scope.to) }),
    fields: scope.fields,
  };
}

/** The stored form back again; it was parsed before it was stored. */
export function scopeFromJson(stored: JsonObject): DisclosureScope {
  const { transactionIds, account, from, to, fields } = stored as Partial<Record<string, unknown>>;
  const time = (value: unknown) => (typeof value === 'string' ? new Date(value) : null);
  return parseScope({
    transactionIds: transactionIds as string[] | undefined,
    account: account as string | undefined,
    from: time(from),
    to: time(to),
    fields: fields as string[],
  });
}
