import {
  type Address,
  type LatestBlockhash,
  type LedgerHeight,
  type LedgerNode,
  type ProviderLane,
  type Simulation,
} from '../../../platform/ledger/index.js';
import type { JsonObject } from '../../../platform/kernel/encoding/json.js';
import { answered, askAll, askPatiently, evidenceOf, failureJson, type Answer } from '../evidence/answers.js';
import { MAX_FINALITY_LAG_SLOTS } from '../evidence/believed-heights.js';
import { isMajority } from '../evidence/majority.js';
import { askNullifiers } from './ask-nullifiers.js';
import { highMedian } from '../medians.js';
import type { RelaySigner } from '../payers/relay-signer.js';
import { judgeSimulation, type SimulationVerdict } from './judge-simulation.js';
import { foundNothing, rejected, type RelayContext, type RelayStep, type RelayWork } from './relay-step.js';
import { spentStep } from './validate-relay.js';

/** What the steps of an attempt need, including the payer. */
export type PaidContext = RelayContext & { readonly signer: RelaySigner };

/** The blockhash of an attempt, and the provider that returned it. */
export interface Base extends Pick<LatestBlockhash, 'slot' | 'blockhash'> {
  readonly lane: ProviderLane;
  /** The finalized heights that are believed, from before it was asked for, and the middle of their slots. */
  readonly believed: readonly LedgerHeight[];
  readonly known: number;
}

/** The measurements of a simulation that fits: the units, and the debit of the relayer in addition to the fee. */
export interface Fitting {
  readonly unitsConsumed: number;
  readonly debitLamports: number;
}

/** What providers found that agree that a transaction fits. */
export interface Agreed extends Fitting {
  /** The slots at which they knew its blockhash. */
  readonly slots: readonly number[];
}

/** The simulation of one provider. The debit is null if the balances before and after could not be read at one slot. */
export interface Measured extends Simulation {
  readonly debitLamports: number | null;
}

const MAX_DEBIT_READS = 3;

/**
 * The balances before and after must be read at the same slot: otherwise the difference includes other relays. Both are
 * requested at once, because a provider that takes longer than a slot would never return both for one slot.
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
  /** The account of the relayer. */
  readonly account: Address;
  readonly minContextSlot: number;
  readonly commitment: 'processed' | 'confirmed';
}

/**
 * Returns a simulation that fits, or the step that follows instead. A refusal ends the request when a majority refuses. One
 * provider alone can neither confirm that the transaction fits nor state its cost: with an invented blockhash or number of
 * units, nothing would land, and with an invented debit, the relayer would pay more than the pool allows.
 */
export async function simulate(
  context: PaidContext,
  work: RelayWork,
  { lane, slot, known }: Base,
  transaction: Uint8Array,
): Promise<Agreed | RelayStep> {
  const { lanes } = context;
  const terms = { account: context.signer.address, minContextSlot: slot };
  const verdictOf = (simulation: Simulation) => judgeSimulation(simulation, work.pool.computeUnits);
  // Nothing is signed while finality is later than this. One provider alone could claim it.
  const isInTime = (simulation: Simulation) => simulation.slot <= known + MAX_FINALITY_LAG_SLOTS;
  const configured = lanes.all.length;
  const others = { ...lanes, all: lanes.all.filter((other) => other !== lane) };
  // Asks at `processed`, because the others may lag one slot behind the provider of the blockhash. With two providers, patience
  // limits the wait for the other one: half is enough. A denial does not count as an answer, so that the slow providers decide.
  const seconding = askAll(
    others,
    (node) => measure(node, transaction, { ...terms, commitment: 'processed' }),
    {
      ...{ counted: 1, configured, needs: configured > 2 ? 'majority' : 'one' },
      isAnswer: (one) => 'answer' in one && verdictOf(one.answer) === 'fits' && isInTime(one.answer),
    },
  );
  // If the first provider does not confirm that it fits, there is no caller that waits for this.
  seconding.catch(() => undefined);
  const question = (node: LedgerNode) => measure(node, transaction, { ...terms, commitment: 'confirmed' });
  const first = await askPatiently(lanes, lane, question);
  if ('error' in first)
    return foundNothing('providers_silent', { simulations: simulationsEvidence([first]) });
  const verdict = verdictOf(first.answer);
  if (verdict === 'fits') return agreedOn([first, ...(await seconding)], verdictOf, isInTime);
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

/** The median of the simulations that fit and measured the debit, if they are at least half of the providers. */
function agreedOn(
  simulations: readonly Answer<Measured>[],
  verdictOf: (simulation: Simulation) => SimulationVerdict,
  isInTime: (simulation: Simulation) => boolean,
): Agreed | RelayStep {
  const evidence = { simulations: simulationsEvidence(simulations) };
  const answers = answered(simulations).map(({ answer }) => answer);
  const fitting = answers.filter((one) => verdictOf(one) === 'fits' && isInTime(one));
  const measured = fitting.filter(isMeasured);
  if (2 * measured.length >= simulations.length)
    return { ...middleOf(measured), slots: fitting.map(({ slot }) => slot) };
  if (2 * fitting.length >= simulations.length)
    return foundNothing('simulation_transient', { ...evidence, balance: 'not read' });
  const isDenied = answers.some((one) => !['fits', 'transient'].includes(verdictOf(one)));
  return foundNothing(isDenied ? 'providers_disagree' : 'providers_silent', evidence);
}

/** The median of at least one measurement. */
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
 * Whether spent nullifiers explain a refusal, as of the slot of the simulation or later. Once the spending is finalized, it
 * ends the request, unless an earlier attempt may have spent them.
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
