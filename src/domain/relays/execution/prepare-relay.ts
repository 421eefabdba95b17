import type { Id } from '../../../platform/kernel/ids.js';
import { base58 } from '../../../platform/kernel/encoding/bytes.js';
import { isUnavailable } from '../../../platform/kernel/errors.js';
import {
  type Address,
  type LedgerNode,
  MAX_TRANSACTION_BYTES,
  type ProviderLane,
  type Signature,
} from '../../../platform/ledger/index.js';
import {
  believeHeights,
  heightOfBlockhash,
  type Expiring,
  expiringOf,
  isContradicted,
  knownSlot,
  MAX_FINALITY_LAG_SLOTS,
} from '../evidence/believed-heights.js';
import { buildMessage, writableAccounts } from './build-transaction.js';
import { highMedian } from '../medians.js';
import {
  isMeasured,
  measure,
  middleOf,
  simulate,
  type Base,
  type Fitting,
  type PaidContext,
} from './simulate-relay.js';
import { isMajority } from '../evidence/majority.js';
import {
  foundNothing,
  heightsEvidence,
  rejected,
  type NewAttempt,
  type RelayContext,
  type RelayStep,
  type RelayWork,
} from './relay-step.js';
import { answered, ask, askAll, evidenceOf, withinPatience, type Answer } from '../evidence/answers.js';
import {
  computeLimit,
  feeOf,
  priorityFee,
  raisedPrice,
  SIMULATION_TERMS,
  unsignedTransaction,
  wireTransaction,
} from './transaction-terms.js';

/** Builds, simulates and signs the transaction of an attempt. The caller stores the result before it sends it to any node. */
export async function prepareRelay(context: RelayContext, work: RelayWork): Promise<RelayStep> {
  const signer = await context.payers.choose(work.relay);
  return prepareFor({ ...context, signer }, work);
}

async function prepareFor(context: PaidContext, work: RelayWork): Promise<RelayStep> {
  const { lanes, signer } = context;
  const { pool, relayPackage, signals } = work;
  const writable = writableAccounts(pool, relayPackage, signals, signer.address);
  const [heights, fees] = await Promise.all([
    askAll(lanes, (node) => node.finalizedHeight()),
    askAll(lanes, (node) => node.recentPrioritizationFees(writable)),
  ]);
  const base = await recentBlockhash(context, work, heights);
  if (!base) return foundNothing('providers_silent', { heights: heightsEvidence(heights) });

  const build = (terms: { readonly computeUnits: number; readonly microLamportsPerUnit: number }) =>
    buildMessage(pool, relayPackage, signals, { payer: signer.address, blockhash: base.blockhash, ...terms });
  const draft = build(SIMULATION_TERMS);
  if (!draft) return rejected('resource_limit_exceeded', { maxTransactionBytes: MAX_TRANSACTION_BYTES });
  const simulated = await simulate(context, work, base, unsignedTransaction(draft));
  if ('kind' in simulated) return simulated;

  const known = answered(fees);
  if (known.length === 0) return foundNothing('providers_silent', { fees: evidenceOf(fees, () => ({})) });
  const recent = termsOf(work, simulated, priorityFee(known.map(({ answer }) => answer)));
  const priced: Priced | RelayStep = excessOf(work, recent)
    ? await confirmExcess(context, work, base, { transaction: unsignedTransaction(draft), writable }, recent)
    : { simulated, recent };
  if ('kind' in priced) return priced;

  const terms = raisedTerms(work, priced.simulated, priced.recent);
  const message = build(terms);
  if (!message) throw new Error('The terms of a message changed its size.');
  const expiring = expiringOf({ ...base, configured: lanes.all.length, simulatedAt: simulated.slots });
  return signed(context, work, { ...base, ...expiring }, message, terms);
}

/**
 * Returns a blockhash of the first provider whose answer fits the finalized heights. Its slot decides when the transaction is
 * dead, so the answer of one provider is never enough: see {@link expiringOf}. After a look that found nothing, the next one
 * begins with another provider. Slow providers come last, and a provider that does not answer in time is passed over.
 */
async function recentBlockhash(
  context: RelayContext,
  { relay }: RelayWork,
  heights: Parameters<typeof believeHeights>[0],
): Promise<Base | undefined> {
  const { lanes, metrics } = context;
  const beliefs = believeHeights(heights);
  for (const node of beliefs.lying) metrics.providerLied(node);
  const believed = beliefs.believed.map(({ answer }) => answer);
  // Uses the median: a single provider far ahead of the others would make them unable to answer.
  const known = knownSlot(believed, lanes.all.length);
  if (known === undefined) return undefined;
  // A fresh blockhash is younger than the finalized slots. An older slot would make it seem to expire too early.
  const oldest = highMedian(believed.map(({ slot }) => slot))!;
  const fitting = async (lane: ProviderLane): Promise<Base | undefined> => {
    const { node } = lane;
    const answer = await ask(node, () => node.latestBlockhash({ minContextSlot: known }));
    if ('error' in answer) return undefined;
    const { slot, lastValidBlockHeight } = answer.answer;
    const made = heightOfBlockhash(slot, lastValidBlockHeight);
    if (isContradicted(made, believed, lanes.all.length)) {
      metrics.providerLied(node.label);
      return undefined;
    }
    // Neither is a lie: the provider may lag, others may name slots that are not reached yet, and finality may lag this far.
    if (slot < oldest || slot - known > MAX_FINALITY_LAG_SLOTS) return undefined;
    return { slot, blockhash: answer.answer.blockhash, believed, known, lane };
  };
  const first = relay.failedLooks % lanes.all.length;
  const turned = [...lanes.all.slice(first), ...lanes.all.slice(0, first)];
  const asked: Promise<Base | undefined>[] = [];
  for (const lane of turned.toSorted((one, other) => Number(one.isSlow) - Number(other.isSlow))) {
    const base = fitting(lane);
    asked.push(base);
    const inTime = await withinPatience(lanes, base);
    if (inTime) return inTime;
  }
  // No provider was quick: use the first answer of those that were passed over.
  for (const base of asked) {
    const late = await base;
    if (late) return late;
  }
  return undefined;
}

interface Terms {
  readonly computeUnits: number;
  readonly microLamportsPerUnit: number;
  readonly feeLamports: number;
  readonly costLamports: number;
}

function termsOf({ pool }: RelayWork, simulated: Fitting, microLamportsPerUnit: number): Terms {
  const computeUnits = computeLimit(simulated.unitsConsumed, pool.computeUnits);
  const feeLamports = feeOf(computeUnits, microLamportsPerUnit);
  const costLamports = simulated.debitLamports + feeLamports;
  return { computeUnits, microLamportsPerUnit, feeLamports, costLamports };
}

/** The pool's limits cap the raised price. They are no reason to refuse the attempt. */
function raisedTerms(work: RelayWork, simulated: Fitting, recent: Terms): Terms {
  const { pool, signals, attempts } = work;
  const leftLamports = pool.maxCostLamports(signals.nullifiers.length) - simulated.debitLamports;
  const price = raisedPrice(
    recent.microLamportsPerUnit,
    attempts.filter(({ outcome }) => outcome === 'dead'),
    {
      computeUnits: recent.computeUnits,
      maxFeeLamports: Math.min(pool.maxFeeLamports, leftLamports),
    },
  );
  return termsOf(work, simulated, price);
}

type Excess = 'resource_fee_exceeded' | 'resource_limit_exceeded';

/** Which limit of the pool the terms exceed. */
function excessOf({ pool, signals }: RelayWork, { feeLamports, costLamports }: Terms): Excess | undefined {
  if (feeLamports > pool.maxFeeLamports) return 'resource_fee_exceeded';
  return costLamports > pool.maxCostLamports(signals.nullifiers.length)
    ? 'resource_limit_exceeded'
    : undefined;
}

/** What a simulation that fits costs with the recent fees. */
interface Priced {
  readonly simulated: Fitting;
  readonly recent: Terms;
}

/**
 * A rejection is final, so more than half of the providers must each find that the costs are too high. Slow providers are
 * waited for until they do. If more than half find them within the limits, the attempt uses the median of all answers.
 */
async function confirmExcess(
  context: PaidContext,
  work: RelayWork,
  { lane: first, slot }: Base,
  { transaction, writable }: { readonly transaction: Uint8Array; readonly writable: readonly Address[] },
  found: Terms,
): Promise<Priced | RelayStep> {
  const { lanes, signer } = context;
  const configured = lanes.all.length;
  const excess = excessOf(work, found)!;
  const options = { account: signer.address, minContextSlot: slot, commitment: 'confirmed' } as const;
  const question = async (node: LedgerNode): Promise<Counted | undefined> => {
    const [measured, paid] = await Promise.all([
      measure(node, transaction, options),
      node.recentPrioritizationFees(writable),
    ]);
    if (!isMeasured(measured)) return undefined;
    const terms = termsOf(work, measured, priorityFee([paid]));
    return { measured, paid, terms, excess: excessOf(work, terms) ?? null };
  };
  const isAnswer = (one: Answer<Counted | undefined>) => 'answer' in one && one.answer?.excess === excess;
  const asked = await askAll(lanes, question, { isAnswer });
  const counted = answered(asked).flatMap(({ node, answer }) => (answer ? [{ node, ...answer }] : []));
  const unmeasured = asked.filter((one) => !('answer' in one && one.answer)).map(({ node }) => ({ node }));
  const terms = counted.map((one) => ({ node: one.node, ...one.terms, excess: one.excess }));
  const evidence = { ...found, terms: [...terms, ...unmeasured], node: first.node.label };
  const { pool, signals } = work;
  if (isMajority(counted.filter((one) => one.excess === excess).length, configured))
    return rejected(excess, {
      ...evidence,
      ...(excess === 'resource_fee_exceeded'
        ? { maxFeeLamports: pool.maxFeeLamports }
        : { maxCostLamports: pool.maxCostLamports(signals.nullifiers.length) }),
    });
  if (isMajority(counted.filter((one) => one.excess === null).length, configured)) {
    const simulated = middleOf(counted.map(({ measured }) => measured));
    const recent = termsOf(work, simulated, priorityFee(counted.map(({ paid }) => paid)));
    if (!excessOf(work, recent)) return { simulated, recent };
  }
  const isSilent = !isMajority(counted.length, configured);
  return foundNothing(isSilent ? 'providers_silent' : 'providers_disagree', evidence);
}

/** The cost of an attempt according to one provider. */
interface Counted {
  readonly measured: Fitting;
  readonly paid: readonly number[];
  readonly terms: Terms;
  /** Null if the cost is within the pool's limits. */
  readonly excess: Excess | null;
}

async function signed(
  context: PaidContext,
  { relay }: RelayWork,
  base: Base & Expiring,
  message: Uint8Array,
  cost: Terms,
): Promise<RelayStep> {
  if (relay.attemptNumber === null) throw new Error('A queued relay request has an attempt.');
  const signature = await signatureOf(context, relay.id, message);
  if (!signature) return foundNothing('signer_unavailable', { payer: context.signer.address });
  const { blockhash, lastValidBlockHeight, contextSlot, lane } = base;
  const { computeUnits, feeLamports, microLamportsPerUnit } = cost;
  const attempt: NewAttempt = {
    number: relay.attemptNumber,
    signature: base58.encode(signature) as Signature,
    transaction: wireTransaction(message, signature),
    ...{ blockhash, lastValidBlockHeight, contextSlot, computeUnits, feeLamports },
    costLamports: cost.costLamports,
  };
  const evidence = {
    ...{ signature: attempt.signature, blockhash, lastValidBlockHeight, contextSlot },
    ...{ computeUnits, microLamportsPerUnit, feeLamports, costLamports: cost.costLamports },
    blockhashOf: lane.node.label,
  };
  return { kind: 'change', change: { to: 'submitted', evidence }, attempt };
}

/** Returns `undefined` if the payer's key does not sign, whatever the cause. The next look uses another payer. */
async function signatureOf(
  { signer, foundation, atStore }: PaidContext,
  relayId: Id<'rly'>,
  message: Uint8Array,
): Promise<Uint8Array | undefined> {
  try {
    return await atStore(relayId, () => signer.sign(message));
  } catch (thrown) {
    foundation.log[isUnavailable(thrown) ? 'warn' : 'error'](
      { payer: signer.address, err: thrown },
      'A payer did not sign.',
    );
    return undefined;
  }
}
