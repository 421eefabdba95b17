import { describe, expect, it } from '@jest/globals';
import { RELAY_STATUSES } from '../../../../src/domain/relays/relay-state.js';
import { isRetryAllowed, type RetryFacts } from '../../../../src/domain/relays/status/retry-rule.js';
import { fc } from '../../../kit/properties.js';

type Attempt = RetryFacts['attempts'][number];
const dead: Attempt = { outcome: 'dead', failure: null };
const failed = (failure: Attempt['failure']): Attempt => ({ outcome: 'failed', failure });
const allowed = (reason: RetryFacts['reason'], ...attempts: Attempt[]) =>
  isRetryAllowed({ status: 'failed', reason, attempts });

describe('another attempt', () => {
  it('is allowed if nothing was signed, or every signed transaction is proven dead', () => {
    expect(allowed('infrastructure_failed')).toBe(true);
    expect(allowed('send_failed', dead)).toBe(true);
    expect(allowed('infrastructure_failed', dead, dead)).toBe(true);
  });

  it('is never allowed if one of the transactions can still land or has landed', () => {
    const outcome = fc.constantFrom('dead' as const, 'failed' as const);
    const concluded = fc.array(outcome.map((one): Attempt => ({ outcome: one, failure: 'AccountInUse' })));
    const open = fc.constantFrom<Attempt>(
      { outcome: null, failure: null },
      { outcome: 'landed', failure: null },
    );
    const reason = fc.constantFrom('send_failed', 'transaction_failed', 'infrastructure_failed');
    fc.assert(
      fc.property(concluded, open, concluded, reason, (before, one, after, why) =>
        expect(allowed(why, ...before, one, ...after)).toBe(false),
      ),
    );
  });

  it('is allowed after a failure on the ledger only if the cause is outside the transaction', () => {
    expect(allowed('transaction_failed', failed('InsufficientFundsForFee'))).toBe(true);
    expect(allowed('transaction_failed', failed({ InsufficientFundsForRent: { account_index: 0 } }))).toBe(
      true,
    );
    expect(allowed('transaction_failed', failed({ InstructionError: [2, { Custom: 5 }] }))).toBe(false);
    expect(allowed('transaction_failed', failed(null))).toBe(false);
    // The last attempt counts: the earlier one was already retried.
    const custom = failed({ InstructionError: [2, { Custom: 5 }] });
    expect(allowed('transaction_failed', failed('AccountInUse'), custom)).toBe(false);
  });

  it('is allowed only in the status `failed`', () => {
    for (const status of RELAY_STATUSES.filter((one) => one !== 'failed'))
      expect(isRetryAllowed({ status, reason: 'send_failed', attempts: [dead] })).toBe(false);
  });
});
