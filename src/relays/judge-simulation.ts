import type { Simulation } from '../ledger/index.js';
import { isPassing } from './retry-rule.js';
import { failureJson } from './testimony.js';

/**
 * - `fits`: it would do what it says
 * - `too_many_units`: it would, for more than the pool allows
 * - `passing`: it says something of the node or the moment, and nothing of the transaction
 * - `refused`: a program refuses it
 */
export type SimulationVerdict = 'fits' | 'too_many_units' | 'passing' | 'refused';

/** What a node that is behind, or a relayer without means, makes fail. Agave, `TransactionError`. */
const OF_THE_NODE: ReadonlySet<unknown> = new Set([
  'BlockhashNotFound',
  'AccountNotFound',
  'ProgramAccountNotFound',
  'InvalidAccountForFee',
  'AlreadyProcessed',
  'ClusterMaintenance',
]);

export function judgeSimulation(
  { failure, unitsConsumed }: Simulation,
  mostUnits: number,
): SimulationVerdict {
  if (failure !== null)
    return OF_THE_NODE.has(failure) || isPassing(failureJson(failure)) ? 'passing' : 'refused';
  return unitsConsumed > mostUnits ? 'too_many_units' : 'fits';
}
