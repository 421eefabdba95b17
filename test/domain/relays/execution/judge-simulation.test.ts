import { describe, expect, it } from '@jest/globals';
import type { TransactionFailure } from '../../../../src/platform/ledger/index.js';
import {
  judgeSimulation,
  type SimulationVerdict,
} from '../../../../src/domain/relays/execution/judge-simulation.js';

const MOST = 200_000;
const verdictOf = (failure: TransactionFailure | null, unitsConsumed = 1) =>
  judgeSimulation({ slot: 1, failure, unitsConsumed, lamportsAfter: null }, MOST);

describe('a simulation', () => {
  it.each<[SimulationVerdict, string, TransactionFailure]>([
    ['transient', 'for a node that lags', 'BlockhashNotFound'],
    ['transient', 'for a node that does not know the payer yet', 'AccountNotFound'],
    ['transient', 'for a node that does not know the program yet', 'ProgramAccountNotFound'],
    ['transient', 'if the payer cannot pay', 'InvalidAccountForFee'],
    ['transient', 'if the payer has too little', 'InsufficientFundsForFee'],
    ['transient', 'if too little rent is left', { InsufficientFundsForRent: { account_index: 0 } }],
    ['transient', 'if the node has already executed it', 'AlreadyProcessed'],
    ['transient', 'during maintenance', 'ClusterMaintenance'],
    ['transient', 'if others use an account', 'AccountInUse'],
    ['transient', 'for a node that does not know a lookup table', 'AddressLookupTableNotFound'],
    ['transient', 'if a lookup table belongs to another program', 'InvalidAddressLookupTableOwner'],
    ['transient', 'if an account is not a lookup table', 'InvalidAddressLookupTableData'],
    ['transient', 'if a lookup table is too short', 'InvalidAddressLookupTableIndex'],
    ['refused', 'if a program refuses it', { InstructionError: [2, { Custom: 5 }] }],
    ['refused', 'for an unknown failure', 'SomethingNew'],
  ])('is %s, %s', (verdict, _, failure) => {
    expect(verdictOf(failure)).toBe(verdict);
  });

  it('fits up to the compute units that the pool allows', () => {
    expect(verdictOf(null, MOST)).toBe('fits');
    expect(verdictOf(null, MOST + 1)).toBe('too_many_units');
  });
});
