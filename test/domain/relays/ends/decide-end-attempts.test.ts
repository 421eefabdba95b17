import { describe, expect, it } from '@jest/globals';
import type { Signature } from '../../../../src/platform/ledger/index.js';
import type { SignedAttempt, Testimony } from '../../../../src/domain/relays/evidence/decide-end.js';
import {
  ATTEMPT,
  DEAD,
  decide,
  FAILED,
  FORGETS,
  judge,
  LANDED_SLOT,
  OURS,
  SLOT,
  SPENT,
  SUCCEEDED,
  three,
} from './decide-end-kit.js';

const FIRST: SignedAttempt = { ...ATTEMPT, signature: 'the first' as Signature };
const SECOND: SignedAttempt = { ...ATTEMPT, number: 2 };
const FIRST_DEAD = { ...FIRST, isDead: true };

/** The answers of a provider about two attempts, from its answers about each of them alone. */
const both = (first: Testimony, second: Testimony): Testimony => ({
  ...second,
  statuses: { slot: SLOT, statuses: [first, second].map(({ statuses }) => statuses!.statuses[0]!) },
  outcomes: [first, second].map(({ outcomes }) => outcomes?.[0]),
  blockhashes: { slot: SLOT, valid: [first, second].map(({ blockhashes }) => blockhashes!.valid[0]!) },
});
const decideBoth = (attempts: readonly SignedAttempt[], first: Testimony, second: Testimony) =>
  decide(three(both(first, second)), { attempts });

/** A provider that shows the blockhash as still valid. */
const YOUNG: Testimony = {
  ...DEAD,
  height: { slot: 1_030, blockHeight: 925 },
  blockhashes: { slot: 1_030, valid: [true] },
};
const knows = (testimony: Testimony, commitment: 'processed' | 'confirmed' | 'finalized'): Testimony => ({
  ...testimony,
  statuses: { slot: SLOT, statuses: [{ slot: LANDED_SLOT, commitment, failure: null }] },
});

describe('a request with two attempts', () => {
  it('ends with the failure of the second if the first was proven dead', () => {
    expect(decideBoth([FIRST_DEAD, SECOND], DEAD, FAILED)).toMatchObject({ kind: 'landed_failed', at: 1 });
  });

  it('does not end with the failure of the second while the first may still land', () => {
    const young = { ...YOUNG, nullifiers: DEAD.nullifiers! };
    expect(decideBoth([FIRST, SECOND], young, { ...FAILED, ...{ height: YOUNG.height! } })).toMatchObject({
      kind: 'wait',
    });
  });

  it('does not end with the failure of the first: the second is dead', () => {
    expect(decideBoth([FIRST, { ...SECOND, isDead: true }], FAILED, DEAD)).toMatchObject({ kind: 'dead' });
  });

  it('may have succeeded with the attempt that was considered dead if the nullifiers are spent', () => {
    const spent = { nullifiers: SPENT, spender: null };
    expect(decideBoth([FIRST_DEAD, SECOND], { ...DEAD, ...spent }, { ...FAILED, ...spent })).toEqual({
      ...{ kind: 'wait', for: 'spender' },
    });
  });

  it('is dead when the blockhash of each has expired', () => {
    const later = { ...SECOND, contextSlot: 1_100, lastValidBlockHeight: 1_150 };
    expect(decideBoth([FIRST, later], DEAD, DEAD)).toMatchObject({ kind: 'wait' });
    expect(decideBoth([FIRST, SECOND], DEAD, DEAD)).toMatchObject({ kind: 'dead' });
  });
});

describe('the time since the last attempt was signed', () => {
  const after = (lastMs: number, ...more: Testimony[]) => {
    const dead = both(DEAD, DEAD);
    return decide([dead, dead, ...more], {
      ...{ attempts: [FIRST, SECOND], sinceSignedMs: [900_000, lastMs] },
    });
  };

  it('decides when a death can be concluded', () => {
    expect(after(44_999)).toEqual({ kind: 'wait', for: 'minimum_time' });
    expect(after(45_000)).toMatchObject({ kind: 'dead' });
  });

  it('decides how long silent providers delay a death', () => {
    expect(after(599_999, { node: '' })).toEqual({ kind: 'wait', for: 'silent_providers' });
    expect(after(600_000, { node: '' })).toMatchObject({ kind: 'dead' });
  });
});

describe('an attempt', () => {
  const mayLand = (...parameters: Parameters<typeof judge>) => judge(...parameters).mayLand;

  it('is sent again while no majority is past its expiry', () => {
    const { nullifiers, ...unread } = DEAD;
    expect(nullifiers).toBeDefined();
    expect(mayLand(three(YOUNG))).toBe(true);
    expect(mayLand([unread, YOUNG, YOUNG])).toBe(true);
    expect(mayLand([unread, unread, YOUNG])).toBe(false);
  });

  it('is sent again while no majority knows it', () => {
    expect(mayLand([knows(YOUNG, 'processed'), YOUNG, YOUNG])).toBe(true);
    expect(mayLand([knows(YOUNG, 'processed'), knows(YOUNG, 'confirmed'), YOUNG])).toBe(false);
  });

  it('is not sent again if it was proven dead', () => {
    const attempts = (isDead: boolean) => [{ ...ATTEMPT, isDead }];
    expect(mayLand(three(YOUNG), { attempts: attempts(false) })).toBe(true);
    expect(mayLand(three(YOUNG), { attempts: attempts(true) })).toBe(false);
  });

  it('is sent again although one of three shows a spent nullifier while the others do not answer about it', () => {
    const { nullifiers, ...unread } = YOUNG;
    expect(nullifiers).toBeDefined();
    const spent = { ...YOUNG, nullifiers: SPENT, spender: 'theirs' as Signature };
    expect(judge([spent, unread, unread])).toMatchObject({
      ...{ decision: { kind: 'wait', for: 'landing' }, mayLand: true },
    });
  });
});

describe('the answer of one provider', () => {
  it('is a lie if it shows a landing at a slot that no chain can have reached', () => {
    const far = 9_000;
    const statuses = { slot: SLOT, statuses: [{ ...SUCCEEDED.statuses!.statuses[0]!, slot: far }] };
    const outcomes = [{ ...SUCCEEDED.outcomes![0]!, slot: far }];
    expect(judge([{ ...SUCCEEDED, statuses, outcomes }]).liars).toEqual([
      { node: 'provider 0', lie: 'impossible_slot' },
    ]);
  });

  it('ends nothing if it shows a landing that is not finalized, whatever transaction it shows', () => {
    const shown = { ...knows(SUCCEEDED, 'confirmed'), outcomes: SUCCEEDED.outcomes! };
    expect(decide(three(shown))).toMatchObject({ kind: 'wait' });
  });

  it('must show every nullifier as spent to prove a success; with two providers, both must', () => {
    const { nullifiers, ...unread } = SUCCEEDED;
    expect(nullifiers).toBeDefined();
    const effect = { kind: 'wait', for: 'effect' };
    expect(decide([{ ...SUCCEEDED, nullifiers: { ...SPENT, spent: [true, false] } }])).toEqual(effect);
    expect(decide([unread, unread])).toEqual(effect);
    expect(decide([SUCCEEDED, unread])).toEqual(effect);
    expect(decide([SUCCEEDED, SUCCEEDED])).toMatchObject({ kind: 'succeeded' });
  });

  it('denies the landing if it has another slot than the majority, even without a transaction', () => {
    const other = knows(SUCCEEDED, 'finalized').statuses!.statuses[0]!;
    const denying: Testimony = {
      ...SUCCEEDED,
      ...{ statuses: { slot: SLOT, statuses: [{ ...other, slot: LANDED_SLOT + 1 }] }, outcomes: [null] },
    };
    expect(judge([SUCCEEDED, SUCCEEDED, denying])).toMatchObject({
      ...{ decision: { kind: 'succeeded' }, liars: [{ node: 'provider 2', lie: 'contradicted' }] },
    });
  });

  it.each<[string, Testimony]>([
    ['that it knows the transaction', knows(DEAD, 'processed')],
    ['that the blockhash is valid', { ...DEAD, blockhashes: { slot: SLOT, valid: [true] } }],
  ])('does not count as silence if it denies a death that two others prove: %s', (_, denying) => {
    expect(judge([DEAD, DEAD, denying])).toMatchObject({
      ...{ decision: { kind: 'dead' }, liars: [{ node: 'provider 2', lie: 'contradicted' }] },
    });
  });

  it('is no lie if it denies a death by what was true at an earlier slot', () => {
    const earlier = knows(DEAD, 'processed').statuses!.statuses;
    const lagging: Testimony = {
      ...DEAD,
      height: { slot: SLOT - 50, blockHeight: 1_015 },
      statuses: { slot: SLOT - 50, statuses: earlier },
      blockhashes: { slot: SLOT - 50, valid: [true] },
    };
    expect(judge([DEAD, DEAD, lagging])).toMatchObject({ decision: { kind: 'dead' }, liars: [] });
  });

  it('is no lie if it denies what fewer than half of the providers say of an earlier slot', () => {
    const at = (slot: number, isValid: boolean): Testimony => ({
      ...DEAD,
      height: { slot, blockHeight: 1_065 + slot - SLOT },
      statuses: { slot, statuses: [null] },
      nullifiers: { slot, spent: [false, false] },
      blockhashes: { slot, valid: [isValid] },
    });
    const [early, late, silent] = [at(SLOT, false), at(SLOT + 10, false), { node: '' }];
    const judged = judge([early, late, late, at(SLOT + 5, true), silent], { sinceSignedMs: 900_000 });
    expect(judged).toMatchObject({ decision: { kind: 'dead' }, liars: [] });
  });

  it('is no lie if it shows a nullifier spent after the slot of a death, and the others are asked again', () => {
    const later: Testimony = { ...DEAD, nullifiers: { slot: SLOT + 5, spent: [true, true] } };
    expect(judge([DEAD, DEAD, later])).toMatchObject({
      ...{ decision: { kind: 'wait', for: 'silent_providers' }, liars: [] },
    });
  });

  it('does not end a relay by its outputs if a majority shows the relay’s own transaction as the spender', () => {
    expect(decide(three({ ...FORGETS, spender: OURS }))).toEqual({ kind: 'wait', for: 'spender' });
  });
});
