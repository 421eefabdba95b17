import { describe, expect, it } from '@jest/globals';
import { fc } from '../../kit/properties.js';
import { ADDRESS_STATUSES, mayBecomeFrom } from '../../../src/domain/checks/addresses/address-state.js';
import { CHECK_REASONS, CHECK_STEPS, decideCheck } from '../../../src/domain/checks/check-rules.js';

const anyRules = fc.record({
  listed: fc.constantFrom(undefined, ...ADDRESS_STATUSES),
  approvedByDefault: fc.boolean(),
});
const anyOutcome = fc.constantFrom('clear' as const, 'sanctioned' as const, 'unavailable' as const);
const anyScreening = fc
  .tuple(fc.option(anyOutcome, { nil: undefined }), fc.option(anyOutcome, { nil: undefined }))
  .map(([list, service]) => [
    ...(list ? [{ step: 'sanctions_list' as const, outcome: list }] : []),
    ...(service ? [{ step: 'screening_service' as const, outcome: service }] : []),
  ]);

describe('the decision about an address', () => {
  it('approves exactly what every screening step clears and the application allows', () => {
    fc.assert(
      fc.property(fc.option(anyRules, { nil: undefined }), anyScreening, (rules, screened) => {
        const wanted =
          rules !== undefined &&
          (rules.listed === 'approved' || (rules.listed === undefined && rules.approvedByDefault));
        const { approved, reason, decidedBy } = decideCheck(rules, screened);
        expect(approved).toBe(wanted && screened.every(({ outcome }) => outcome === 'clear'));
        expect(approved).toBe(reason === 'approved');
        expect(CHECK_REASONS).toContain(reason);
        expect(CHECK_STEPS).toContain(decidedBy);
      }),
    );
  });

  it('is made by the first step that objects, and names that step', () => {
    fc.assert(
      fc.property(anyRules, anyScreening, (rules, screened) => {
        const objection = screened.find(({ outcome }) => outcome !== 'clear');
        const { reason, decidedBy } = decideCheck(rules, screened);
        if (!objection) expect(['address_list', 'default']).toContain(decidedBy);
        else {
          expect(decidedBy).toBe(objection.step);
          expect(reason).toBe(objection.outcome === 'sanctioned' ? 'sanctioned' : 'screening_unavailable');
        }
      }),
    );
  });

  it('is the same for an unknown application, regardless of the screening', () => {
    fc.assert(
      fc.property(anyScreening, (screened) => {
        expect(decideCheck(undefined, screened)).toEqual({
          approved: false,
          reason: 'unknown_application',
          decidedBy: 'application',
        });
      }),
    );
  });

  it.each([
    ['revoked', true, 'revoked', 'address_list'],
    ['revoked', false, 'revoked', 'address_list'],
    ['approved', false, 'approved', 'address_list'],
    [undefined, true, 'approved', 'default'],
    [undefined, false, 'not_approved', 'default'],
  ] as const)(
    'follows the list, then the default: listed as %s, default %s, decided “%s” by %s',
    (listed, approvedByDefault, reason, decidedBy) => {
      expect(decideCheck({ listed, approvedByDefault }, [])).toMatchObject({ reason, decidedBy });
    },
  );
});

describe('a listed address', () => {
  it('changes only between its two statuses', () => {
    expect(mayBecomeFrom('approved')).toEqual(['revoked']);
    expect(mayBecomeFrom('revoked')).toEqual(['approved']);
  });
});
