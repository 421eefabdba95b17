import type { Address } from '../address.js';
import type { LedgerInstruction, LedgerTransaction } from '../ledger-reader.js';
import { base64 } from '../../kernel/encoding/bytes.js';
import { isBatch, unwrapBatch } from './batch.js';
import type {
  AuditorCiphertext,
  ConfidentialEvent,
  DecodedTransaction,
  EventPublicData,
  InstructionPath,
  MalformedInstruction,
  MalformedReason,
} from './confidential-event.js';
import {
  CIPHERTEXT_BYTES,
  layoutOf,
  PROOF_IN_RECORD_ACCOUNT_BYTES,
  TOKEN_2022_PROGRAM,
  type InstructionLayout,
} from './layouts.js';

/**
 * Returns the confidential events of a transaction, one for each instruction: at top level, caused by cross-program calls, and
 * in a `Batch` of either. A failed transaction has none. Never throws: instructions that cannot be read are in `malformed`.
 */
export function decodeConfidentialEvents(transaction: LedgerTransaction): DecodedTransaction {
  const events: ConfidentialEvent[] = [];
  const malformed: MalformedInstruction[] = [];
  if (transaction.failed) return { events, malformed };

  for (const { instruction, path, problem } of token2022Instructions(transaction)) {
    if (problem !== undefined) {
      malformed.push({ path, reason: problem });
      continue;
    }
    const layout = layoutOf(instruction.data);
    if (layout === undefined) continue;
    const event = decodeEvent(instruction, layout, path, transaction);
    if (typeof event === 'string') malformed.push({ path, reason: event });
    else events.push(event);
  }
  return { events, malformed };
}

/** `path` as one number with the same order: 2^14 instructions of a batch, 2^12 inner ones, and any top level. */
export function instructionOrder([topLevel, inner, batch]: InstructionPath): number {
  return (topLevel * 2 ** 12 + inner) * 2 ** 14 + batch;
}

interface FoundInstruction {
  readonly instruction: LedgerInstruction;
  readonly path: InstructionPath;
  readonly problem?: MalformedReason;
}

function* token2022Instructions(transaction: LedgerTransaction): Generator<FoundInstruction> {
  for (const [topLevel, instruction] of transaction.instructions.entries()) {
    yield* unwrapped(instruction, topLevel, 0);
    for (const [inner, called] of instruction.inner.entries()) yield* unwrapped(called, topLevel, inner + 1);
  }
}

function* unwrapped(
  instruction: LedgerInstruction,
  topLevel: number,
  inner: number,
): Generator<FoundInstruction> {
  if (instruction.programId !== TOKEN_2022_PROGRAM) return;
  const path: InstructionPath = [topLevel, inner, 0];
  if (!isBatch(instruction.data)) {
    yield { instruction, path };
    return;
  }
  const batch = unwrapBatch(instruction);
  if (!batch.complete) yield { instruction, path, problem: 'broken_batch' };
  for (const [index, member] of batch.instructions.entries()) {
    const memberPath: InstructionPath = [topLevel, inner, index + 1];
    if (isBatch(member.data)) yield { instruction: member, path: memberPath, problem: 'nested_batch' };
    else yield { instruction: member, path: memberPath };
  }
}

function decodeEvent(
  instruction: LedgerInstruction,
  layout: InstructionLayout,
  path: InstructionPath,
  transaction: LedgerTransaction,
): ConfidentialEvent | MalformedReason {
  const { data, accounts } = instruction;
  if (layout.data.exact ? data.length !== layout.data.length : data.length < layout.data.length) {
    return 'unexpected_length';
  }
  const authorized = layout.accounts.authority !== 'none';
  if (accounts.length < layout.accounts.fixed + (authorized ? 1 : 0)) return 'missing_accounts';
  const authorityIndex = indexOfAuthority(data, layout, path, transaction);
  const authority = authorityIndex === undefined ? undefined : (accounts[authorityIndex] ?? accounts.at(-1));
  const { mint, source, destination } = namedAccounts(accounts, layout);
  const ciphertext = auditorCiphertext(data, layout);
  return {
    type: layout.type,
    path,
    order: instructionOrder(path),
    ...(mint === undefined ? {} : { mint }),
    ...(source === undefined ? {} : { sourceAccount: source }),
    ...(destination === undefined ? {} : { destinationAccount: destination }),
    ciphertexts: ciphertext === undefined ? {} : { auditor: ciphertext },
    publicData: {
      instructionIndex: path[0],
      instructionPath: path,
      ...(authority === undefined ? {} : { authority }),
      ...permissionedBurnAuthority(accounts, layout, authorityIndex),
      ...publicFields(data, accounts, layout),
    },
    tokenAccounts: [...new Set([source, destination].filter((account) => account !== undefined))],
  };
}

/**
 * The index of the account after those of the proofs. If any proof is in an instruction, the program first takes the
 * instructions sysvar. Then it takes, for each proof, a context-state account, a record account, or nothing (SPL
 * `verify_and_extract_context`). Signers of a multisignature authority follow, so the last account may be one of them.
 */
function indexOfAuthority(
  data: Uint8Array,
  layout: InstructionLayout,
  [topLevel]: InstructionPath,
  transaction: LedgerTransaction,
): number | undefined {
  if (layout.accounts.authority === 'none') return undefined;
  const offsets = (layout.data.proofs ?? []).map((position) => viewOf(data).getInt8(position));
  let index = layout.accounts.fixed;
  if (offsets.some((offset) => offset !== 0)) index += 1;
  for (const offset of offsets) {
    const proof = offset === 0 ? undefined : transaction.instructions[topLevel + offset];
    if (offset === 0 || proof?.data.length === PROOF_IN_RECORD_ACCOUNT_BYTES) index += 1;
  }
  return layout.accounts.between === 'burnAuthority' ? index + 1 : index;
}

function permissionedBurnAuthority(
  accounts: readonly Address[],
  layout: InstructionLayout,
  authorityIndex: number | undefined,
): Pick<EventPublicData, 'permissionedBurnAuthority'> {
  if (layout.accounts.between !== 'burnAuthority' || authorityIndex === undefined) return {};
  const burnAuthority = accounts[authorityIndex - 1];
  return burnAuthority === undefined ? {} : { permissionedBurnAuthority: burnAuthority };
}

function namedAccounts(accounts: readonly Address[], { accounts: named }: InstructionLayout) {
  const at = (index: number | undefined) => (index === undefined ? undefined : accounts[index]);
  return { mint: at(named.mint), source: at(named.source), destination: at(named.destination) };
}

function auditorCiphertext(data: Uint8Array, layout: InstructionLayout): AuditorCiphertext | undefined {
  const at = layout.data.auditor;
  if (at === undefined) return undefined;
  return { lo: data.slice(at.lo, at.lo + CIPHERTEXT_BYTES), hi: data.slice(at.hi, at.hi + CIPHERTEXT_BYTES) };
}

type PublicFields = Omit<EventPublicData, 'instructionIndex' | 'instructionPath' | 'authority'>;

function publicFields(
  data: Uint8Array,
  accounts: readonly Address[],
  layout: InstructionLayout,
): PublicFields {
  const { amount, decimals, mintUpdate } = layout.data;
  const maximum = layout.data.maximumPendingBalanceCreditCounter;
  const expected = layout.data.expectedPendingBalanceCreditCounter;
  const registry = layout.registry === undefined ? undefined : accounts[layout.registry];
  return {
    ...(amount === undefined ? {} : { amount: unsigned64(data, amount).toString() }),
    ...(decimals === undefined ? {} : { decimals: viewOf(data).getUint8(decimals) }),
    ...(mintUpdate === undefined ? {} : mintUpdateFields(data, mintUpdate)),
    ...(maximum === undefined
      ? {}
      : { maximumPendingBalanceCreditCounter: unsigned64(data, maximum).toString() }),
    ...(expected === undefined
      ? {}
      : { expectedPendingBalanceCreditCounter: unsigned64(data, expected).toString() }),
    ...(registry === undefined ? {} : { elGamalRegistry: registry }),
    ...layout.switch,
  };
}

function mintUpdateFields(
  data: Uint8Array,
  at: { readonly autoApprove: number; readonly auditorKey: number },
): PublicFields {
  const key = data.subarray(at.auditorKey, at.auditorKey + 32);
  return {
    autoApproveNewAccounts: data[at.autoApprove] !== 0,
    auditorElGamalPubkey: key.every((byte) => byte === 0) ? null : base64.encode(key),
  };
}

function viewOf(data: Uint8Array): DataView {
  return new DataView(data.buffer, data.byteOffset, data.byteLength);
}

function unsigned64(data: Uint8Array, position: number): bigint {
  return viewOf(data).getBigUint64(position, true);
}
