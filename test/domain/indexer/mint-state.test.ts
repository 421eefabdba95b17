import { describe, expect, it } from '@jest/globals';
import {
  ACTIVE,
  isMintWrong,
  stateAfterFailure,
  type MintState,
} from '../../../src/domain/indexer/mint-state.js';

const pending: MintState = { status: 'pending', reason: null };

describe('the state of a mint', () => {
  it.each(['ledger_unreachable', 'ledger_nonsense'] as const)('is pending when %s lasts', (reason) => {
    expect(stateAfterFailure(ACTIVE, reason, 1)).toEqual(ACTIVE);
    expect(stateAfterFailure(ACTIVE, reason, 2)).toEqual(ACTIVE);
    expect(stateAfterFailure(ACTIVE, reason, 3)).toEqual({ status: 'pending', reason });
    expect(stateAfterFailure(pending, reason, 1)).toEqual({ status: 'pending', reason });
  });

  it.each([
    'not_token_2022',
    'no_confidential_transfer_extension',
    'auditor_key_mismatch',
    'decimals_mismatch',
    'history_gap',
    'undecodable_instruction',
  ] as const)('is an error at once with %s', (reason) => {
    expect(stateAfterFailure(ACTIVE, reason, 1)).toEqual({ status: 'error', reason });
  });

  it('is the newest reason if it was not in order before', () => {
    const gap: MintState = { status: 'error', reason: 'history_gap' };
    expect(stateAfterFailure(gap, 'ledger_unreachable', 1)).toEqual({
      status: 'pending',
      reason: 'ledger_unreachable',
    });
  });

  it('distinguishes a wrong mint from a failing ledger', () => {
    expect(isMintWrong('auditor_key_mismatch')).toBe(true);
    expect(isMintWrong('history_gap')).toBe(false);
  });
});
