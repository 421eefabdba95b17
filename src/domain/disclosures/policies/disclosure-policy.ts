import { columnsOf, query, type Reader, type RowOf } from '../../../platform/database/index.js';
import { isOneOf, parseOneOf } from '../../../platform/kernel/enums/enums.js';
import { invalidMember, parseMembers } from '../../../platform/kernel/errors.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { parseName } from '../../../platform/kernel/text.js';
import { type Address, parseAddress } from '../../../platform/ledger/index.js';
import { DisclosurePolicyEntity } from '../disclosure.entity.js';
import { MAX_DISCLOSED_RECORDS, parseFields } from '../disclosure-scope.js';
import {
  DISCLOSURE_FORMATS,
  type DisclosureFormat,
  type DisclosureRules,
  POLICY_OUTCOMES,
} from './disclosure-rules.js';

/** A policy that decides disclosures. Assets refer to it by its id, or by the organization's own key for it. */
export type DisclosurePolicy = RowOf<typeof DisclosurePolicyEntity>;

export interface DisclosureRulesInput {
  readonly allowedFields: readonly string[];
  readonly allowedFormats: readonly string[];
  readonly maximumSpanSeconds?: number | null | undefined;
  readonly maximumRecords?: number | null | undefined;
  readonly allowedAccounts?: readonly string[] | null | undefined;
  readonly inside: string;
  readonly outside: string;
}

export interface DisclosurePolicyInput extends DisclosureRulesInput {
  readonly key: string;
  readonly name: string;
}

export const POLICY_COLUMNS = columnsOf(DisclosurePolicyEntity);

const KEY = /^[A-Za-z0-9][A-Za-z0-9.:-]{0,63}$/;
const MAX_ALLOWED_ACCOUNTS = 1_000;

/** The policy that an asset's `disclosurePolicyId` names by id or key; `undefined` if there is none. */
export async function findPolicy(
  reader: Reader,
  organizationId: Id<'org'>,
  name: string | null,
): Promise<DisclosurePolicy | undefined> {
  if (name === null) return undefined;
  // Every id contains an underscore and no key does, so a name matches at most one policy.
  const [policy] = await reader.rows(
    query
      .selectFrom('disclosure_policies')
      .select(POLICY_COLUMNS)
      .where('organization_id', '=', organizationId)
      .where((policy) => policy.or([policy('id', '=', name as Id<'dpl'>), policy('key', '=', name)])),
  );
  return policy;
}

export function parsePolicyInput(input: DisclosurePolicyInput) {
  const { key, name, rules } = parseMembers({
    key: () => parseKey(input.key),
    name: () => parseName('name', input.name, 128),
    rules: () => parseRules(input),
  });
  return { key, name, rules };
}

function parseRules(input: DisclosureRulesInput): DisclosureRules {
  return parseMembers<DisclosureRules>({
    allowedFields: () => parseFields('allowedFields', input.allowedFields),
    allowedFormats: () => parseFormats('allowedFormats', input.allowedFormats),
    maximumSpanSeconds: () =>
      parseBound('maximumSpanSeconds', input.maximumSpanSeconds, Number.MAX_SAFE_INTEGER),
    maximumRecords: () => parseBound('maximumRecords', input.maximumRecords, MAX_DISCLOSED_RECORDS),
    allowedAccounts: () => parseAccounts('allowedAccounts', input.allowedAccounts),
    inside: () => parseOneOf('inside', POLICY_OUTCOMES, input.inside),
    outside: () => parseOneOf('outside', POLICY_OUTCOMES, input.outside),
  });
}

function parseKey(value: string): string {
  if (!KEY.test(value)) {
    const form = '1 to 64 letters, digits, dots, colons or hyphens, and begin with a letter or digit';
    throw invalidMember('key', `must be ${form}`);
  }
  return value;
}

function parseFormats(member: string, values: readonly string[]): readonly DisclosureFormat[] {
  const formats = values.filter((value) => isOneOf(DISCLOSURE_FORMATS, value));
  if (formats.length === 0 || formats.length !== values.length || new Set(formats).size !== formats.length) {
    throw invalidMember(member, `must name at least one of ${DISCLOSURE_FORMATS.join(', ')}, each only once`);
  }
  return DISCLOSURE_FORMATS.filter((format) => formats.includes(format));
}

function parseBound(member: string, value: number | null | undefined, max: number): number | null {
  if (value == null) return null;
  if (!Number.isSafeInteger(value) || value < 0 || value > max) {
    throw invalidMember(member, `must be an integer from 0 to ${max}`);
  }
  return value;
}

function parseAccounts(
  member: string,
  values: readonly string[] | null | undefined,
): readonly Address[] | null {
  if (values == null) return null;
  if (values.length > MAX_ALLOWED_ACCOUNTS)
    throw invalidMember(member, `must have at most ${MAX_ALLOWED_ACCOUNTS} accounts`);
  return values.map((value, index) => parseAddress(`${member}[${index}]`, value));
}
