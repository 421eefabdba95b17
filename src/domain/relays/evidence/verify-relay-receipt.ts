import { parseVerifierKey, requireExpectedKey, verify } from '../../../platform/crypto/index.js';
import { base64, hex } from '../../../platform/kernel/encoding/bytes.js';
import { canonicalJson, isJsonObject, type JsonObject } from '../../../platform/kernel/encoding/json.js';
import {
  CheckFailed,
  keyLimits,
  verificationCheck as check,
  type KnownKeys,
  type Verification,
  type VerificationCheck,
} from '../../../platform/kernel/verification.js';
import { packageDigest, parseRelayPackage, unreadMembers } from '../packages/relay-package.js';
import { RELAY_RECEIPT_TYPE, relayReceiptKeyName, relayReceiptMessage } from './relay-receipt.js';

type CheckName = 'file' | 'signature' | 'keys' | 'statement' | 'package';
export type RelayReceiptCheck = VerificationCheck<CheckName>;
export type RelayReceiptVerification = Verification<CheckName>;

export interface VerifyRelayReceiptOptions {
  /** The organization's key (C2SP form), as known from another source. Without it, the key in the file is trusted. */
  readonly verifierKey?: string;
  /** The keys in the organization's log, from the expected one on. Any of them may have signed the receipt. */
  readonly keys?: KnownKeys;
}

/**
 * Checks a relay receipt offline: its signature, its statement and, if the file contains the package, that the receipt belongs
 * to this package. `file` is `{ receipt, package?, relayRequestId? }`, or a receipt.
 */
export function verifyRelayReceipt(
  file: unknown,
  options: VerifyRelayReceiptOptions = {},
): RelayReceiptVerification {
  const found = parseFile(file);
  if (typeof found === 'string')
    return { valid: false, checks: [{ name: 'file', passed: false, detail: found }], unverified: LIMITS };
  const { receipt, package: submitted, relayRequestId } = found;
  const { keys } = options;
  const checks: RelayReceiptCheck[] = [
    check('signature', () => signature(receipt, options)),
    ...(keys ? [check('keys' as const, () => keyOf(receipt, keys))] : []),
    check('statement', () => statement(receipt.body, relayRequestId)),
    ...(submitted === undefined ? [] : [check('package' as const, () => ofPackage(receipt.body, submitted))]),
  ];
  return {
    valid: checks.every(({ passed }) => passed),
    checks,
    unverified: [...keyLimits(options), ...packageLimits(submitted), ...LIMITS],
  };
}

/** Most unknown members that the result lists by name. */
const MAX_NAMES = 10;

const PACKAGE_LIMIT = 'Which package the receipt belongs to. Add the package to the file.';

function packageLimits(submitted: unknown): readonly string[] {
  if (submitted === undefined) return [PACKAGE_LIMIT];
  const unread = isJsonObject(submitted) ? unreadMembers(submitted) : [];
  const names = unread.slice(0, MAX_NAMES).map((member) => member.slice(0, 100));
  const more = unread.length > MAX_NAMES ? [`${unread.length - MAX_NAMES} more`] : [];
  return unread.length === 0
    ? []
    : [`Members of the package that no relayer reads: ${[...names, ...more].join(', ')}.`];
}

const LIMITS = ['That the ledger has the transaction. Ask your own provider for its finalized status.'];

interface Receipt {
  readonly body: JsonObject;
  readonly signature: string;
  readonly verifierKey: string;
}

interface ParsedFile {
  readonly receipt: Receipt;
  readonly package: unknown;
  readonly relayRequestId: unknown;
}

const FILE_MEMBERS = ['relayRequestId', 'package', 'receipt'];
const RECEIPT_MEMBERS = ['body', 'signature', 'verifierKey', '__typename'];

function parseFile(file: unknown): ParsedFile | string {
  const none =
    'This is not the receipt of a relay. A receipt is a JSON object with `body`, `signature` and `verifierKey`.';
  if (!isJsonObject(file)) return none;
  const around = isJsonObject(file['receipt']) ? file : {};
  const signed = isJsonObject(around['receipt']) ? around['receipt'] : file;
  const { body, signature, verifierKey } = signed;
  if (!isJsonObject(body) || typeof signature !== 'string' || typeof verifierKey !== 'string') return none;
  // A member that is not checked must not look as if it were.
  const unknown =
    Object.keys(around).find((member) => !FILE_MEMBERS.includes(member)) ??
    Object.keys(signed).find((member) => !RECEIPT_MEMBERS.includes(member));
  if (unknown !== undefined)
    return `The member ${unknown.slice(0, 100)} does not belong in the file of a relay, and nothing proves it.`;
  return {
    receipt: { body: body as JsonObject, signature, verifierKey },
    package: around['package'],
    relayRequestId: around['relayRequestId'],
  };
}

function signature(
  { body, signature, verifierKey }: Receipt,
  { verifierKey: known, keys }: VerifyRelayReceiptOptions,
): string {
  const key = parseVerifierKey(verifierKey);
  if (key?.name !== relayReceiptKeyName(text(body, 'organizationId')))
    throw new CheckFailed('The verifier key does not belong to the organization that the receipt names.');
  const bytes = base64.decode(signature);
  if (!bytes || !verify(key.publicKey, relayReceiptMessage(body), bytes))
    throw new CheckFailed('The signature of the receipt is not valid for its key.');
  // If the keys of the log are given, `keyOf` checks that they lead from the known key to the one of the receipt.
  if (known !== undefined && !keys) requireExpectedKey(key, known);
  return `Signed by ${key.name}.`;
}

const keyOf = ({ body, signature, verifierKey }: Receipt, keys: KnownKeys): string =>
  keys.signerOf({ organizationId: text(body, 'organizationId'), verifierKey, signature });

function statement(body: JsonObject, relayRequestId: unknown): string {
  if (body['type'] !== RELAY_RECEIPT_TYPE)
    throw new CheckFailed('The receipt is not the receipt of a relay.');
  if (relayRequestId !== undefined && relayRequestId !== body['relayRequestId'])
    throw new CheckFailed('The receipt and the file name different relays.');
  const { reason, transactionHash } = body;
  const by = typeof transactionHash === 'string' ? `, transaction ${transactionHash}` : '';
  const why = typeof reason === 'string' ? ` (${reason})` : '';
  const sayings = sayingsOf(body['providers']);
  return `${text(body, 'relayRequestId')} ${text(body, 'status')}${why} at ${text(body, 'endedAt')}${by}.${sayings}`;
}

/** Lists the statement of each provider. Receipts of earlier versions have none. */
function sayingsOf(providers: unknown): string {
  if (providers === undefined) return '';
  const sayings = Array.isArray(providers) ? (providers as readonly unknown[]) : [undefined];
  const words = sayings.map((one) => {
    if (!isJsonObject(one)) throw new CheckFailed('The receipt does not list what each provider stated.');
    const { provider, said: statement, leftOut } = one as JsonObject;
    if (typeof provider !== 'string' || typeof statement !== 'string')
      throw new CheckFailed('The receipt does not list what each provider stated.');
    return `${provider}: ${statement}${typeof leftOut === 'string' ? ` (not counted: ${leftOut})` : ''}`;
  });
  return words.length === 0 ? '' : ` Statements of providers: ${words.join('; ')}.`;
}

function text(body: JsonObject, member: string): string {
  const value = body[member];
  if (typeof value !== 'string')
    throw new CheckFailed(`The member ${member} of the receipt must be a string.`);
  return value;
}

function ofPackage(body: JsonObject, submitted: unknown): string {
  const digest = hex.encode(packageDigest(parseRelayPackage(submitted)));
  if (canonicalJson(body['packageSha256'] ?? null) !== canonicalJson(digest))
    throw new CheckFailed('The receipt belongs to another package.');
  return `The receipt belongs to the package with the SHA-256 ${digest}.`;
}
