import { describe, expect, it } from '@jest/globals';
import type { TransactionFailure } from '../../../src/platform/ledger/index.js';
import {
  judgeSimulation,
  type SimulationVerdict,
} from '../../../src/domain/relays/execution/judge-simulation.js';

const MOST = 200_000;
const verdictOf = (failure: TransactionFailure | null, unitsConsumed = 1) =>
  judgeSimulation({ slot: 1, failure, unitsConsumed, lamportsAfter: null }, MOST);

describe('a simulation', () => {
  it.each<[SimulationVerdict, string, TransactionFailure]>([
    ['transient', 'of a node that is behind', 'BlockhashNotFound'],
    ['transient', 'of a node that does not know the payer yet', 'AccountNotFound'],
    ['transient', 'of a node that does not know the program yet', 'ProgramAccountNotFound'],
    ['transient', 'for which the payer cannot pay', 'InvalidAccountForFee'],
    ['transient', 'for which the payer has too little', 'InsufficientFundsForFee'],
    ['transient', 'that leaves too little rent', { InsufficientFundsForRent: { account_index: 0 } }],
    ['transient', 'of what a node has executed already', 'AlreadyProcessed'],
    ['transient', 'during maintenance', 'ClusterMaintenance'],
    ['transient', 'of an account that others use', 'AccountInUse'],
    ['transient', 'of a node that does not know a lookup table', 'AddressLookupTableNotFound'],
    ['transient', 'for which a lookup table is of another program', 'InvalidAddressLookupTableOwner'],
    ['transient', 'for which a lookup table is not one', 'InvalidAddressLookupTableData'],
    ['transient', 'for which a lookup table is too short', 'InvalidAddressLookupTableIndex'],
    ['refused', 'that a program refuses', { InstructionError: [2, { Custom: 5 }] }],
    ['refused', 'of a failure that nobody knows', 'SomethingNew'],
  ])('is %s, %s', (verdict, _, failure) => {
    expect(verdictOf(failure)).toBe(verdict);
  });

  it('fits up to the compute units that the pool allows', () => {
    expect(verdictOf(null, MOST)).toBe('fits');
    expect(verdictOf(null, MOST + 1)).toBe('too_many_units');
  });
});
