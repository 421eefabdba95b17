import { parseVerifierKey, verify } from '../../../platform/crypto/index.js';
import { base64, hex } from '../../../platform/kernel/encoding/bytes.js';
import { canonicalJson, isJsonObject, type JsonObject } from '../../../platform/kernel/encoding/json.js';
import {
  verificationCheck as check,
  type Verification,
  type VerificationCheck,
} from '../../../platform/kernel/verification.js';
import { packageDigest, parseRelayPackage } from '../admission/relay-package.js';
import { RELAY_RECEIPT_TYPE, relayReceiptKeyName, relayReceiptMessage } from './relay-receipt.js';

type CheckName = 'file' | 'signature' | 'statement' | 'package';
export type RelayReceiptCheck = VerificationCheck<CheckName>;
export type RelayReceiptVerification = Verification<CheckName>;

export interface VerifyRelayReceiptOptions {
  /** The organization's key as it is known from elsewhere (C2SP). Without it the file's own key is believed. */
  readonly verifierKey?: string;
}

/**
 * Checks the receipt of a relay offline: its signature, what it states, and, where the file has the package, that it is
 * of this package. `file` is `{ receipt, package? }`, or a receipt.
 */
export function verifyRelayReceipt(
  file: unknown,
  { verifierKey }: VerifyRelayReceiptOptions = {},
): RelayReceiptVerification {
  const found = parseFile(file);
  if (!found) {
    const detail = 'This is no receipt of a relay: `body`, `signature` and `verifierKey`.';
    return { valid: false, checks: [{ name: 'file', passed: false, detail }], unverified: LIMITS };
  }
  const { receipt, package: submitted } = found;
  const checks = [
    check('signature', () => signature(receipt, verifierKey ?? receipt.verifierKey)),
    check('statement', () => statement(receipt.body)),
    ...(submitted === undefined ? [] : [check('package', () => ofPackage(receipt.body, submitted))]),
  ];
  const believed = verifierKey === undefined ? [KEY_LIMIT] : [];
  const packageLimit = submitted === undefined ? [PACKAGE_LIMIT] : [];
  return {
    valid: checks.every(({ passed }) => passed),
    checks,
    unverified: [...believed, ...packageLimit, ...LIMITS],
  };
}

const KEY_LIMIT =
  'Whose key signed the receipt: compare its verifier key with the one your organization publishes.';
const PACKAGE_LIMIT = 'Which package it is of: give the file the package, too.';
const LIMITS = ['That the ledger has the transaction: ask a provider of your own for its finalized status.'];

interface Receipt {
  readonly body: JsonObject;
  readonly signature: string;
  readonly verifierKey: string;
}

function parseFile(file: unknown): { readonly receipt: Receipt; readonly package: unknown } | undefined {
  if (!isJsonObject(file)) return undefined;
  const receipt = isJsonObject(file['receipt']) ? file['receipt'] : file;
  const { body, signature, verifierKey } = receipt;
  if (!isJsonObject(body) || typeof signature !== 'string' || typeof verifierKey !== 'string')
    return undefined;
  return {
    receipt: { body: body as JsonObject, signature, verifierKey },
    package: receipt === file ? undefined : file['package'],
  };
}

/** A failed check says why by throwing. */
class Failure extends Error {}

function signature({ body, signature }: Receipt, verifierKey: string): string {
  const key = parseVerifierKey(verifierKey);
  if (key?.name !== relayReceiptKeyName(text(body, 'organizationId')))
    throw new Failure('The verifier key is not that of the organization which the receipt names.');
  const bytes = base64.decode(signature);
  if (!bytes || !verify(key.publicKey, relayReceiptMessage(body), bytes))
    throw new Failure('The signature is not of this receipt and this key.');
  return `Signed by ${key.name}.`;
}

function statement(body: JsonObject): string {
  if (body['type'] !== RELAY_RECEIPT_TYPE) throw new Failure('It is a receipt of something else.');
  const { reason, transactionHash } = body;
  const by = typeof transactionHash === 'string' ? `, transaction ${transactionHash}` : '';
  const why = typeof reason === 'string' ? ` (${reason})` : '';
  const sayings = sayingsOf(body['providers']);
  return `${text(body, 'relayRequestId')} ${text(body, 'status')}${why} at ${text(body, 'endedAt')}${by}.${sayings}`;
}

/** Who said what. Receipts of earlier versions do not say. */
function sayingsOf(providers: unknown): string {
  if (providers === undefined) return '';
  const sayings = Array.isArray(providers) ? (providers as readonly unknown[]) : [undefined];
  const words = sayings.map((one) => {
    if (!isJsonObject(one)) throw new Failure('The receipt does not say which provider said what.');
    const { provider, said, leftOut } = one as JsonObject;
    if (typeof provider !== 'string' || typeof said !== 'string')
      throw new Failure('The receipt does not say which provider said what.');
    return `${provider} said ${said}${typeof leftOut === 'string' ? ` and was left out (${leftOut})` : ''}`;
  });
  return words.length === 0 ? '' : ` By providers: ${words.join('; ')}.`;
}

function text(body: JsonObject, member: string): string {
  const value = body[member];
  if (typeof value !== 'string') throw new Failure(`The receipt has no text in ${member}.`);
  return value;
}

function ofPackage(body: JsonObject, submitted: unknown): string {
  const digest = hex.encode(packageDigest(parseRelayPackage(submitted)));
  if (canonicalJson(body['packageSha256'] ?? null) !== canonicalJson(digest))
    throw new Failure('The receipt is of another package.');
  return `It is of the package with the SHA-256 ${digest}.`;
}
