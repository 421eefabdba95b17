import { parseSignal, sha256 } from '../../../platform/crypto/index.js';
import { invalidMember, parseMembers, type LucarneError } from '../../../platform/kernel/errors.js';
import {
  canonicalJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../../platform/kernel/encoding/json.js';
import { isStorable } from '../../../platform/kernel/text.js';
import { isAddress, type Address } from '../../../platform/ledger/index.js';

/** A prepared operation as a client submits it, with every value decoded. */
export interface RelayPackage {
  readonly poolSelector: string;
  /** Names the circuit within the pool, such as `3` for two inputs and two outputs. */
  readonly zkConfigNonce: string;
  /** 256 bytes: A | B | C as in EIP-197. Parsing does not check that they are points. */
  readonly proof: Uint8Array;
  /** Each below r. */
  readonly signals: readonly bigint[];
  readonly applicationIdHints: readonly string[];
  readonly ciphertext: Uint8Array | null;
  /** 32 bytes for each output; null for an output without a scalar. */
  readonly outputNoteEphemeralScalars: readonly (Uint8Array | null)[];
  readonly escrowAuthorization: JsonValue;
  readonly keyVersionHints: readonly (number | null)[];
  readonly recipient: Address | null;
}

export type PackageProblem = 'invalid_package' | 'unsupported_signal_shape';

const PROOF_BYTES = 256;
const WORD_BYTES = 32;
/** The largest circuit has 6 inputs and 6 outputs, which is 15 signals. */
const MAX_SIGNALS = 64;
const MAX_ITEMS = 64;
const MAX_NAME_LENGTH = 128;
const MEMBERS: readonly string[] = [
  'version',
  'poolSelector',
  'zkConfigNonce',
  'proofBytes',
  'publicSignals',
  'applicationIdHints',
  'ciphertextBytes',
  'outputNoteEphemeralScalars',
  'escrowAuthorization',
  'keyVersionHints',
  'recipient',
  'escrowRecipient',
];
/** A fixed limit: if the size of the stack decided, each instance would accept different packages. */
const MAX_DEPTH = 64;

/**
 * Parses a submitted package. Unknown members are dropped: versions of the SDK differ in them, and members that are not read
 * must not change the digest. `escrowRecipient` is the older name of `recipient`. All invalid members are reported together.
 * @throws {LucarneError} BAD_USER_INPUT with the reason `invalid_package`, or `unsupported_signal_shape` for signals that are
 *   not reduced.
 */
export function parseRelayPackage(value: unknown): RelayPackage {
  if (!isJsonObject(value)) throw invalid('package', 'must be a JSON object');
  requireVersion(value['version']);
  return parseMembers({
    poolSelector: () => name('poolSelector', value['poolSelector']),
    zkConfigNonce: () => nonce(value['zkConfigNonce']),
    proof: () => hex('proofBytes', value['proofBytes'], PROOF_BYTES),
    signals: () => signals(value['publicSignals']),
    applicationIdHints: () =>
      list('applicationIdHints', value['applicationIdHints']).map((hint, at) =>
        name(`applicationIdHints[${at}]`, hint),
      ),
    ciphertext: () =>
      value['ciphertextBytes'] == null ? null : hex('ciphertextBytes', value['ciphertextBytes']),
    outputNoteEphemeralScalars: () =>
      list('outputNoteEphemeralScalars', value['outputNoteEphemeralScalars'] ?? []).map(scalar),
    escrowAuthorization: () => json('escrowAuthorization', value['escrowAuthorization'] ?? null),
    keyVersionHints: () => list('keyVersionHints', value['keyVersionHints'] ?? []).map(keyVersion),
    recipient: () => recipient(value['recipient'] ?? null, value['escrowRecipient'] ?? null),
  });
}

/** Members of a submitted package that are not read. No digest covers them, so they are not authenticated. */
export const unreadMembers = (value: object): readonly string[] =>
  Object.keys(value).filter((member) => !MEMBERS.includes(member));

/**
 * The canonical form of a package. It is a package that can be parsed. Decoded values are encoded again, so that letter case, a
 * leading 0x and decimal digits make no difference. Its members are in the order of RFC 8785, which makes it faster to write.
 */
export function canonicalPackage(relayPackage: RelayPackage): JsonObject {
  return {
    applicationIdHints: relayPackage.applicationIdHints,
    ciphertextBytes: relayPackage.ciphertext && hexOf(relayPackage.ciphertext),
    escrowAuthorization: relayPackage.escrowAuthorization,
    keyVersionHints: relayPackage.keyVersionHints,
    outputNoteEphemeralScalars: relayPackage.outputNoteEphemeralScalars.map((one) => one && hexOf(one)),
    poolSelector: relayPackage.poolSelector,
    proofBytes: hexOf(relayPackage.proof),
    publicSignals: relayPackage.signals.map(wordOf),
    recipient: relayPackage.recipient,
    version: 1,
    zkConfigNonce: relayPackage.zkConfigNonce,
  };
}

/** The canonical form as RFC 8785 JSON, in UTF-8. It is hashed and stored. */
export const canonicalBytes = (relayPackage: RelayPackage): Uint8Array =>
  Buffer.from(canonicalJson(canonicalPackage(relayPackage)));

/** SHA-256 of {@link canonicalBytes}. Two submissions of the same package have the same digest. */
export const packageDigest = (relayPackage: RelayPackage): Uint8Array => sha256(canonicalBytes(relayPackage));

const refused = (reason: PackageProblem, member: string, problem: string): LucarneError =>
  invalidMember(member, problem, { reason });
const invalid = (member: string, problem: string) => refused('invalid_package', member, problem);

/** Checked first, because another version would have other members. */
function requireVersion(value: unknown): void {
  if (value !== 1) throw invalid('version', 'must be 1');
}

function name(member: string, value: unknown): string {
  if (typeof value !== 'string' || value.length < 1 || value.length > MAX_NAME_LENGTH || !isStorable(value))
    throw invalid(member, `must be a string of 1 to ${MAX_NAME_LENGTH} characters`);
  return value;
}

/** Accepts a string or a number, because versions of the SDK differ. */
function nonce(value: unknown): string {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== 'string' || !/^(0|[1-9]\d{0,15})$/.test(text))
    throw invalid('zkConfigNonce', 'must be a whole number, as a string or a number');
  return text;
}

/** The pool defines the form of the value. It must have canonical JSON, which a lone surrogate does not have. */
function json(member: string, value: unknown): JsonValue {
  if (!isNestedWithin(MAX_DEPTH, value))
    throw invalid(member, `must not be nested more than ${MAX_DEPTH} levels deep`);
  try {
    canonicalJson(value as JsonValue);
    return value as JsonValue;
  } catch {
    throw invalid(member, 'must be JSON whose strings are well-formed Unicode');
  }
}

function isNestedWithin(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((item) => isNestedWithin(levels - 1, item));
}

function hex(member: string, value: unknown, length?: number): Uint8Array {
  const size = length === undefined ? 'bytes' : `${length} bytes`;
  const digits = typeof value === 'string' ? value.replace(/^0x/i, '') : '';
  const fits = typeof value === 'string' && digits.length % 2 === 0 && /^[0-9a-f]*$/i.test(digits);
  if (!fits || (length !== undefined && digits.length !== 2 * length))
    throw invalid(member, `must be ${size} in hex`);
  return new Uint8Array(Buffer.from(digits, 'hex'));
}

/**
 * A scalar, as different versions of the SDK write it: decimal digits, or hex with or without 0x; null for an output without a
 * scalar. Without 0x, a value is hex if it contains a letter or has the full length of 64 digits.
 */
function scalar(value: unknown, at: number): Uint8Array | null {
  if (value === null) return null;
  const text = typeof value === 'string' ? value : '';
  const digits = text.replace(/^0x/i, '');
  const isHex =
    /^[0-9a-f]{1,64}$/i.test(digits) && (digits !== text || digits.length === 64 || /[a-f]/i.test(digits));
  const isDecimal = /^(0|[1-9]\d{0,77})$/.test(text);
  const number = isHex ? BigInt(`0x${digits}`) : isDecimal ? BigInt(text) : undefined;
  if (number === undefined || number >= 1n << 256n)
    throw invalid(
      `outputNoteEphemeralScalars[${at}]`,
      'must be a scalar below 2^256, as decimal digits or hex, or null',
    );
  return new Uint8Array(Buffer.from(wordOf(number), 'hex'));
}

/** A list of field elements, or one string with all of them. */
function signals(value: unknown): bigint[] {
  const words =
    typeof value === 'string'
      ? wordsIn(hex('publicSignals', value))
      : list('publicSignals', value).map((word, at) => hex(`publicSignals[${at}]`, word, WORD_BYTES));
  if (words.length === 0 || words.length > MAX_SIGNALS)
    throw invalid('publicSignals', `must be 1 to ${MAX_SIGNALS} field elements`);
  return words.map((word, at) => {
    const signal = parseSignal(word);
    // An unreduced signal would be a second spelling of the same value, so that a nullifier could be used twice.
    if (signal === undefined)
      throw refused(
        'unsupported_signal_shape',
        `publicSignals[${at}]`,
        'must be below the order of the field',
      );
    return signal;
  });
}

function wordsIn(bytes: Uint8Array): Uint8Array[] {
  if (bytes.length % WORD_BYTES !== 0)
    throw invalid('publicSignals', 'must be field elements of 32 bytes each');
  return Array.from({ length: bytes.length / WORD_BYTES }, (_, at) =>
    bytes.subarray(at * WORD_BYTES, (at + 1) * WORD_BYTES),
  );
}

function list(member: string, value: unknown): readonly unknown[] {
  if (!Array.isArray(value) || value.length > MAX_ITEMS)
    throw invalid(member, `must be a list of at most ${MAX_ITEMS}`);
  return value;
}

function keyVersion(value: unknown, at: number): number | null {
  if (value !== null && !(Number.isSafeInteger(value) && (value as number) >= 0))
    throw invalid(`keyVersionHints[${at}]`, 'must be a whole number or null');
  return value as number | null;
}

function recipient(value: unknown, older: unknown): Address | null {
  if (value !== null && older !== null && value !== older)
    throw invalid('recipient', 'must not differ from escrowRecipient');
  const address = value ?? older;
  if (address !== null && !isAddress(address))
    throw invalid('recipient', 'must be an address: 32 bytes in base58');
  return address;
}

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const wordOf = (value: bigint) => value.toString(16).padStart(2 * WORD_BYTES, '0');
