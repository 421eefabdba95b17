import { describe, expect, it } from '@jest/globals';
import { fc } from '../../../kit/properties.js';
import {
  isTerminal,
  mayBecome,
  RELAY_STATUSES,
  RELAY_TRANSITIONS,
  type RelayStatus,
} from '../../../../src/domain/relays/relay-state.js';

const status = fc.constantFrom(...RELAY_STATUSES);
const nextOf = (from: RelayStatus): readonly RelayStatus[] => RELAY_TRANSITIONS[from];

describe('the states of a relay request', () => {
  it('change only as the table allows', () => {
    fc.assert(
      fc.property(status, status, (from, to) => expect(mayBecome(from, to)).toBe(nextOf(from).includes(to))),
    );
  });

  it('never leave success or rejection, and leave failure only for another attempt', () => {
    expect(nextOf('succeeded')).toEqual([]);
    expect(nextOf('rejected')).toEqual([]);
    expect(nextOf('failed')).toEqual(['queued']);
  });

  it('never return to a state before sending, except after a proven failure', () => {
    const afterSending: RelayStatus[] = ['submitted', 'reconciling'];
    for (const from of afterSending)
      for (const to of nextOf(from)) expect(afterSending.includes(to) || isTerminal(to)).toBe(true);
  });

  it('reach an end from every state, by any path', () => {
    fc.assert(
      fc.property(status, fc.array(fc.nat(), { minLength: 20, maxLength: 20 }), (from, choices) => {
        let at = from;
        const seen = [at];
        for (const choice of choices) {
          if (isTerminal(at)) break;
          const next = nextOf(at);
          at = next[choice % next.length]!;
          seen.push(at);
        }
        expect(isTerminal(seen.at(-1)!)).toBe(true);
      }),
    );
  });

  it('reach success only after a transaction was sent', () => {
    for (const from of RELAY_STATUSES)
      if (mayBecome(from, 'succeeded')) expect(['submitted', 'reconciling']).toContain(from);
  });
});
