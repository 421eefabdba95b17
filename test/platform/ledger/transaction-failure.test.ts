import { describe, expect, it } from '@jest/globals';
import { transactionFailure } from '../../../src/platform/ledger/answer-shape.js';

describe('the failure of a transaction', () => {
  it('is the same from providers with Agave 2 and Agave 3, which write BorshIoError differently', () => {
    const agave2 = { InstructionError: [2, { BorshIoError: 'Unknown' }] };
    const agave3 = { InstructionError: [2, 'BorshIoError'] };
    expect(transactionFailure(agave2)).toEqual(agave3);
    expect(transactionFailure(agave3)).toEqual(agave3);
  });

  it.each(['BlockhashNotFound', { InstructionError: [0, { Custom: 1 }] }, { DuplicateInstruction: 3 }, null])(
    'is otherwise as the provider returns it: %j',
    (failure) => expect(transactionFailure(failure)).toEqual(failure),
  );
});
