import { isJsonObject } from '../../../../src/platform/kernel/encoding/json.js';
import { isAddress, type LedgerNode } from '../../../../src/platform/ledger/index.js';
import { anAddress, aSignature, transactionAnswer } from '../answers.js';

export const owner = anAddress(3);
export const name = aSignature(1);
export const context = { slot: 1_000, apiVersion: '4.0.0' };
export const status = {
  slot: 900,
  confirmations: 3,
  err: null,
  status: { Ok: null },
  confirmationStatus: 'confirmed',
};

/** A method of a node: its parameters, its correct answer, and what every accepted answer must look like. */
export interface Question {
  readonly method: string;
  readonly answer: unknown;
  readonly ask: (node: LedgerNode) => Promise<unknown>;
  readonly expected: unknown;
  /** Whether each null of the answer comes from a null of the node. */
  readonly allowed: (answer: unknown) => boolean;
}

const count = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
const failureOrNull = (value: unknown) =>
  value === null || (typeof value === 'string' && value !== '') || isJsonObject(value);
const members = (value: unknown, tests: Record<string, (member: unknown) => boolean>) =>
  isJsonObject(value) &&
  Object.keys(value).sort().join() === Object.keys(tests).sort().join() &&
  Object.entries(tests).every(([member, test]) => test(value[member]));
const each = (length: number, test: (item: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.length === length && value.every(test);
const asked = (value: unknown) => count(value) && (value as number) >= 900;

export const questions: readonly Question[] = [
  {
    method: 'getEpochInfo',
    answer: { absoluteSlot: 1_000, blockHeight: 800, epoch: 1, slotIndex: 3, slotsInEpoch: 5 },
    ask: (node) => node.finalizedHeight(),
    expected: { slot: 1_000, blockHeight: 800 },
    allowed: (value) =>
      members(value, { slot: count, blockHeight: count }) &&
      (value as { slot: number }).slot >= (value as { blockHeight: number }).blockHeight,
  },
  {
    method: 'getLatestBlockhash',
    answer: { context, value: { blockhash: owner, lastValidBlockHeight: 950 } },
    ask: (node) => node.latestBlockhash({ minContextSlot: 900 }),
    expected: { slot: 1_000, blockhash: owner, lastValidBlockHeight: 950 },
    allowed: (value) => members(value, { slot: asked, blockhash: isAddress, lastValidBlockHeight: count }),
  },
  {
    method: 'getMultipleAccounts',
    answer: { context, value: [null, { lamports: 1, owner, data: ['', 'base64'], executable: false }] },
    ask: (node) =>
      node.accountOwners([anAddress(1), anAddress(2)], { commitment: 'finalized', minContextSlot: 900 }),
    expected: { slot: 1_000, owners: [null, owner] },
    allowed: (value) =>
      members(value, { slot: asked, owners: each(2, (one) => one === null || isAddress(one)) }),
  },
  {
    method: 'simulateTransaction',
    answer: { context, value: { err: null, logs: [], unitsConsumed: 150, returnData: null } },
    ask: (node) => node.simulate(Uint8Array.of(1), { minContextSlot: 900 }),
    expected: { slot: 1_000, failure: null, unitsConsumed: 150, lamportsAfter: null },
    allowed: (value) =>
      members(value, {
        ...{ slot: asked, failure: failureOrNull, unitsConsumed: count },
        lamportsAfter: (member) => member === null || count(member),
      }),
  },
  {
    method: 'sendTransaction',
    answer: name,
    ask: (node) => node.send(Uint8Array.of(1), name, { minContextSlot: 900 }),
    expected: undefined,
    allowed: () => false,
  },
  {
    method: 'getSignatureStatuses',
    answer: { context, value: [status, null] },
    ask: (node) => node.signatureStatuses([name, aSignature(2)]),
    expected: { slot: 1_000, statuses: [{ slot: 900, commitment: 'confirmed', failure: null }, null] },
    allowed: (value) =>
      members(value, {
        slot: count,
        statuses: each(
          2,
          (one) =>
            one === null ||
            members(one, {
              slot: count,
              commitment: (member) => ['processed', 'confirmed', 'finalized'].includes(member as string),
              failure: failureOrNull,
            }),
        ),
      }),
  },
  {
    method: 'getTransaction',
    answer: transactionAnswer(name),
    ask: (node) => node.finalizedOutcome(name),
    expected: { slot: 9, failure: null, fee: 5_000, isFeePaid: true, paidLamports: 5_000 },
    allowed: (value) =>
      value === null ||
      members(value, {
        ...{ slot: count, failure: failureOrNull, fee: count, paidLamports: count },
        isFeePaid: (member) => typeof member === 'boolean',
      }),
  },
  {
    method: 'isBlockhashValid',
    answer: { context, value: false },
    ask: (node) => node.blockhashValidity(owner, { minContextSlot: 900 }),
    expected: { slot: 1_000, valid: false },
    allowed: (value) => members(value, { slot: asked, valid: (member) => typeof member === 'boolean' }),
  },
  {
    method: 'getBalance',
    answer: { context, value: 77 },
    ask: (node) => node.balance(owner),
    expected: { slot: 1_000, lamports: 77 },
    allowed: (value) => members(value, { slot: count, lamports: count }),
  },
  {
    method: 'getRecentPrioritizationFees',
    answer: [
      { slot: 998, prioritizationFee: 0 },
      { slot: 999, prioritizationFee: 5 },
    ],
    ask: (node) => node.recentPrioritizationFees([owner]),
    expected: [0, 5],
    allowed: (value) => Array.isArray(value) && value.every(count),
  },
];
