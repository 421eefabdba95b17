/// <reference lib="webworker" />
import { openPersonalValues, type Salts } from '../../../src/domain/activity-log/personal-values.js';
import {
  type ChainedKey,
  doubtOf,
  followKeys,
  indexOfExpected,
  isSameKey,
  requireLogged,
} from '../../../src/domain/activity-log/verification/key-chain.js';
import { brokenSince } from './broken-since.ts';
import { OMISSION_LIMIT, receiptKeys } from '../../../src/domain/activity-log/verification/receipt-keys.js';
import { KEY_LIMIT, LogVerifier } from '../../../src/domain/activity-log/verification/log-verifier.js';
import { verifyAmountFile } from '../../../src/domain/disclosures/verification/verify-amount-file.js';
import { verifyDisclosureFile } from '../../../src/domain/disclosures/verification/verify-disclosure-file.js';
import { verifyRelayReceipt } from '../../../src/domain/relays/evidence/verify-relay-receipt.js';
import {
  isConsistent,
  openCheckpoint,
  parseVerifierKey,
  sha256,
} from '../../../src/platform/crypto/index.js';
import { base64, equalBytes, hex } from '../../../src/platform/kernel/encoding/bytes.js';
import {
  canonicalJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseUnambiguousJson,
} from '../../../src/platform/kernel/encoding/json.js';
import { hashFindings, reportFindings } from './hash-findings.ts';
import { entriesOf, isKeyChange } from './key-changes.ts';
import { logFile, logPart } from './log-files.ts';
import type { LogKey, Question, Verdict } from './questions';
import { failed, fromChecks, held } from './verdicts.ts';

/** The checks: the gateway's own code, compiled for the browser, on its own thread. */
addEventListener('message', ({ data }: MessageEvent<readonly { id: number; question: Question }[]>) => {
  const verdicts = data.map(async ({ id, question }) => ({
    id,
    verdict: await answer(question).catch((thrown: unknown) =>
      failed('file', thrown instanceof Error ? thrown.message : String(thrown)),
    ),
  }));
  void Promise.all(verdicts).then((answered) => postMessage(answered));
});

async function answer(question: Question): Promise<Verdict> {
  switch (question.ask) {
    case 'ready':
      return { holds: true, findings: [], unverified: [] };
    case 'checkpoint':
      return checkpoint(question);
    case 'continues':
      return continues(question);
    case 'entry':
      return entry(question);
    case 'amount':
      return amount(question);
    case 'digest':
      return hex.encode(sha256(canonicalJson(question.value as JsonValue))) === question.sha256
        ? held('digest', 'The data on this page has the SHA-256 that was stated.')
        : failed('digest', 'The data on this page does not have the SHA-256 that was stated.');
    case 'disclosure':
      return disclosure(question);
    case 'relay receipt':
      return relayReceipt(question);
    case 'file':
      return file(question);
    case 'log part':
      return logPart(question);
  }
}

/** A log is named `<host>/log/<organization>`. */
const isLogOf = (origin: string, organizationId: string) => origin.endsWith(`/log/${organizationId}`);

function checkpoint({
  note,
  verifierKey,
  keyChanges,
  organizationId,
  before,
}: Question & { ask: 'checkpoint' }): Verdict {
  const key = parseVerifierKey(verifierKey);
  const now = key && openCheckpoint(note, key);
  if (!key || !now) return failed('signature', 'The checkpoint is not signed by the key of the log.');
  const about = { size: now.size, origin: key.name, root: base64.encode(now.root) };
  if (organizationId !== undefined && !isLogOf(key.name, organizationId))
    return failed('log', `This is the log ${key.name}, not the log of your organization.`);
  const signature = { name: 'signature', passed: true, detail: `Signed by ${verifierKey}.` };
  /** It is signed, and still not the log that this browser saw. */
  const signedAndFailed = (name: string, detail: string) => ({ ...failed(name, detail), checkpoint: about });
  let keys: readonly ChainedKey[];
  try {
    const changes = entriesOf(keyChanges);
    keys = followKeys(key.name, changes, verifierKey);
    requireLogged(now, changes);
  } catch (thrown) {
    return failed('keys', thrown instanceof Error ? thrown.message : String(thrown));
  }
  const known = { checkpoint: about, keys: keys.map(signerOf) };
  if (!before) return { holds: true, findings: [signature], unverified: [FIRST_SIGHT], ...known };
  if (!keys.some((one) => one.verifierKey === before.verifierKey)) {
    return signedAndFailed('key', 'The key that this browser remembers is not one of the keys of the log.');
  }
  const broken = brokenSince(keys, before.verifierKey);
  if (broken !== undefined) return signedAndFailed('key', broken);
  const oldKey = parseVerifierKey(before.verifierKey);
  const old = oldKey && openCheckpoint(before.note, oldKey);
  if (!old) return signedAndFailed('memory', 'The checkpoint that this browser remembers is malformed.');
  if (old.size > now.size) {
    return signedAndFailed(
      'continues',
      `The log has ${now.size} entries now, but had ${old.size} when this browser last saw it.`,
    );
  }
  const hashes = before.hashes.map((hash) => base64.decode(hash));
  const isContinued =
    old.size === now.size
      ? equalBytes(old.root, now.root)
      : old.size === 0 ||
        (hashes.every((hash) => hash !== undefined) && isConsistent(old, now, hashes as Uint8Array[]));
  if (!isContinued) {
    return signedAndFailed(
      'continues',
      `The log does not continue the ${old.size} entries that this browser saw before: its history was rewritten.`,
    );
  }
  const continues = {
    name: 'continues',
    passed: true,
    detail: `Continues the ${old.size} entries that this browser saw before.`,
  };
  const unverified = before.verifierKey === verifierKey ? [] : [CHANGED_KEY];
  return { holds: true, findings: [signature, continues], unverified, ...known };
}

function continues({ older, newer, hashes }: Question & { ask: 'continues' }): Verdict {
  const [from, to, ...proof] = [older.root, newer.root, ...hashes].map((hash) => base64.decode(hash));
  const holds =
    from !== undefined &&
    to !== undefined &&
    proof.every((hash) => hash !== undefined) &&
    isConsistent({ size: older.size, root: from }, { size: newer.size, root: to }, proof);
  // What was compared, and with whom, only the page knows.
  return { holds, findings: [], unverified: [] };
}

const signerOf = ({ verifierKey, compromisedFrom }: ChainedKey): LogKey =>
  compromisedFrom === undefined ? { verifierKey } : { verifierKey, compromisedFrom };

const CHANGED_KEY =
  'That your organization changed its key itself. The key that this browser remembered named the new key. Compare the new key with the one your organization publishes.';
const FIRST_SIGHT_OF_KEY =
  'Whether the key of the receipt is the key of the activity log. This browser sees that key for the first time.';
const FIRST_SIGHT = 'Whether the log was rewritten before. This browser sees the log for the first time.';

function entry(question: Question & { ask: 'entry' }): Verdict {
  const { note, verifierKey, keyChanges, index, salts, hashes, shown, report } = question;
  const origin = parseVerifierKey(verifierKey)?.name ?? '';
  const logged = JSON.parse(question.entry) as JsonObject;
  const header = { origin, verifierKey, checkpoint: note, keyChanges: entriesOf(keyChanges) };
  const verifier = new LogVerifier(header, { verifierKey });
  verifier.add({ index, entry: logged, salts, proof: hashes });
  const broken = verifier.finish().checks.find(({ passed }) => !passed);
  if (broken) return failed('entry', broken.detail);
  const { user, ...members } = openPersonalValues(logged, salts as Salts);
  // The entry holds the digest of an erased name, and the page shows none.
  const openedEntry = { ...members, user: typeof user === 'string' ? user : null };
  if (canonicalJson(openedEntry) !== canonicalJson(shown as JsonObject))
    return failed('entry', `What this page shows of entry ${index} is not what was logged.`);
  if (!report)
    return held(
      'entry',
      `This page shows entry ${index} of the signed log, with the names that were logged.`,
      {
        unverified: ['The id of the entry. The log does not contain it.'],
      },
    );
  const findings = reportFindings(index, report, logged);
  return {
    holds: findings.every(({ passed }) => passed),
    findings,
    unverified: ['What else this page shows of the report. Its entry has what was logged.'],
  };
}

/** Omits the finding “this is an amount file”: the page already knows. */
function amount({ file }: Question & { ask: 'amount' }): Verdict {
  const verdict = fromChecks(verifyAmountFile(file));
  const proof = verdict.findings.filter(({ name, passed }) => name !== 'file' || !passed);
  return { ...verdict, findings: proof, unverified: [unitsLimit(file.amount), ...verdict.unverified] };
}

/** The page shows the amount with decimals and a symbol. The proof knows neither. */
const unitsLimit = (amount: string) =>
  `The decimals and the symbol of the asset. The gateway states them, and the proof only covers ${amount} base units.`;

function disclosure({ file: value, knownKeys }: Question & { ask: 'disclosure' }): Verdict {
  const receipt =
    isJsonObject(value) && isJsonObject(value['result']) ? value['result']['receipt'] : undefined;
  return {
    ...signedByKnownKey(fromChecks(verifyDisclosureFile(value)), receipt, knownKeys),
    kind: 'disclosure',
  };
}

/** The same keys sign the log and the receipts of an organization: another one on a receipt is somebody else's. */
function signedByKnownKey(verdict: Verdict, receipt: unknown, known: readonly LogKey[] | undefined): Verdict {
  if (known === undefined) return { ...verdict, unverified: [FIRST_SIGHT_OF_KEY, ...verdict.unverified] };
  const stated = isJsonObject(receipt) ? receipt['verifierKey'] : undefined;
  const signer = known.find(
    ({ verifierKey }) => typeof stated === 'string' && isSameKey(verifierKey, stated),
  );
  const passed = signer !== undefined && signer.compromisedFrom === undefined;
  const detail = passed
    ? 'Signed by the key of the activity log that this browser remembers.'
    : signer
      ? `Signed by a key that is declared compromised as of index ${signer.compromisedFrom} of the activity log. Trust the receipt only if the log has its entry before that index.`
      : 'Not signed by a key of the activity log that this browser remembers.';
  return {
    ...verdict,
    holds: verdict.holds && passed,
    findings: [...verdict.findings, { name: 'key', passed, detail }],
  };
}

function relayReceipt({ receipt, evidence, knownKeys }: Question & { ask: 'relay receipt' }): Verdict {
  const verdict = signedByKnownKey(fromChecks(verifyRelayReceipt(receipt)), receipt, knownKeys);
  if (evidence === undefined || !isJsonObject(receipt) || !isJsonObject(receipt['body'])) {
    return { ...verdict, kind: 'relay receipt' };
  }
  const passed =
    hex.encode(sha256(canonicalJson(evidence as JsonValue))) === receipt['body']['evidenceSha256'];
  const detail = passed
    ? 'The evidence on this page matches the receipt.'
    : 'The evidence on this page does not match the receipt.';
  return {
    ...verdict,
    kind: 'relay receipt',
    holds: verdict.holds && passed,
    findings: [...verdict.findings, { name: 'evidence', passed, detail }],
  };
}

type FileQuestion = Question & { ask: 'file' };
type Known = NonNullable<Parameters<typeof verifyDisclosureFile>[1]>;

async function known({ verifierKey, keys }: Pick<FileQuestion, 'verifierKey' | 'keys'>): Promise<Known> {
  const expected = verifierKey === undefined ? {} : { verifierKey };
  return keys ? { ...expected, keys: receiptKeys(await jsonOf(keys), verifierKey) } : expected;
}

/** `undefined` where the file is not JSON: then it has no keys. */
async function jsonOf(chosen: File): Promise<unknown> {
  try {
    return parseUnambiguousJson(await chosen.text());
  } catch {
    return undefined;
  }
}

/** A file is read as a whole, and a tab has little memory. */
const MAX_FILE_BYTES = 512 * 1024 * 1024;
const TOO_LARGE =
  'The file has more than 512 MiB, which this page does not read. Verify it with the command: npx lucarne log verify FILE.';
const UNREADABLE =
  'This browser cannot read the file: it was moved, changed or deleted after it was chosen, or you may not read it. Choose it again.';

/** Nothing was checked, which is not the same as a check that failed. */
const unread = (because: string): Verdict => ({ holds: false, findings: [], unverified: [because] });

/**
 * Reads the file in this thread, detects its kind by its content, and verifies it. The content does not leave the thread.
 */
async function file({ file: chosen, ...expected }: FileQuestion): Promise<Verdict> {
  if (chosen.size > MAX_FILE_BYTES) return unread(TOO_LARGE);
  const content = await chosen.arrayBuffer().catch(() => undefined);
  if (!content) return unread(UNREADABLE);
  const bytes = new Uint8Array(content);
  const digest = sha256(bytes);
  const verdict = verdictOn(bytes, hex.encode(digest), await known(expected));
  const findings = [...verdict.findings, ...hashFindings(digest, expected)];
  const isCompared = verdict.kind === 'other' && expected.logged !== undefined;
  return {
    ...verdict,
    holds: findings.length > 0 && findings.every(({ passed }) => passed),
    findings,
    unverified: isCompared
      ? [
          'That the content of the file is correct. Its hash only shows that it is the file that was generated.',
        ]
      : verdict.unverified,
    sha256: hex.encode(digest),
  };
}

function verdictOn(bytes: Uint8Array, digest: string, options: Known): Verdict {
  const other: Verdict = {
    holds: false,
    findings: [],
    kind: 'other',
    unverified: [
      `This file cannot be verified alone. Its SHA-256 is ${digest}. If it is a report, compare it with the SHA-256 in the list of reports. “Check a file” there also compares it with the log.`,
    ],
  };
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return other;
  }
  let value: unknown;
  try {
    value = parseUnambiguousJson(text);
  } catch {
    return isJson(text)
      ? failed(
          'file',
          'The file is ambiguous JSON: it has two members with the same name, or is nested too deeply.',
        )
      : other;
  }
  if (!isJsonObject(value)) return other;
  const answer = isJsonObject(value['data']) ? Object.values(value['data'])[0] : value;
  const subject = isJsonObject(answer) ? answer : value;
  if ('checkpoint' in subject && 'entries' in subject) return { ...logFile(subject, options), kind: 'log' };
  if ('scope' in subject && 'result' in subject) {
    return { ...fromChecks(verifyDisclosureFile(value, options)), kind: 'disclosure' };
  }
  if ('amount' in subject && 'proof' in subject)
    return { ...fromChecks(verifyAmountFile(value)), kind: 'amount' };
  const receipt = isJsonObject(subject['receipt']) ? subject['receipt'] : subject;
  if ('body' in receipt && 'signature' in receipt && 'verifierKey' in receipt) {
    return { ...fromChecks(verifyRelayReceipt(value, options)), kind: 'relay receipt' };
  }
  if (typeof subject['note'] === 'string' && typeof subject['verifierKey'] === 'string') {
    const { note, verifierKey } = subject;
    const { keyChanges = [] } = subject;
    return { ...checkpointFile({ note, verifierKey, keyChanges }, options), kind: 'checkpoint' };
  }
  return other;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

interface CheckpointFile {
  readonly note: string;
  readonly verifierKey: string;
  readonly keyChanges: unknown;
}

/** A checkpoint, or the key file that an owner saved. */
function checkpointFile(
  { note, verifierKey, keyChanges }: CheckpointFile,
  { verifierKey: expected }: Known,
): Verdict {
  if (!Array.isArray(keyChanges) || !keyChanges.every(isKeyChange))
    return failed('keys', 'The key changes in the file are malformed. Get the file again.');
  const verdict = checkpoint({ ask: 'checkpoint', note, verifierKey, keyChanges });
  if (!verdict.holds) return verdict;
  const limits = [OMISSION_LIMIT, ...verdict.unverified];
  if (expected === undefined) return { ...verdict, unverified: [KEY_LIMIT, ...limits] };
  try {
    const keys = followKeys(parseVerifierKey(verifierKey)?.name ?? '', entriesOf(keyChanges), verifierKey);
    const doubt = doubtOf(keys, indexOfExpected(keys, expected));
    return { ...verdict, unverified: [...(doubt === undefined ? [] : [doubt]), ...limits] };
  } catch (thrown) {
    return failed('keys', thrown instanceof Error ? thrown.message : String(thrown));
  }
}
