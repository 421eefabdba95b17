import {
  type Address,
  type LatestBlockhash,
  type LedgerNode,
  type ProviderLane,
  type Simulation,
} from '../../../platform/ledger/index.js';
import type { JsonObject } from '../../../platform/kernel/encoding/json.js';
import { answered, askAll, askPatiently, evidenceOf, failureJson, type Answer } from '../evidence/answers.js';
import { isMajority } from '../evidence/majority.js';
import { askNullifiers } from '../evidence/nullifier-accounts.js';
import { highMedian } from '../medians.js';
import type { RelaySigner } from '../payers/relay-signer.js';
import { judgeSimulation, type SimulationVerdict } from './judge-simulation.js';
import { foundNothing, rejected, type RelayContext, type RelayStep, type RelayWork } from './relay-step.js';
import { spentStep } from './validate-relay.js';

/** What the steps of an attempt need: who pays for it. */
export type PaidContext = RelayContext & { readonly signer: RelaySigner };

/** The blockhash of an attempt, and whose it is. */
export interface Base extends LatestBlockhash {
  readonly lane: ProviderLane;
}

/** A simulation that fits, and what it takes from the relayer in addition to the fee. */
export interface Fitting {
  readonly unitsConsumed: number;
  readonly debitLamports: number;
}

/** What one provider says of a transaction. Null: the balances before and after could not be read of one slot. */
export interface Measured extends Simulation {
  readonly debitLamports: number | null;
}

const MAX_DEBIT_READS = 3;

/**
 * The balance before and after must be of one slot: otherwise other relays are in the difference. Both are asked for at once,
 * because a provider that takes longer than a slot would never give two answers of one.
 */
export async function measure(
  node: LedgerNode,
  transaction: Uint8Array,
  { account, minContextSlot, commitment }: MeasureOptions,
): Promise<Measured> {
  for (let read = 1; ; read += 1) {
    const [simulation, before] = await Promise.all([
      node.simulate(transaction, { minContextSlot, account, commitment }),
      node.balance(account, { commitment }),
    ]);
    const { failure, lamportsAfter, slot } = simulation;
    if (failure === null && lamportsAfter !== null && before.slot === slot)
      return { ...simulation, debitLamports: Math.max(0, before.lamports - lamportsAfter) };
    if (failure !== null || read === MAX_DEBIT_READS) return { ...simulation, debitLamports: null };
  }
}

interface MeasureOptions {
  /** Of the relayer. */
  readonly account: Address;
  readonly minContextSlot: number;
  readonly commitment: 'processed' | 'confirmed';
}

/**
 * A simulation that fits; otherwise the step that follows. A refusal ends the request when a majority refuses. Nothing is
 * signed because one provider alone says that it fits, or what it costs: with a blockhash or a number of units that it
 * invented, nothing lands, and with a debit that it invented, the relayer pays more than the pool allows.
 */
export async function simulate(
  context: PaidContext,
  work: RelayWork,
  { lane, slot }: Base,
  transaction: Uint8Array,
): Promise<Fitting | RelayStep> {
  const { lanes } = context;
  const terms = { account: context.signer.address, minContextSlot: slot };
  const verdictOf = (simulation: Simulation) => judgeSimulation(simulation, work.pool.computeUnits);
  const configured = lanes.all.length;
  const others = { ...lanes, all: lanes.all.filter((other) => other !== lane) };
  // At `processed`, because they may be a slot behind the one whose blockhash it is. Of two, the other one is not waited for
  // beyond patience: half is enough. Who denies does not count: the slow ones decide then.
  const seconding = askAll(
    others,
    (node) => measure(node, transaction, { ...terms, commitment: 'processed' }),
    {
      ...{ counted: 1, configured, needs: configured > 2 ? 'majority' : 'one' },
      isAnswer: (one) => 'answer' in one && verdictOf(one.answer) === 'fits',
    },
  );
  // Nobody waits for it where the first one does not fit.
  seconding.catch(() => undefined);
  const question = (node: LedgerNode) => measure(node, transaction, { ...terms, commitment: 'confirmed' });
  const first = await askPatiently(lanes, lane, question);
  if ('error' in first)
    return foundNothing('providers_silent', { simulations: simulationsEvidence([first]) });
  const verdict = verdictOf(first.answer);
  if (verdict === 'fits') return agreedOn([first, ...(await seconding)], verdictOf);
  if (verdict === 'transient')
    return foundNothing('simulation_transient', { simulations: simulationsEvidence([first]) });

  const taken = await findTaken(context, work, slot);
  if (taken) return taken;
  const isAnswer = (one: Answer<Measured>) => 'answer' in one && verdictOf(one.answer) === verdict;
  const simulations = [first, ...(await askAll(others, question, { counted: 1, configured, isAnswer }))];
  const evidence = { simulations: simulationsEvidence(simulations), maxUnits: work.pool.computeUnits };
  const verdicts = answered(simulations)
    .map(({ answer }) => verdictOf(answer))
    .filter((other) => other !== 'transient');
  if (isMajority(verdicts.filter((other) => other === verdict).length, configured))
    return rejected(verdict === 'refused' ? 'simulation_failed' : 'resource_limit_exceeded', evidence);
  const isDenied = verdicts.some((other) => other !== verdict);
  return foundNothing(isDenied ? 'providers_disagree' : 'providers_silent', evidence);
}

/** What at least half of the providers say, each of which measured the debit: the middle of it. */
function agreedOn(
  simulations: readonly Answer<Measured>[],
  verdictOf: (simulation: Simulation) => SimulationVerdict,
): Fitting | RelayStep {
  const evidence = { simulations: simulationsEvidence(simulations) };
  const told = answered(simulations).map(({ answer }) => answer);
  const fitting = told.filter((one) => verdictOf(one) === 'fits');
  const measured = fitting.filter(isMeasured);
  if (2 * measured.length >= simulations.length) return middleOf(measured);
  if (2 * fitting.length >= simulations.length)
    return foundNothing('simulation_transient', { ...evidence, balance: 'not read' });
  const isDenied = told.some((one) => !['fits', 'transient'].includes(verdictOf(one)));
  return foundNothing(isDenied ? 'providers_disagree' : 'providers_silent', evidence);
}

/** The middle of what several providers say, at least one. */
export const middleOf = (measured: readonly Fitting[]): Fitting => ({
  unitsConsumed: highMedian(measured.map(({ unitsConsumed }) => unitsConsumed))!,
  debitLamports: highMedian(measured.map(({ debitLamports }) => debitLamports))!,
});

export const isMeasured = (one: Measured): one is Measured & Fitting => one.debitLamports !== null;

const simulationsEvidence = (simulations: readonly Answer<Measured>[]): JsonObject[] =>
  evidenceOf(simulations, ({ slot, failure, unitsConsumed, debitLamports }) => ({
    ...{ slot, unitsConsumed },
    failure: failureJson(failure),
    ...(debitLamports !== null && { debitLamports }),
  }));

/**
 * Whether spent nullifiers explain a refusal, as of the slot of the simulation or later. Once that is finalized, it ends the
 * request, unless an earlier attempt may have spent them.
 */
async function findTaken(
  context: RelayContext,
  work: RelayWork,
  minContextSlot: number,
): Promise<RelayStep | undefined> {
  const confirmed = await askNullifiers(context, work, 'confirmed', { minContextSlot });
  if (confirmed.spent.kind === 'agreed' && !confirmed.spent.value) return undefined;
  if (!confirmed.isSpentForSome)
    return confirmed.isFreeToTry
      ? undefined
      : foundNothing('providers_silent', { nullifiers: confirmed.evidence });
  const { spent, evidence, leftOut } = await askNullifiers(context, work, 'finalized');
  const asked = { nullifiers: evidence, leftOut };
  return spent.kind === 'agreed' && spent.value
    ? spentStep(context, work, asked)
    : foundNothing('nullifiers_unfinalized', { ...asked, confirmed: confirmed.evidence });
}
