import { describe, expect, it } from '@jest/globals';
import { fc } from '../../../kit/properties.js';
import {
  CASE_REQUEST_DECISIONS,
  CASE_REQUEST_STATUSES,
  CASE_REQUEST_TRANSITIONS,
  mayBecome,
  STATUS_AFTER_DECISION,
  type CaseRequestStatus,
} from '../../../../src/domain/cases/requests/case-request-state.js';
import {
  caseStatusAt,
  expiryOf,
  secondsLeftAt,
  secondsOfPeriod,
} from '../../../../src/domain/cases/case-window.js';

describe('the states of a case request', () => {
  it('are decided once, for any sequence of attempts', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...CASE_REQUEST_DECISIONS), { minLength: 1 }), (decisions) => {
        let status: CaseRequestStatus = 'pending';
        let changes = 0;
        for (const decision of decisions) {
          const next = STATUS_AFTER_DECISION[decision];
          if (!mayBecome(status, next)) continue;
          status = next;
          changes += 1;
        }
        expect(changes).toBe(1);
        expect(status).toBe(STATUS_AFTER_DECISION[decisions[0]!]);
      }),
    );
  });

  it('have no transitions from final states or to themselves', () => {
    for (const status of CASE_REQUEST_STATUSES) {
      expect(mayBecome(status, status)).toBe(false);
      expect(mayBecome(status, 'pending')).toBe(false);
      if (status !== 'pending') expect(CASE_REQUEST_TRANSITIONS[status]).toEqual([]);
    }
  });
});

describe('the window of a case', () => {
  const times = fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
  const days = fc.integer({ min: 1, max: 3650 });

  it('is open up to its last millisecond, and then closed', () => {
    fc.assert(
      fc.property(times, days, fc.integer({ min: -5, max: 5 }), (approvedAt, accessDays, offset) => {
        const expiresAt = expiryOf(approvedAt, accessDays);
        expect(expiresAt.getTime() - approvedAt.getTime()).toBe(accessDays * 86_400_000);
        const status = caseStatusAt(expiresAt, new Date(expiresAt.getTime() + offset));
        expect(status).toBe(offset < 0 ? 'active' : 'expired');
      }),
    );
  });

  it('has seconds left exactly while it is open', () => {
    fc.assert(
      fc.property(times, fc.integer({ min: -10_000, max: 10_000 }), (expiresAt, offset) => {
        const now = new Date(expiresAt.getTime() + offset);
        const left = secondsLeftAt(expiresAt, now);
        expect(left > 0).toBe(caseStatusAt(expiresAt, now) === 'active');
        expect(left).toBe(Math.max(0, Math.ceil(-offset / 1000)));
      }),
    );
  });

  it('includes the whole of its last day', () => {
    const { from, until } = secondsOfPeriod('2026-02-28', '2026-02-28');
    expect(new Date(from * 1000).toISOString()).toBe('2026-02-28T00:00:00.000Z');
    expect(new Date(until * 1000).toISOString()).toBe('2026-03-01T00:00:00.000Z');
  });
});
