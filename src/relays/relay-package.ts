import { parseSignal, sha256 } from '../crypto/index.js';
import { badUserInput, type LucarneError } from '../kernel/errors.js';
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '../kernel/json.js';
import { isStorable } from '../kernel/text.js';
import { isAddress, type Address } from '../ledger/index.js';

/** A prepared operation as a client submits it, every value decoded and every member in one form. */
export interface RelayPackage {
  readonly poolSelector: string;
  /** Names the circuit within the pool, such as `3` for two inputs and two outputs. */
  readonly zkConfigNonce: string;
  /** 256 bytes: A | B | C as EIP-197 takes them. Whether they are points was not looked at. */
  readonly proof: Uint8Array;
  /** Each below r. */
  readonly signals: readonly bigint[];
  readonly applicationIdHints: readonly string[];
  readonly ciphertext: Uint8Array | null;
  readonly outputNoteEphemeralScalars: readonly Uint8Array[];
  readonly escrowAuthorization: JsonValue;
  readonly keyVersionHints: readonly (number | null)[];
  readonly recipient: Address | null;
}

export type PackageProblem = 'invalid_package' | 'unsupported_signal_shape';

const PROOF_BYTES = 256;
const SIGNAL_BYTES = 32;
/** No circuit has more: 6 inputs and 6 outputs are 15 signals. */
const MOST_SIGNALS = 64;
const MOST_HINTS = 64;
const LONGEST_NAME = 128;
/** How much of the stack is left must not decide what is a package: each instance would decide otherwise. */
const MOST_NESTING = 64;

/**
 * Parses a submitted package. Members that are not known are dropped: generations of the SDK differ in them, and what
 * is not read must make no difference. `escrowRecipient` is what an older one calls `recipient`.
 * @throws {LucarneError} BAD_USER_INPUT with the reason `invalid_package`, or `unsupported_signal_shape` for signals
 *   that are not reduced.
 */
export function parseRelayPackage(value: unknown): RelayPackage {
  if (!isJsonObject(value)) throw invalid('The package must be a JSON object.');
  if (value['version'] !== 1) throw invalid('version must be 1.');
  return {
    poolSelector: name('poolSelector', value['poolSelector']),
    zkConfigNonce: nonce(value['zkConfigNonce']),
    proof: hex('proofBytes', value['proofBytes'], PROOF_BYTES),
    signals: signals(value['publicSignals']),
    applicationIdHints: list(
      'applicationIdHints',
      value['applicationIdHints'] ?? missing('applicationIdHints'),
    ).map((hint, at) => name(`applicationIdHints[${at}]`, hint)),
    ciphertext: value['ciphertextBytes'] == null ? null : hex('ciphertextBytes', value['ciphertextBytes']),
    outputNoteEphemeralScalars: list(
      'outputNoteEphemeralScalars',
      value['outputNoteEphemeralScalars'] ?? [],
    ).map((scalar, at) => hex(`outputNoteEphemeralScalars[${at}]`, scalar, SIGNAL_BYTES)),
    escrowAuthorization: json('escrowAuthorization', value['escrowAuthorization'] ?? null),
    keyVersionHints: list('keyVersionHints', value['keyVersionHints'] ?? []).map(keyVersion),
    recipient: recipient(value['recipient'] ?? null, value['escrowRecipient'] ?? null),
  };
}

/**
 * The package in the one form of its meaning, itself a package that can be parsed: decoded values written anew, so that
 * letter case or a leading 0x makes no difference.
 */
export function canonicalPackage(given: RelayPackage): JsonObject {
  return {
    version: 1,
    poolSelector: given.poolSelector,
    zkConfigNonce: given.zkConfigNonce,
    proofBytes: hexOf(given.proof),
    publicSignals: given.signals.map((signal) => signal.toString(16).padStart(2 * SIGNAL_BYTES, '0')),
    applicationIdHints: given.applicationIdHints,
    ciphertextBytes: given.ciphertext && hexOf(given.ciphertext),
    outputNoteEphemeralScalars: given.outputNoteEphemeralScalars.map(hexOf),
    escrowAuthorization: given.escrowAuthorization,
    keyVersionHints: given.keyVersionHints,
    recipient: given.recipient,
  };
}

/** SHA-256 of the canonical form as RFC 8785 writes it: two submissions of an identity are the same when these are. */
export function packageDigest(given: RelayPackage): Uint8Array {
  return sha256(canonicalJson(canonicalPackage(given)));
}

const refused = (reason: PackageProblem, message: string): LucarneError => badUserInput(message, { reason });
const invalid = (message: string) => refused('invalid_package', message);

function missing(member: string): never {
  throw invalid(`${member} is required.`);
}

function name(member: string, value: unknown): string {
  if (typeof value !== 'string' || value.length < 1 || value.length > LONGEST_NAME || !isStorable(value))
    throw invalid(`${member} must be a text of 1 to ${LONGEST_NAME} characters.`);
  return value;
}

/** A string or a number, as generations of the SDK differ. */
function nonce(value: unknown): string {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== 'string' || !/^(0|[1-9]\d{0,15})$/.test(text))
    throw invalid('zkConfigNonce must be a whole number, as a string or a number.');
  return text;
}

/** Its form is the pool's own. It must have a canonical text, which half a surrogate pair has not. */
function json(member: string, value: unknown): JsonValue {
  if (!isNestedWithin(MOST_NESTING, value))
    throw invalid(`${member} must not be nested more than ${MOST_NESTING} levels deep.`);
  try {
    canonicalJson(value as JsonValue);
    return value as JsonValue;
  } catch {
    throw invalid(`${member} must be JSON of well-formed text.`);
  }
}

function isNestedWithin(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((item) => isNestedWithin(levels - 1, item));
}

function hex(member: string, value: unknown, length?: number): Uint8Array {
  const size = length === undefined ? 'bytes' : `${length} bytes`;
  const digits = typeof value === 'string' ? value.replace(/^0x/i, '') : '';
  const fits = typeof value === 'string' && /^([0-9a-f]{2})*$/i.test(digits);
  if (!fits || (length !== undefined && digits.length !== 2 * length))
    throw invalid(`${member} must be ${size} in hex.`);
  return new Uint8Array(Buffer.from(digits, 'hex'));
}

/** A list of field elements, or all of them in one text. */
function signals(value: unknown): bigint[] {
  const words =
    typeof value === 'string'
      ? wordsOf(hex('publicSignals', value))
      : list('publicSignals', value).map((word, at) => hex(`publicSignals[${at}]`, word, SIGNAL_BYTES));
  if (words.length === 0 || words.length > MOST_SIGNALS)
    throw invalid(`publicSignals must be 1 to ${MOST_SIGNALS} field elements.`);
  return words.map((word, at) => {
    const signal = parseSignal(word);
    // Not reduced, it would be another text for a value that is there already: a nullifier could be used twice.
    if (signal === undefined)
      throw refused('unsupported_signal_shape', `publicSignals[${at}] must be below the order of the field.`);
    return signal;
  });
}

function wordsOf(bytes: Uint8Array): Uint8Array[] {
  if (bytes.length % SIGNAL_BYTES !== 0)
    throw invalid('publicSignals must be field elements of 32 bytes each.');
  return Array.from({ length: bytes.length / SIGNAL_BYTES }, (_, at) =>
    bytes.subarray(at * SIGNAL_BYTES, (at + 1) * SIGNAL_BYTES),
  );
}

function list(member: string, value: unknown): readonly unknown[] {
  if (!Array.isArray(value) || value.length > MOST_HINTS)
    throw invalid(`${member} must be a list of at most ${MOST_HINTS}.`);
  return value;
}

function keyVersion(value: unknown, at: number): number | null {
  if (value !== null && !(Number.isSafeInteger(value) && (value as number) >= 0))
    throw invalid(`keyVersionHints[${at}] must be a whole number or null.`);
  return value as number | null;
}

function recipient(value: unknown, older: unknown): Address | null {
  if (value !== null && older !== null && value !== older)
    throw invalid('recipient and escrowRecipient must not differ.');
  const given = value ?? older;
  if (given !== null && !isAddress(given)) throw invalid('recipient must be an address: 32 bytes in base58.');
  return given;
}

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
