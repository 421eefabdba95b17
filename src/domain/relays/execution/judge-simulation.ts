import type { Simulation } from '../../../platform/ledger/index.js';
import { isTransient } from '../status/retry-rule.js';
import { failureJson } from '../evidence/answers.js';

/**
 * - `fits`: the transaction would succeed within the pool's limits
 * - `too_many_units`: it would succeed with more compute units than the pool allows
 * - `transient`: the node or the moment caused a failure, which says nothing about the transaction
 * - `refused`: a program refuses it
 */
export type SimulationVerdict = 'fits' | 'too_many_units' | 'transient' | 'refused';

/**
 * Failures caused by a node that lags, a relayer without funds, or a lookup table that is not on the ledger. They do not make
 * the package invalid. Source: Agave, `TransactionError`.
 */
const NODE_FAILURES: ReadonlySet<unknown> = new Set([
  'BlockhashNotFound',
  'AccountNotFound',
  'ProgramAccountNotFound',
  'InvalidAccountForFee',
  'AlreadyProcessed',
  'ClusterMaintenance',
  'AddressLookupTableNotFound',
  'InvalidAddressLookupTableOwner',
  'InvalidAddressLookupTableData',
  'InvalidAddressLookupTableIndex',
]);

export function judgeSimulation({ failure, unitsConsumed }: Simulation, maxUnits: number): SimulationVerdict {
  if (failure !== null)
    return NODE_FAILURES.has(failure) || isTransient(failureJson(failure)) ? 'transient' : 'refused';
  return unitsConsumed > maxUnits ? 'too_many_units' : 'fits';
}
