import { parseVerifierKey, requireExpectedKey, verify } from '../../../platform/crypto/index.js';
import { base64 } from '../../../platform/kernel/encoding/bytes.js';
import {
  canonicalJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseUnambiguousJson,
} from '../../../platform/kernel/encoding/json.js';
import {
  CheckFailed,
  keyLimits,
  verificationCheck as check,
  type KnownKeys,
  type Verification,
  type VerificationCheck,
} from '../../../platform/kernel/verification.js';
import { isOneOf } from '../../../platform/kernel/enums/enums.js';
import { DISCLOSURE_FORMATS } from '../policies/disclosure-rules.js';
import { serializeRecords } from '../results/disclosure-content.js';
import type { DisclosedRecord } from '../results/disclosed-record.js';
import {
  parseSalt,
  PROOF_DESCRIPTION,
  resultDigest,
  saltedDigest,
  type UnsignedResult,
} from '../results/disclosure-result.js';
import { DISCLOSURE_FIELDS, type DisclosureField } from '../disclosure-fields.js';
import { type ReceiptBody, receiptKeyName, receiptMessage } from '../results/receipt-statement.js';
import { isProvenAmount } from './verify-amount-file.js';

type CheckName =
  'file' | 'receipt_signature' | 'keys' | 'receipt_statement' | 'scope' | 'result' | 'content' | 'proofs';
export type DisclosureCheck = VerificationCheck<CheckName>;
export type DisclosureVerification = Verification<CheckName>;

export interface VerifyOptions {
  /** The organization's key from another source (C2SP). Without it, the key in the file is trusted. */
  readonly verifierKey?: string;
  /** The keys in the organization's log, from the expected one on. Any of them may have signed the receipt. */
  readonly keys?: KnownKeys;
}

/**
 * Checks a disclosure offline, as `GET /v1/disclosures/{id}` or GraphQL returns it: the receipt's signature, that the receipt
 * states this disclosure, scope and result, that the content matches the records, and the proof of every value.
 */
export function verifyDisclosureFile(file: unknown, options: VerifyOptions = {}): DisclosureVerification {
  const parsed = parseFile(file);
  if (typeof parsed === 'string') {
    return { valid: false, checks: [{ name: 'file', passed: false, detail: parsed }], unverified: LIMITS };
  }
  const { salt, records } = parsed;
  const detail = salt
    ? `The disclosure is available. Records: ${records.length}.`
    : `The disclosure is available. Its result was deleted on ${shown(parsed.result['deletedAt'])}.`;
  const checks: DisclosureCheck[] = [
    { name: 'file', passed: true, detail },
    check('receipt_signature', () => receiptSignature(parsed, options)),
    ...(options.keys ? [check('keys' as const, () => keyOf(parsed, options.keys!))] : []),
    check('receipt_statement', () => receiptStatement(parsed)),
    ...(salt
      ? [
          check('scope' as const, () => scopeDigest(parsed, salt)),
          check('result' as const, () => resultStatement(parsed, salt)),
          check('content' as const, () => content(parsed)),
          check('proofs' as const, () => proofs(parsed)),
        ]
      : []),
  ];
  const unverified = [...keyLimits(options), ...(salt ? LIMITS : LIMITS_OF_RECEIPT)];
  return { valid: checks.every(({ passed }) => passed), checks, unverified };
}

const LIMITS = [
  'That the ciphertexts are those of the transactions. Compare them with the instructions on the ledger.',
  'That the auditor key was the key of the mint at that time. Compare it with the mint account and its updates.',
  'The decimals of the asset. The gateway states them, and the proofs only cover amounts in base units.',
  'Amounts marked “public”, and everything else that has no proof. Compare them with the ledger, where they are not encrypted.',
  'The reference of the requester, and who decided the disclosure and why. The receipt does not state them.',
  'That the ledger has no other records in this scope. The receipt states what the gateway had indexed.',
];

/** The parts of a deleted result that cannot be checked. Without its salt, no digest of the receipt can be compared. */
const LIMITS_OF_RECEIPT = [
  'What was disclosed, the purpose, and the scope. The receipt has salted digests of them, and the salt was deleted with the result.',
  'That the result was deleted, and when. The gateway states this, but the receipt does not.',
  'The reference of the requester, and who decided the disclosure and why. The receipt does not state them.',
];

interface ParsedFile {
  readonly disclosure: Record<string, JsonValue>;
  readonly scope: Record<string, JsonValue>;
  readonly result: Record<string, JsonValue>;
  readonly records: readonly Record<string, JsonValue>[];
  /** 16 bytes, which precede each value that the receipt digests. Undefined if the result was deleted. */
  readonly salt: Uint8Array | undefined;
  readonly receipt: { readonly body: JsonObject; readonly signature: string; readonly verifierKey: string };
}

function parseFile(file: unknown): ParsedFile | string {
  const disclosure = withoutTypeNames(find(file));
  if (!disclosure)
    return 'This is not a disclosure. A disclosure is a JSON object with `scope` and `result`.';
  const { scope, result, status } = disclosure;
  if (result === null) return `The disclosure has no result: its status is ${shown(status)}.`;
  if (!isJsonObject(scope) || !isJsonObject(result)) return 'The disclosure has no `scope` or no `result`.';
  if (status !== 'available') return `The disclosure has a result, but its status is ${shown(status)}.`;
  const { receipt, deletedAt } = result;
  const isDeleted = typeof deletedAt === 'string';
  if (isDeleted && DELETED_MEMBERS.some((member) => result[member] != null))
    return 'The result is marked as deleted, but still has a part of what was disclosed.';
  const records: unknown = isDeleted ? [] : result['records'];
  if (!Array.isArray(records) || !records.every(isJsonObject)) return 'The result has no list of `records`.';
  const salt = parseSalt(result['salt']);
  if (!isDeleted && !salt) return 'The result has no `salt` of 16 bytes in base64.';
  if (!isJsonObject(receipt)) return 'The result has no `receipt`.';
  const { body, signature, verifierKey } = receipt;
  if (!isJsonObject(body) || typeof signature !== 'string' || typeof verifierKey !== 'string') {
    return 'The receipt must have `body`, `signature` and `verifierKey`.';
  }
  const disclosed = records.map((record) =>
    asDisclosed(record as Record<string, JsonValue>, scope['fields']),
  );
  // Other members are refused: nothing verifies them, but they would look verified.
  const unknown =
    unknownMember('', disclosure, DISCLOSURE_MEMBERS) ??
    unknownMember('result.', result, RESULT_MEMBERS) ??
    unknownMember('result.receipt.', receipt, RECEIPT_MEMBERS);
  if (unknown !== undefined)
    return `The member ${unknown} does not belong in a disclosure, and nothing proves it.`;
  return {
    disclosure: disclosure as Record<string, JsonValue>,
    scope: scope as Record<string, JsonValue>,
    result: { ...(result as Record<string, JsonValue>), records: disclosed },
    records: disclosed,
    salt,
    receipt: { body: body as JsonObject, signature, verifierKey },
  };
}

const DISCLOSURE_MEMBERS = [
  'id',
  'assetId',
  'purpose',
  'scope',
  'format',
  'status',
  'externalReference',
  'policyId',
  'requestedAt',
  'decision',
  'decidedBy',
  'decidedAt',
  'decisionReason',
  'resolvedAt',
  'result',
];
const DELETED_MEMBERS = ['records', 'content', 'salt'] as const;
const RESULT_MEMBERS = [
  'format',
  'generatedAt',
  'deletedAt',
  'receiptId',
  'records',
  'content',
  'proof',
  'salt',
  'receipt',
];
const RECEIPT_MEMBERS = ['id', 'body', 'signature', 'verifierKey'];

function unknownMember(
  within: string,
  object: Record<string, unknown>,
  known: readonly string[],
): string | undefined {
  const unknown = Object.keys(object).find((member) => member !== '__typename' && !known.includes(member));
  return unknown === undefined ? undefined : `${within}${unknown.slice(0, 100)}`;
}

/** Removes `__typename`, which GraphQL clients add. No object of a disclosure is deeper than `MAX_DEPTH`. */
function withoutTypeNames<Value>(value: Value, depth = 0): Value {
  if (depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => withoutTypeNames(item, depth + 1)) as Value;
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).filter(([name]) => name !== '__typename');
  return Object.fromEntries(
    members.map(([name, member]) => [name, withoutTypeNames(member, depth + 1)]),
  ) as Value;
}

const MAX_DEPTH = 8;

/** A record in its digested form. In GraphQL, fields that were not requested and lists without names are null. */
function asDisclosed(record: Record<string, JsonValue>, requested: unknown): Record<string, JsonValue> {
  const isAbsent = ([member, value]: readonly [string, JsonValue]) =>
    value === null &&
    (LISTS.includes(member) ||
      (isOneOf(DISCLOSURE_FIELDS, member) && Array.isArray(requested) && !requested.includes(member)));
  return Object.fromEntries(Object.entries(record).filter((entry) => !isAbsent(entry)));
}

const LISTS = ['public', 'undecryptable', 'unavailable'];

/** The disclosure itself, or the only member of a GraphQL answer. With several members, it would be unclear which is meant. */
function find(file: unknown): Record<string, unknown> | undefined {
  if (!isJsonObject(file)) return undefined;
  if (isDisclosure(file)) return file;
  const { data } = file;
  if (!isJsonObject(data) || unknownMember('', file, ['data', 'extensions']) !== undefined) return undefined;
  const [answer, ...more] = Object.values(data);
  return more.length === 0 && isJsonObject(answer) && isDisclosure(answer) ? answer : undefined;
}

const isDisclosure = (value: Record<string, unknown>) => 'result' in value && 'scope' in value;

function receiptSignature({ receipt }: ParsedFile, { verifierKey, keys }: VerifyOptions): string {
  const key = parseVerifierKey(receipt.verifierKey);
  if (!key) throw new CheckFailed('The verifier key is malformed.');
  // If the keys of the log are given, they lead from the expected key to the one of the receipt.
  if (verifierKey !== undefined && !keys) requireExpectedKey(key, verifierKey);
  const signature = base64.decode(receipt.signature);
  if (!signature || !verify(key.publicKey, receiptMessage(receipt.body), signature)) {
    throw new CheckFailed('The signature of the receipt is not valid for its verifier key.');
  }
  if (key.name !== receiptKeyName(shown(receipt.body['organizationId']))) {
    throw new CheckFailed('The verifier key names a different organization than the receipt.');
  }
  return `Signed by ${receipt.verifierKey}.`;
}

const keyOf = ({ receipt: { body, signature, verifierKey } }: ParsedFile, keys: KnownKeys): string =>
  keys.signerOf({ organizationId: shown(body['organizationId']), verifierKey, signature });

/** What every receipt of a disclosure states as text, also if the result was deleted. */
const SIGNED_TEXTS = [
  ...(['disclosureId', 'assetId', 'receiptId'] as const),
  ...(['requestedAt', 'decidedAt', 'generatedAt'] as const),
] satisfies (keyof ReceiptBody)[];

function receiptStatement({ disclosure, result, records, salt, receipt: { body } }: ParsedFile): string {
  const decision = isJsonObject(body['decision']) ? body['decision'] : {};
  // The same key signs receipts of relays. What such a receipt lacks must not equal what a file leaves out.
  for (const member of SIGNED_TEXTS) {
    if (typeof body[member] !== 'string')
      throw new CheckFailed(`The receipt is not that of a disclosure: it does not state \`${member}\`.`);
  }
  const { id: receiptId } = result['receipt'] as Record<string, JsonValue>;
  // Some files omit how and when it was decided; if present, both must match the signed statement.
  const stated: readonly (readonly [string, JsonValue | undefined, JsonValue | undefined])[] = [
    ['id', disclosure['id'], body['disclosureId']],
    ['assetId', disclosure['assetId'], body['assetId']],
    ['requestedAt', disclosure['requestedAt'], body['requestedAt']],
    ['result.receiptId', result['receiptId'], body['receiptId']],
    ['result.receipt.id', receiptId ?? body['receiptId'], body['receiptId']],
    ['result.generatedAt', result['generatedAt'], body['generatedAt']],
    ['resolvedAt', disclosure['resolvedAt'] ?? body['generatedAt'], body['generatedAt']],
    ['decidedAt', disclosure['decidedAt'] ?? body['decidedAt'], body['decidedAt']],
    ['decision', disclosure['decision'] ?? decision['decision'], decision['decision']],
    ['policyId', disclosure['policyId'] ?? decision['policyId'], decision['policyId']],
    ...(salt
      ? ([
          ['the number of records', records.length, body['recordCount']],
          ['the digest of purpose', saltedDigest(salt, disclosure['purpose'] ?? null), body['purposeSha256']],
        ] as const)
      : []),
  ];
  for (const [member, shown, signed] of stated) {
    if (shown !== signed)
      throw new CheckFailed(`The receipt and the file have different values for ${member}.`);
  }
  return `The receipt states disclosure ${shown(body['disclosureId'])}, generated at ${shown(body['generatedAt'])}.`;
}

// GraphQL returns unset members as null, and REST omits them. The digest covers only set members.
function scopeDigest({ scope, receipt: { body } }: ParsedFile, salt: Uint8Array): string {
  const set = Object.fromEntries(Object.entries(scope).filter(([, value]) => value !== null));
  if (saltedDigest(salt, set) !== body['scopeSha256'])
    throw new CheckFailed('The scope does not match the receipt.');
  return 'The scope matches the receipt.';
}

function resultStatement({ result, receipt: { body } }: ParsedFile, salt: Uint8Array): string {
  if (resultDigest(salt, result as unknown as UnsignedResult) !== body['resultSha256']) {
    throw new CheckFailed('The result does not match the receipt.');
  }
  return 'Records, content and proofs match the receipt.';
}

function content({ result, scope, records, disclosure }: ParsedFile): string {
  const format = DISCLOSURE_FORMATS.find((known) => known === result['format']);
  const text = result['content'];
  if (!format || typeof text !== 'string') throw new CheckFailed('The result has no format or no content.');
  if (disclosure['format'] !== format)
    throw new CheckFailed('The format of the result is not the requested format.');
  const same =
    format === 'json'
      ? canonicalJson(parseUnambiguousJson(text) as JsonValue) === canonicalJson(records)
      : text === serializeRecords(format, records as unknown as DisclosedRecord[], fieldsOf(scope));
  if (!same) throw new CheckFailed('The content does not match the records.');
  return `The ${format.toUpperCase()} content matches the records.`;
}

// In the order of the scope, which is also the order of the columns.
function fieldsOf(scope: Record<string, JsonValue>): DisclosureField[] {
  const fields = scope['fields'] as unknown;
  if (!Array.isArray(fields)) return [];
  return fields.flatMap((name) => DISCLOSURE_FIELDS.filter((field) => field === name));
}

function proofs({ result, records, scope }: ParsedFile): string {
  const description = result['proof'];
  if (!isJsonObject(description) || description['scheme'] !== PROOF_DESCRIPTION.scheme) {
    throw new CheckFailed(`The proof scheme is not ${PROOF_DESCRIPTION.scheme}.`);
  }
  const fields: readonly string[] = fieldsOf(scope);
  const counts = { proven: 0, public: 0, undecryptable: 0 };
  for (const record of records) {
    for (const field of DISCLOSURE_FIELDS) {
      if (field in record && !fields.includes(field)) {
        throw new CheckFailed(`${nameOf(record)} discloses ${field}, which the scope does not include.`);
      }
    }
    if (record['fee'] != null)
      throw new CheckFailed(`${nameOf(record)} has a fee, but a fee cannot be proven.`);
    const standing = amountStanding(record);
    if (standing !== 'none') counts[standing] += 1;
  }
  return (
    `Amounts: ${counts.proven} proven, ${counts.public} public on the ledger, ` +
    `${counts.undecryptable} not decryptable.`
  );
}

const PUBLIC_TYPES: readonly unknown[] = ['confidential_deposit', 'confidential_withdraw'];

function amountStanding(record: Record<string, JsonValue>): 'proven' | 'public' | 'undecryptable' | 'none' {
  const amount = record['amount'];
  const names = (member: string) => {
    const list: unknown = record[member];
    return Array.isArray(list) && list.includes('amount');
  };
  if (amount === undefined || amount === null) {
    if (record['proof'] !== null) throw new CheckFailed(`${nameOf(record)} has a proof but no amount.`);
    return names('undecryptable') ? 'undecryptable' : 'none';
  }
  if (record['proof'] === null && names('public') && PUBLIC_TYPES.includes(record['type'])) return 'public';
  if (!isJsonObject(record['proof']) || !isProvenAmount(amount, record['proof']['amount'])) {
    throw new CheckFailed(`The amount of ${nameOf(record)} is not proven by its ciphertext and key.`);
  }
  return 'proven';
}

const nameOf = (record: Record<string, JsonValue>) => `record ${shown(record['transactionId'])}`;

const shown = (value: unknown) => (typeof value === 'string' ? value : '(missing)');
