import { createHash } from 'node:crypto';
import { base58, base64 } from '@scure/base';
import { TOKEN_2022_PROGRAM } from '#lucarne/platform/ledger/index.js';
import { DECIMALS, type Kind, type Templates, type TransactionAnswer } from './templates.ts';

export interface HistoryTransaction {
  readonly signature: string;
  readonly slot: number;
  readonly blockTime: number;
  readonly failed: boolean;
  /** The mint, if the transaction names it, and the token accounts. */
  readonly mentions: readonly string[];
  readonly answer: TransactionAnswer;
  /** The row that the indexer must store, without id, asset, position and time of indexing. */
  readonly row: ExpectedRow | undefined;
}

export interface ExpectedRow {
  readonly signature: string;
  readonly path: readonly number[];
  readonly type: string;
  readonly slot: number;
  readonly block_time: number;
  readonly signer: string;
  readonly source_account: string;
  readonly destination_account: string | null;
  readonly public_data: object;
  readonly ciphertexts: object;
}

const ACCOUNTS = 128;
const TRANSACTIONS_A_SLOT = 3;
const FIRST_SLOT = 1_000;
const FIRST_SECOND = 1_767_225_600;
const SLOTS_A_SECOND = 2.5;
const CONFIDENTIAL_TRANSFER_EXTENSION = 27;
/** The start of two ciphertexts: after the header and the decryptable balance. */
const CIPHERTEXTS = 38;
const CIPHERTEXT = 64;

/** The number of transactions of each kind per hundred, once there are accounts. */
const MIX: readonly (readonly [Exclude<Kind, 'create' | 'open'>, number])[] = [
  ['transfer', 52],
  ['apply', 20],
  ['deposit', 12],
  ['withdraw', 8],
  ['fund', 8],
];
/** One in this many fails: it is in the histories, but must not be indexed. */
const FAILING = 50;

/**
 * A history of this many transactions, oldest first, made from the templates. Each has different signatures, accounts, amounts
 * and ciphertexts, which are the same in every call. Half of the accounts open at the beginning, the others one by one.
 */
export function* makeHistory(templates: Templates, count: number): Generator<HistoryTransaction> {
  const openings = Math.floor(count / ACCOUNTS);
  let opened = 0;
  for (let n = 0; n < count; n += 1) {
    const digest = hash(`choice ${n}`);
    const isOpening = opened < ACCOUNTS && (opened < ACCOUNTS / 2 || n % openings === 0);
    const kind = n === 0 ? 'create' : isOpening ? 'open' : kindOf(digest.readUInt16LE(0) % 100);
    if (kind === 'open') opened += 1;
    const source = kind === 'open' ? opened - 1 : digest.readUInt16LE(2) % Math.max(opened, 1);
    const destination =
      (source + 1 + (digest.readUInt16LE(4) % Math.max(opened - 1, 1))) % Math.max(opened, 1);
    const failed = kind !== 'create' && kind !== 'open' && digest.readUInt16LE(6) % FAILING === 0;
    yield make(templates, { n, kind, source, destination, failed });
  }
}

function kindOf(share: number): Kind {
  let below = 0;
  for (const [kind, width] of MIX) if (share < (below += width)) return kind;
  return 'transfer';
}

interface Choice {
  readonly n: number;
  readonly kind: Kind;
  readonly source: number;
  readonly destination: number;
  readonly failed: boolean;
}

function make(templates: Templates, { n, kind, source, destination, failed }: Choice): HistoryTransaction {
  const answer = structuredClone(templates.answers[kind]);
  const slot = FIRST_SLOT + Math.floor(n / TRANSACTIONS_A_SLOT);
  const blockTime = FIRST_SECOND + Math.floor(slot / SLOTS_A_SECOND);
  const signature = base58.encode(hash(`signature ${n}`));
  const { message, signatures } = answer.transaction;
  answer.slot = slot;
  answer.blockTime = blockTime;
  signatures[0] = signature;
  if (failed) {
    answer.meta.err = { InstructionError: [0, { Custom: 1 }] };
    answer.meta.status = { Err: answer.meta.err };
  }

  const at = confidentialInstruction(message);
  const instruction = at < 0 ? undefined : message.instructions[at];
  const authority = message.accountKeys[instruction?.accounts.at(-1) ?? -1];
  const programs = new Set(
    message.instructions.map(({ programIdIndex }) => message.accountKeys[programIdIndex]),
  );
  const owner = addressOf(`owner ${source}`);
  message.accountKeys = message.accountKeys.map((key, index) => {
    if (key === templates.source) return accountOf(source);
    if (key === templates.destination) return accountOf(destination);
    if (key === authority) return owner;
    const isShared = index === 0 || key === templates.mint || programs.has(key) || key.includes('11111');
    return isShared ? key : addressOf(`account ${n} ${index}`);
  });
  let row: ExpectedRow | undefined;
  if (instruction) {
    const data = base58.decode(instruction.data);
    const varied = vary(data, kind, n);
    instruction.data = base58.encode(data);
    row = {
      signature,
      path: [at, 0, 0],
      type: TYPES[kind]!,
      slot,
      block_time: blockTime,
      signer: message.accountKeys[0]!,
      source_account: accountOf(source),
      destination_account: destinationOf(kind, source, destination),
      public_data: { instructionIndex: at, instructionPath: [at, 0, 0], authority: owner, ...varied.public },
      ciphertexts: varied.ciphertexts,
    };
  }
  const followed = new Set([templates.mint, accountOf(source), accountOf(destination)]);
  const mentions = message.accountKeys.filter((key) => followed.has(key));
  return { signature, slot, blockTime, failed, mentions, answer, row: failed ? undefined : row };
}

const TYPES: Partial<Record<Kind, string>> = {
  open: 'configure_account',
  deposit: 'confidential_deposit',
  apply: 'apply_pending_balance',
  transfer: 'confidential_transfer',
  withdraw: 'confidential_withdraw',
};

function destinationOf(kind: Kind, source: number, destination: number): string | null {
  if (kind === 'transfer') return accountOf(destination);
  return kind === 'deposit' || kind === 'withdraw' ? accountOf(source) : null;
}

function confidentialInstruction({
  accountKeys,
  instructions,
}: TransactionAnswer['transaction']['message']): number {
  return instructions.findIndex(({ programIdIndex, data }) => {
    const [extension, subInstruction] = base58.decode(data);
    const isConfidential = extension === CONFIDENTIAL_TRANSFER_EXTENSION && subInstruction !== 0;
    return accountKeys[programIdIndex] === TOKEN_2022_PROGRAM && isConfidential;
  });
}

/** Writes another amount, counter or pair of ciphertexts into an instruction, and returns the new values. */
function vary(
  data: Uint8Array,
  kind: Kind,
  n: number,
): { readonly public: object; readonly ciphertexts: object } {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  switch (kind) {
    case 'transfer': {
      data.set(hash(`lo ${n}`), CIPHERTEXTS);
      data.set(hash(`hi ${n}`), CIPHERTEXTS + CIPHERTEXT);
      const [lo, hi] = [base64.encode(hash(`lo ${n}`)), base64.encode(hash(`hi ${n}`))];
      return { public: {}, ciphertexts: { auditor: { lo, hi } } };
    }
    case 'deposit':
    case 'withdraw':
      view.setBigUint64(2, BigInt(n), true);
      return { public: { amount: String(n), decimals: DECIMALS }, ciphertexts: {} };
    case 'apply':
      view.setBigUint64(2, BigInt(n), true);
      return { public: { expectedPendingBalanceCreditCounter: String(n) }, ciphertexts: {} };
    case 'open': {
      const maximum = view.getBigUint64(38, true);
      return { public: { maximumPendingBalanceCreditCounter: String(maximum) }, ciphertexts: {} };
    }
    case 'create':
    case 'fund':
      return { public: {}, ciphertexts: {} };
  }
}

const hash = (name: string) => createHash('sha512').update(name).digest();
const addressOf = (name: string) => base58.encode(hash(name).subarray(0, 32));

const accounts: string[] = [];
const accountOf = (index: number) => (accounts[index] ??= addressOf(`token account ${index}`));
