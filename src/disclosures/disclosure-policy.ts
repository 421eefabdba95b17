import { sql, type Reader } from '../database/index.js';
import { badUserInput } from '../kernel/errors.js';
import type { Id } from '../kernel/ids.js';
import { parseText } from '../kernel/text.js';
import { parseAddress } from '../ledger/index.js';
import {
  DISCLOSURE_FORMATS,
  POLICY_OUTCOMES,
  type DisclosureRules,
  type PolicyOutcome,
} from './disclosure-rules.js';
import { LARGEST_DISCLOSURE, parseFields } from './disclosure-scope.js';

export interface DisclosurePolicy {
  readonly id: Id<'dpl'>;
  readonly organizationId: Id<'org'>;
  /** The organization's own name for it, by which assets can refer to it. */
  readonly key: string;
  readonly name: string;
  readonly rules: DisclosureRules;
  readonly createdAt: Date;
}

export interface DisclosurePolicyInput {
  readonly key: string;
  readonly name: string;
  readonly allowedFields: readonly string[];
  readonly allowedFormats: readonly string[];
  readonly maximumSpanSeconds?: number | null | undefined;
  readonly maximumRecords?: number | null | undefined;
  readonly allowedAccounts?: readonly string[] | null | undefined;
  readonly inside: string;
  readonly outside: string;
}

export const POLICY_COLUMNS = sql`id, organization_id as "organizationId", key, name, rules, created_at as "createdAt"`;

const KEY = /^[A-Za-z0-9][A-Za-z0-9.:-]{0,63}$/;
const MOST_ACCOUNTS = 1_000;

/** The policy that an asset's `disclosurePolicyId` names, by id or key; `undefined` when it names none. */
export async function findPolicy(
  reader: Reader,
  organizationId: Id<'org'>,
  name: string | null,
): Promise<DisclosurePolicy | undefined> {
  if (name === null) return undefined;
  // No key has an underscore, every id has one: at most one policy answers to a name.
  const [policy] = await reader.rows(sql<DisclosurePolicy>`
    select ${POLICY_COLUMNS} from disclosure_policies
    where organization_id = ${organizationId} and (id = ${name} or key = ${name})`);
  return policy;
}

export function parsePolicyInput(input: DisclosurePolicyInput) {
  if (!KEY.test(input.key)) {
    throw badUserInput(
      'key must be 1 to 64 letters, digits, dots, colons or hyphens, the first a letter or digit.',
    );
  }
  const rules: DisclosureRules = {
    allowedFields: parseFields('allowedFields', input.allowedFields),
    allowedFormats: parseFormats(input.allowedFormats),
    maximumSpanSeconds: parseBound('maximumSpanSeconds', input.maximumSpanSeconds, Number.MAX_SAFE_INTEGER),
    maximumRecords: parseBound('maximumRecords', input.maximumRecords, LARGEST_DISCLOSURE),
    allowedAccounts: parseAccounts(input.allowedAccounts),
    inside: parseOutcome('inside', input.inside),
    outside: parseOutcome('outside', input.outside),
  };
  return { key: input.key, name: parseText('name', input.name, 128), rules };
}

function parseFormats(values: readonly string[]) {
  const formats = DISCLOSURE_FORMATS.filter((format) => values.includes(format));
  if (formats.length === 0 || formats.length !== values.length) {
    throw badUserInput(`allowedFormats must name each format once, of: ${DISCLOSURE_FORMATS.join(', ')}.`);
  }
  return formats;
}

function parseBound(member: string, value: number | null | undefined, largest: number): number | null {
  if (value == null) return null;
  if (!Number.isSafeInteger(value) || value < 0 || value > largest) {
    throw badUserInput(`${member} must be an integer from 0 to ${largest}.`);
  }
  return value;
}

function parseAccounts(values: readonly string[] | null | undefined) {
  if (values == null) return null;
  if (values.length > MOST_ACCOUNTS)
    throw badUserInput(`allowedAccounts must have at most ${MOST_ACCOUNTS} accounts.`);
  return values.map((value) => parseAddress('allowedAccounts', value));
}

function parseOutcome(member: string, value: string): PolicyOutcome {
  const outcome = POLICY_OUTCOMES.find((known) => known === value);
  if (!outcome) throw badUserInput(`${member} must be one of ${POLICY_OUTCOMES.join(', ')}.`);
  return outcome;
}
