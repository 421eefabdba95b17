import { isOneOf } from '../../platform/kernel/enums/enums.js';
import { badUserInput, invalidMember, parseMembers } from '../../platform/kernel/errors.js';
import { timestamp } from '../../platform/kernel/clock.js';
import { parseId, type Id } from '../../platform/kernel/ids.js';
import type { JsonObject } from '../../platform/kernel/encoding/json.js';
import { parseAddress, type Address } from '../../platform/ledger/index.js';
import { parsePeriod } from '../transactions/index.js';
import { DISCLOSURE_FIELDS, type DisclosureField } from './disclosure-fields.js';

export { DISCLOSURE_FIELDS, type DisclosureField };

/** Maximum number of records of one disclosure. */
export const MAX_DISCLOSED_RECORDS = 10_000;

/** Records and their confidential fields. The records are chosen ones, or those of an account within a period. */
export type DisclosureScope = { readonly fields: readonly DisclosureField[] } & (
  | { readonly kind: 'transactions'; readonly transactionIds: readonly Id<'txn'>[] }
  | {
      readonly kind: 'account';
      /** A token account, as source or destination. */
      readonly account: Address;
      /** Earliest block time, inclusive. Null is an open beginning. */
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
  const { transactionIds, account, from, to } = input;
  if ((transactionIds == null) === (account == null)) {
    throw invalidMember('scope', 'must have either transactionIds or account');
  }
  if (account != null) {
    const { period, ...scope } = parseMembers({
      fields: () => parseFields('scope.fields', input.fields),
      account: () => parseAddress('scope.account', account),
      period: () => parsePeriod({ from: 'scope.from', to: 'scope.to' }, from, to),
    });
    return { kind: 'account', ...scope, ...period };
  }
  if (from != null || to != null) throw invalidMember('scope', 'may have from and to only with an account');
  const scope = parseMembers({
    fields: () => parseFields('scope.fields', input.fields),
    transactionIds: () => parseTransactionIds('scope.transactionIds', transactionIds ?? []),
  });
  return { kind: 'transactions', ...scope };
}

/** At least one of the fields, each once. */
export function parseFields(member: string, values: readonly string[]): readonly DisclosureField[] {
  const fields = values.filter((value) => isOneOf(DISCLOSURE_FIELDS, value));
  if (fields.length === 0 || fields.length !== values.length || new Set(fields).size !== fields.length) {
    throw invalidMember(member, `must name at least one of ${DISCLOSURE_FIELDS.join(', ')}, each only once`);
  }
  return fields;
}

function parseTransactionIds(member: string, values: readonly string[]): readonly Id<'txn'>[] {
  if (values.length > MAX_DISCLOSED_RECORDS) throw tooManyRecords();
  if (values.length === 0) throw invalidMember(member, 'must name at least one transaction');
  const ids = values.map((value, index) => parseId('txn', `${member}[${index}]`, value));
  if (new Set(ids).size !== ids.length) throw invalidMember(member, 'must name each transaction only once');
  return ids;
}

export const tooManyRecords = () =>
  badUserInput(
    `A disclosure can have at most ${MAX_DISCLOSED_RECORDS.toLocaleString('en')} records, but the scope selects more. Narrow the scope.`,
  );

/** The scope in its stored, shown and digested form, without unset members. */
export function scopeToJson(scope: DisclosureScope): JsonObject {
  if (scope.kind === 'transactions') return { transactionIds: scope.transactionIds, fields: scope.fields };
  return {
    account: scope.account,
    ...(scope.from && { from: timestamp(scope.from) }),
    ...(scope.to && { to: timestamp(scope.to) }),
    fields: scope.fields,
  };
}

/** The scope from its stored form. */
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
