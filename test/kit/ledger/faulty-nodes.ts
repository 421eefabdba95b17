import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { unreachable } from '../../../src/platform/kernel/unreachable.js';
import {
  createLedger,
  createLedgerNodes,
  LedgerError,
  type LatestBlockhash,
  type LedgerErrorKind,
  type LedgerNode,
  type LedgerNodes,
  type Signature,
} from '../../../src/platform/ledger/index.js';
import { silentLog } from '../../../src/platform/kernel/log.js';
import { lagging, slotAsHeight, swallowing } from './lying-node.js';

export type NodeMethod = Exclude<keyof LedgerNode, 'label'>;

/** The fault of one call to one node. */
export type NodeFault =
  /** Never reaches the node. */
  | { readonly kind: 'drop' }
  /** Reaches the node, at once or when `until` resolves, but the caller does not get the answer. */
  | { readonly kind: 'answer_lost'; readonly until?: () => Promise<unknown> }
  /** Reaches the node twice. The caller gets the second answer. */
  | { readonly kind: 'duplicate' }
  /** The first answer that this node ever gave to the same request. */
  | { readonly kind: 'stale' }
  /** The node does not know the last `slots` slots. */
  | { readonly kind: 'lagging'; readonly slots: number }
  /** Never reaches the node. */
  | { readonly kind: 'status'; readonly status: 429 | 500 }
  /** Reaches the node, but the answer is nonsense. */
  | { readonly kind: 'garbage' }
  /** A transaction is accepted, but never lands. Other calls succeed. */
  | { readonly kind: 'swallowed' }
  /** Returns a slot instead of a block height. Other calls succeed. */
  | { readonly kind: 'slot_as_height' }
  /** Reaches the node, and is answered, only when `until` resolves. */
  | { readonly kind: 'delay'; readonly until: () => Promise<unknown> };

/** A planned call. */
export interface PlannedCall {
  /** The position of the node. */
  readonly node: number;
  readonly method: NodeMethod;
  /** The number of earlier calls of this method to this node. */
  readonly ordinal: number;
}

/** The fault of a call, if any. */
export type FaultPlan = (call: PlannedCall) => NodeFault | undefined;

export interface NodeCall extends PlannedCall {
  readonly fault: NodeFault['kind'] | undefined;
  readonly outcome: 'pending' | 'ok' | LedgerErrorKind;
}

/** A signed transaction that a node really sent to the ledger. `taken`: the ledger did not refuse it. */
export interface ReachedTransaction {
  readonly node: number;
  readonly signature: Signature;
  readonly wire: Uint8Array;
  readonly taken: boolean;
}

export interface FaultyNodes extends LedgerNodes {
  /** In the order in which they began. */
  readonly calls: readonly NodeCall[];
  /** In the order in which they arrived. */
  readonly reached: readonly ReachedTransaction[];
  /** The next `times` matching calls have this fault, before the plan is asked; all of them without `times`. */
  fail(
    where: { readonly node?: number; readonly method?: NodeMethod },
    fault: NodeFault,
    times?: number,
  ): void;
  /** Removes all faults, including those of the plan. */
  heal(): void;
}

/** One fault of each kind, by name, for a matrix. */
export const EVERY_FAULT: readonly (readonly [string, NodeFault])[] = [
  ['drops the call', { kind: 'drop' }],
  ['loses the answer', { kind: 'answer_lost' }],
  ['gets the call twice', { kind: 'duplicate' }],
  ['answers what it answered at first', { kind: 'stale' }],
  ['lags by two slots', { kind: 'lagging', slots: 2 }],
  ['lags by two hundred slots', { kind: 'lagging', slots: 200 }],
  ['answers 429', { kind: 'status', status: 429 }],
  ['answers 500', { kind: 'status', status: 500 }],
  ['answers nonsense', { kind: 'garbage' }],
  ['keeps transactions to itself', { kind: 'swallowed' }],
  ['takes slots for heights', { kind: 'slot_as_height' }],
  ['answers late', { kind: 'delay', until: () => delay(5) }],
];

/**
 * The fault of each call depends only on the seed, the node, the method and the ordinal, so the interleaving of calls has no
 * effect. `odds` are probabilities in [0, 1] with a sum of at most 1.
 */
export function seededPlan(seed: number, odds: readonly (readonly [number, NodeFault])[]): FaultPlan {
  return ({ node, method, ordinal }) => {
    const digest = createHash('sha256')
      .update(JSON.stringify([seed, node, method, ordinal]))
      .digest();
    let left = digest.readUInt32BE() / 2 ** 32;
    for (const [probability, fault] of odds) {
      if (left < probability) return fault;
      left -= probability;
    }
    return undefined;
  };
}

/** So long that a busy machine causes no timeout: only the plan makes calls fail. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** `count` nodes of one local ledger, each with separate faults. */
export function faultyNodes(
  ledger: { readonly rpcUrl: string },
  count: number,
  plan: FaultPlan = () => undefined,
): FaultyNodes {
  const rpcUrls = Array.from({ length: count }, () => ledger.rpcUrl);
  const honest = createLedgerNodes({ rpcUrls, timeoutMs: MAX_TIMER_MS });
  const history = createLedger({ rpcUrls: [ledger.rpcUrl], timeoutMs: MAX_TIMER_MS, log: silentLog });
  const calls: { -readonly [member in keyof NodeCall]: NodeCall[member] }[] = [];
  const reached: { -readonly [member in keyof ReachedTransaction]: ReachedTransaction[member] }[] = [];
  const blockhashes: LatestBlockhash[] = [];
  const scripted: { matches: (call: PlannedCall) => boolean; fault: NodeFault; left: number }[] = [];
  let present = plan;

  const faultOf: FaultPlan = (call) => {
    const next = scripted.find(({ matches, left }) => left > 0 && matches(call));
    if (next === undefined) return present(call);
    next.left -= 1;
    return next.fault;
  };

  /** The unchanged node, with a record of everything that reaches the ledger. */
  const recorded = (node: LedgerNode, position: number): LedgerNode => ({
    ...node,
    async latestBlockhash(asOf) {
      const answer = await node.latestBlockhash(asOf);
      blockhashes.push(answer);
      return answer;
    },
    async send(wire, signature, asOf) {
      const arrival = { node: position, signature, wire: Uint8Array.from(wire), taken: false };
      reached.push(arrival);
      await node.send(wire, signature, asOf);
      arrival.taken = true;
    },
  });

  const faulty = (node: LedgerNode, position: number): LedgerNode => {
    const truth = recorded(node, position);
    const firstAnswers = new Map<string, unknown>();

    async function answerOf<T>(
      fault: NodeFault | undefined,
      question: string,
      ask: (node: LedgerNode) => Promise<T>,
    ): Promise<T> {
      switch (fault?.kind) {
        case undefined: {
          const answer = await ask(truth);
          if (!firstAnswers.has(question)) firstAnswers.set(question, answer);
          return answer;
        }
        case 'drop':
          throw new LedgerError('unreachable', 'No connection.');
        case 'status':
          throw fault.status === 429
            ? new LedgerError('rate_limited', 'The provider is busy.', { retryAfterMs: 1_000 })
            : new LedgerError('unreachable', 'The provider answered HTTP 500.');
        case 'answer_lost':
          if (fault.until === undefined) await ask(truth).catch(() => undefined);
          // A call in progress arrives when `until` resolves, whether or not the caller still waits.
          else void fault.until().then(() => ask(truth).catch(() => undefined));
          throw new LedgerError('timeout', 'No answer within 0 ms.');
        case 'duplicate':
          await ask(truth).catch(() => undefined);
          return ask(truth);
        case 'stale':
          if (!firstAnswers.has(question)) return answerOf(undefined, question, ask);
          return firstAnswers.get(question) as T;
        case 'lagging':
          return ask(lagging(truth, fault.slots, { history, blockhashes }));
        case 'garbage':
          await ask(truth).catch(() => undefined);
          throw new LedgerError('nonsense', 'The answer is not JSON.');
        case 'swallowed':
          return ask(swallowing(truth));
        case 'slot_as_height':
          return ask(slotAsHeight(truth));
        case 'delay':
          await fault.until();
          return answerOf(undefined, question, ask);
        default:
          return unreachable(fault);
      }
    }

    async function call<T>(
      method: NodeMethod,
      question: unknown,
      ask: (node: LedgerNode) => Promise<T>,
      minContextSlot = 0,
    ): Promise<T> {
      const ordinal = calls.filter((other) => other.node === position && other.method === method).length;
      const planned: PlannedCall = { node: position, method, ordinal };
      const fault = faultOf(planned);
      const entry: (typeof calls)[number] = { ...planned, fault: fault?.kind, outcome: 'pending' };
      calls.push(entry);
      try {
        const answer = await answerOf(fault, JSON.stringify([method, question]), ask);
        if (slotOf(answer) < minContextSlot) {
          throw new LedgerError('nonsense', 'The answer is from an older slot than was asked for.');
        }
        entry.outcome = 'ok';
        return answer;
      } catch (thrown) {
        if (!(thrown instanceof LedgerError)) throw thrown;
        entry.outcome = thrown.kind;
        throw thrown;
      }
    }

    return {
      label: node.label,
      finalizedHeight: () => call('finalizedHeight', null, (one) => one.finalizedHeight()),
      latestBlockhash: (asOf) =>
        call('latestBlockhash', null, (one) => one.latestBlockhash(asOf), asOf?.minContextSlot),
      accountOwners: (addresses, question) =>
        call(
          'accountOwners',
          [addresses, question.commitment],
          (one) => one.accountOwners(addresses, question),
          question.minContextSlot,
        ),
      simulate: (wire, asOf) =>
        call('simulate', [...wire], (one) => one.simulate(wire, asOf), asOf?.minContextSlot),
      send: (wire, signature, asOf) => call('send', signature, (one) => one.send(wire, signature, asOf)),
      signatureStatuses: (signatures) =>
        call('signatureStatuses', signatures, (one) => one.signatureStatuses(signatures)),
      finalizedOutcome: (signature) =>
        call('finalizedOutcome', signature, (one) => one.finalizedOutcome(signature)),
      blockhashValidity: (blockhash, asOf) =>
        call(
          'blockhashValidity',
          blockhash,
          (one) => one.blockhashValidity(blockhash, asOf),
          asOf?.minContextSlot,
        ),
      creatorOf: (account, program) =>
        call('creatorOf', [account, program], (one) => one.creatorOf(account, program)),
      balance: (address, question) => call('balance', address, (one) => one.balance(address, question)),
      recentPrioritizationFees: (addresses) =>
        call('recentPrioritizationFees', addresses, (one) => one.recentPrioritizationFees(addresses)),
    };
  };

  return {
    nodes: honest.nodes.map(faulty),
    calls,
    reached,
    fail(where, fault, times = Number.POSITIVE_INFINITY) {
      const matches = ({ node, method }: PlannedCall) =>
        (where.node ?? node) === node && (where.method ?? method) === method;
      scripted.push({ matches, fault, left: times });
    },
    heal() {
      scripted.length = 0;
      present = () => undefined;
    },
    async [Symbol.asyncDispose]() {
      await honest[Symbol.asyncDispose]();
      await history.close();
    },
  };
}

/** Answers without a slot belong to no specific slot. */
function slotOf(answer: unknown): number {
  const isOfSlot = typeof answer === 'object' && answer !== null && 'slot' in answer;
  return isOfSlot ? Number(answer.slot) : Number.POSITIVE_INFINITY;
}
