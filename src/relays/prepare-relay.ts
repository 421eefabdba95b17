import { base58 } from '../kernel/bytes.js';
import type { JsonObject } from '../kernel/json.js';
import {
  LARGEST_TRANSACTION,
  type LatestBlockhash,
  type LedgerNode,
  type Signature,
  type Simulation,
} from '../ledger/index.js';
import { areOnOneChain, believeHeights, BLOCKHASH_LIFETIME, heightOfBlockhash } from './believed-heights.js';
import { buildMessage, writableAccounts } from './build-transaction.js';
import { judgeSimulation } from './judge-simulation.js';
import { askNullifiers } from './nullifier-accounts.js';
import {
  countLies,
  foundNothing,
  heightsEvidence,
  rejected,
  type NewAttempt,
  type RelayContext,
  type RelayStep,
  type RelayWork,
} from './relay-step.js';
import { answered, ask, askAll, evidenceOf, failureJson, type Testimony } from './testimony.js';
import {
  computeLimit,
  feeOf,
  priorityFee,
  SIMULATION_TERMS,
  unsignedTransaction,
  wireTransaction,
} from './transaction-terms.js';

/** Builds, simulates and signs the transaction of an attempt. What it answers is stored before any node sees it. */
export async function prepareRelay(context: RelayContext, work: RelayWork): Promise<RelayStep> {
  const { nodes, signer } = context;
  const { pool, given, signals } = work;
  const writable = writableAccounts(pool, given, signals, signer.address);
  const [heights, fees] = await Promise.all([
    askAll(nodes, (node) => node.finalizedHeight()),
    askAll(nodes, (node) => node.recentPrioritizationFees(writable)),
  ]);
  const base = await recentBlockhash(context, work, heights);
  if (!base) return foundNothing('providers_silent', { heights: heightsEvidence(heights) });

  const build = (terms: { readonly computeUnits: number; readonly microLamportsPerUnit: number }) =>
    buildMessage(pool, given, signals, { payer: signer.address, blockhash: base.blockhash, ...terms });
  const draft = build(SIMULATION_TERMS);
  if (!draft) return rejected('resource_limit_exceeded', { transactionBytes: { most: LARGEST_TRANSACTION } });
  const simulated = await simulate(context, work, base, unsignedTransaction(draft));
  if ('kind' in simulated) return simulated;

  const said = answered(fees);
  if (said.length === 0) return foundNothing('providers_silent', { fees: evidenceOf(fees, () => ({})) });
  const computeUnits = computeLimit(simulated.unitsConsumed, pool.computeUnits);
  const microLamportsPerUnit = priorityFee(said.map(({ answer }) => answer));
  const feeLamports = feeOf(computeUnits, microLamportsPerUnit);
  const cost = { computeUnits, microLamportsPerUnit, feeLamports };
  if (feeLamports > pool.maxFeeLamports)
    return rejected('resource_fee_exceeded', { ...cost, most: pool.maxFeeLamports });

  const message = build(cost);
  if (!message) throw new Error('The terms of a message changed its size.');
  return signed(context, work, base, message, cost);
}

interface Base extends LatestBlockhash {
  readonly node: LedgerNode;
}

/**
 * A blockhash of the first provider that has one which fits the finalized heights: its last height decides when the
 * transaction is dead, so it must not be taken on one provider's word alone, nor be so far ahead that the ledger may never
 * come there. Another provider is first after each look that
 * found nothing.
 */
async function recentBlockhash(
  context: RelayContext,
  { relay }: RelayWork,
  heights: Parameters<typeof believeHeights>[0],
): Promise<Base | undefined> {
  const { nodes, metrics } = context;
  const beliefs = believeHeights(heights);
  countLies(context, beliefs);
  if (beliefs.believed.length === 0) return undefined;
  const known = beliefs.believed
    .map(({ answer }) => answer)
    .reduce((highest, height) => (height.slot > highest.slot ? height : highest));
  const first = relay.failedLooks % nodes.length;
  for (const node of [...nodes.slice(first), ...nodes.slice(0, first)]) {
    const testimony = await ask(node, () => node.latestBlockhash({ minContextSlot: known.slot }));
    if ('error' in testimony) continue;
    const { slot, lastValidBlockHeight } = testimony.answer;
    const isNear = slot - known.slot <= BLOCKHASH_LIFETIME;
    if (isNear && areOnOneChain(known, heightOfBlockhash(slot, lastValidBlockHeight)))
      return { ...testimony.answer, node };
    metrics.providerLied(node.label);
  }
  return undefined;
}

/** A simulation that fits; otherwise what follows. A refusal ends the request only when a second provider, where there is one, says so too. */
async function simulate(
  context: RelayContext,
  work: RelayWork,
  { node, slot }: Base,
  transaction: Uint8Array,
): Promise<Simulation | RelayStep> {
  const question = (asked: LedgerNode) => asked.simulate(transaction, { minContextSlot: slot });
  const verdictOf = (simulation: Simulation) => judgeSimulation(simulation, work.pool.computeUnits);
  const first = await ask(node, question);
  if ('error' in first)
    return foundNothing('providers_silent', { simulations: simulationsEvidence([first]) });
  const verdict = verdictOf(first.answer);
  if (verdict === 'fits') return first.answer;
  if (verdict === 'passing')
    return foundNothing('simulation_passing', { simulations: simulationsEvidence([first]) });

  const taken = await findTaken(context, work, slot);
  if (taken) return taken;
  const others = context.nodes.filter((other) => other !== node);
  const simulations = [first, ...(await askAll(others, question))];
  const evidence = { simulations: simulationsEvidence(simulations), mostUnits: work.pool.computeUnits };
  const verdicts = answered(simulations)
    .map(({ answer }) => verdictOf(answer))
    .filter((other) => other !== 'passing');
  if (verdicts.some((other) => other !== verdict)) return foundNothing('providers_disagree', evidence);
  if (others.length > 0 && verdicts.length < 2) return foundNothing('providers_silent', evidence);
  return rejected(verdict === 'refused' ? 'simulation_failed' : 'resource_limit_exceeded', evidence);
}

const simulationsEvidence = (simulations: readonly Testimony<Simulation>[]): JsonObject[] =>
  evidenceOf(simulations, ({ slot, failure, unitsConsumed }) => ({
    ...{ slot, unitsConsumed },
    failure: failureJson(failure),
  }));

/**
 * A refusal that another's spending explains: it is final once that is finalized. Whether it does is known when enough
 * providers have answered for the slot of the simulation or a later one.
 */
async function findTaken(
  context: RelayContext,
  work: RelayWork,
  minContextSlot: number,
): Promise<RelayStep | undefined> {
  const confirmed = await askNullifiers(context, work, 'confirmed', { minContextSlot });
  if (!confirmed.isSpentForSome)
    return confirmed.spent.kind === 'agreed'
      ? undefined
      : foundNothing('providers_silent', { nullifiers: confirmed.evidence });
  const { spent, evidence } = await askNullifiers(context, work, 'finalized');
  return spent.kind === 'agreed' && spent.value
    ? rejected('nullifiers_spent', { nullifiers: evidence })
    : foundNothing('nullifiers_unfinalized', { nullifiers: evidence, confirmed: confirmed.evidence });
}

async function signed(
  { foundation, signer }: RelayContext,
  { relay }: RelayWork,
  base: Base,
  message: Uint8Array,
  cost: { readonly computeUnits: number; readonly feeLamports: number },
): Promise<RelayStep> {
  if (relay.attemptNumber === null) throw new Error('A queued relay request has an attempt.');
  const signature = await signer.sign(message);
  const { blockhash, lastValidBlockHeight, slot: contextSlot, node } = base;
  const { computeUnits, feeLamports } = cost;
  const attempt: NewAttempt = {
    number: relay.attemptNumber,
    signature: base58.encode(signature) as Signature,
    transaction: wireTransaction(message, signature),
    ...{ blockhash, lastValidBlockHeight, contextSlot, computeUnits, feeLamports },
    createdAt: foundation.clock.now(),
  };
  const evidence = {
    ...{ signature: attempt.signature, blockhash, lastValidBlockHeight, contextSlot },
    ...{ computeUnits, feeLamports, blockhashOf: node.label },
  };
  return { kind: 'change', change: { to: 'submitted', evidence }, attempt };
}
