import { describe, expect, it } from '@jest/globals';
import type { LedgerHeight, Signature } from '../../../../src/platform/ledger/index.js';
import type { EarlierHeight } from '../../../../src/domain/relays/evidence/believed-heights.js';
import { decideEnd, type Testimony } from '../../../../src/domain/relays/evidence/decide-end.js';
import {
  ATTEMPT,
  LANDED_SLOT,
  SLOT,
  MIN_TIME_MS,
  DEAD,
  SPENT,
  landed,
  FAILED,
  SUCCEEDED,
  FORGETS,
  decide,
  three,
} from './decide-end-kit.js';

const earlierHeight = (
  one: Omit<EarlierHeight, 'node' | 'first'>,
  first: LedgerHeight = one,
): EarlierHeight => ({
  ...{ node: 'the only one', ...one, first },
});

describe('the proof of an end:', () => {
  it('a success that one of few providers shows needs its nullifiers spent at its slot or later', () => {
    const asOf = (slot: number) => decide([{ ...SUCCEEDED, nullifiers: { ...SPENT, slot } }]);
    expect(asOf(LANDED_SLOT - 1)).toEqual({ kind: 'wait', for: 'effect' });
    expect(asOf(LANDED_SLOT)).toMatchObject({ kind: 'succeeded', by: 'transaction' });
  });

  it.each(['statuses', 'nullifiers', 'blockhashes'] as const)(
    'death needs the absence in the %s as of the slot of the height',
    (member) => {
      const asOf = (slot: number) => decide([{ ...DEAD, [member]: { ...DEAD[member], slot } }]);
      expect(asOf(SLOT - 1)).toEqual({ kind: 'wait', for: 'silent_providers' });
      expect(asOf(SLOT)).toEqual({ kind: 'dead', slot: SLOT });
    },
  );

  it('death needs heights of one chain, even if it is unknown which of two providers lies', () => {
    const later = SLOT + 10;
    const with2 = (blockHeight: number) =>
      decide([
        DEAD,
        {
          ...DEAD,
          height: { slot: later, blockHeight },
          statuses: { ...DEAD.statuses!, slot: later },
          nullifiers: { ...DEAD.nullifiers!, slot: later },
          blockhashes: { ...DEAD.blockhashes!, slot: later },
        },
      ]);
    expect(with2(1_064)).toEqual({ kind: 'wait', for: 'silent_providers' });
    expect(with2(1_065)).toEqual({ kind: 'dead', slot: SLOT });
  });

  it('one of three that contradicts only the provider that is ahead cannot prevent death', () => {
    const after = (slots: number, blocks: number): Testimony => {
      const slot = SLOT + slots;
      return {
        ...{ ...DEAD, height: { slot, blockHeight: DEAD.height!.blockHeight + blocks } },
        statuses: { ...DEAD.statuses!, slot },
        nullifiers: { ...DEAD.nullifiers!, slot },
        blockhashes: { ...DEAD.blockhashes!, slot },
      };
    };
    const [slower, ahead, liar] = [DEAD, after(10, 10), after(9, 0)];
    expect(decide([slower, ahead, liar])).toEqual({ kind: 'dead', slot: SLOT });
    expect(decide([ahead, liar])).toEqual({ kind: 'wait', for: 'silent_providers' });
    expect(decide([ahead, liar, { node: '' }])).toEqual({ kind: 'wait', for: 'silent_providers' });
  });

  it('death needs a height past the last valid one', () => {
    const atHeight = (blockHeight: number) => decide([{ ...DEAD, height: { slot: SLOT, blockHeight } }]);
    expect(atHeight(1_050)).toEqual({ kind: 'wait', for: 'landing' });
    expect(atHeight(1_051)).toEqual({ kind: 'dead', slot: SLOT });
  });

  it('death needs more than 150 slots since signing, whatever expiry was returned then', () => {
    const attempts = [{ ...ATTEMPT, lastValidBlockHeight: 1_030 }];
    const asOf = (slot: number) => decide([{ ...DEAD, height: { slot, blockHeight: 1_045 } }], { attempts });
    expect(asOf(1_150)).toEqual({ kind: 'wait', for: 'landing' });
    expect(asOf(1_151)).toEqual({ kind: 'dead', slot: 1_151 });
  });

  it('a success by state needs the expiry, because the transaction may be shown until then', () => {
    const atHeight = (blockHeight: number) =>
      decide(three({ ...FORGETS, height: { slot: SLOT, blockHeight } }));
    expect(atHeight(1_050)).toEqual({ kind: 'wait', for: 'spender' });
    expect(atHeight(1_051)).toMatchObject({ kind: 'succeeded', by: 'state' });
  });

  it('a success by state needs the minimum time of 150 blocks', () => {
    const after = (sinceSignedMs: number) => decide(three(FORGETS), { sinceSignedMs });
    expect(after(MIN_TIME_MS - 1)).toEqual({ kind: 'wait', for: 'spender' });
    expect(after(MIN_TIME_MS)).toMatchObject({ kind: 'succeeded', by: 'state' });
  });

  it('a failure that landed needs free nullifiers at its slot or later', () => {
    const asOf = (slot: number) => decide(three({ ...FAILED, nullifiers: { ...DEAD.nullifiers!, slot } }));
    expect(asOf(LANDED_SLOT - 1)).toEqual({ kind: 'wait', for: 'effect' });
    expect(asOf(LANDED_SLOT)).toEqual({ kind: 'landed_failed', at: 0, slot: LANDED_SLOT, isSpent: false });
    const { nullifiers, ...unread } = FAILED;
    expect(nullifiers).toBeDefined();
    expect(decide(three(unread))).toEqual({ kind: 'wait', for: 'effect' });
  });

  it('a failure that landed while another transaction spent the nullifiers has isSpent', () => {
    const judged = decide(three({ ...FAILED, nullifiers: SPENT }));
    expect(judged).toEqual({ kind: 'landed_failed', at: 0, slot: LANDED_SLOT, isSpent: true });
  });

  it.each([
    ['success and the transaction a failure', landed(null, 'AccountInUse')],
    ['a failure and the transaction another one', landed('AccountInUse', 'AccountNotFound')],
    ['a slot and the transaction another one', landed('AccountInUse', 'AccountInUse', LANDED_SLOT + 1)],
  ])('a landing is not proven if the status shows %s', (_, testimony) => {
    expect(decide(three(testimony))).toEqual({ kind: 'wait', for: 'agreement' });
  });

  it.each([50_000, 120_000, 590_000, 900_000])(
    'a provider with a block every 200 ms is believed: %d ms after signing, a landed transaction succeeds, and others are dead',
    (sinceSignedMs) => {
      const blocks = sinceSignedMs / 200;
      const [slot, blockHeight] = [1_000 + blocks, 900 + blocks];
      const judged = (testimony: Testimony) => {
        const { statuses, nullifiers, blockhashes } = testimony;
        return decideEnd(
          [
            {
              ...testimony,
              ...{ node: 'the only one', height: { slot, blockHeight } },
              ...{ statuses: { ...statuses!, slot }, nullifiers: { ...nullifiers!, slot } },
              blockhashes: { ...blockhashes!, slot },
            },
          ],
          { sinceSignedMs: [sinceSignedMs], minBlockMs: 300, minSlotMs: 150, maxDoubtMs: 600_000 },
          {
            attempts: [ATTEMPT],
            // The heights of a look 30 s earlier.
            earlier: [earlierHeight({ slot: slot - 150, blockHeight: blockHeight - 150, agoMs: 30_000 })],
          },
        );
      };
      expect(judged(DEAD)).toMatchObject({ decision: { kind: 'dead' }, liars: [] });
      expect(judged(SUCCEEDED)).toMatchObject({ decision: { kind: 'succeeded' }, liars: [] });
    },
  );

  it('a provider that lags and shows the spender of another nullifier does not lie', () => {
    const [first, second] = ['spends one' as Signature, 'spends the other' as Signature];
    const judged = (third: Testimony) =>
      decideEnd(
        [
          { ...DEAD, nullifiers: SPENT, spender: first },
          { ...DEAD, nullifiers: SPENT, spender: first },
          third,
        ].map((testimony, index) => ({ ...testimony, node: `provider ${index}` })),
        { sinceSignedMs: [61_000], minBlockMs: 300, minSlotMs: 150, maxDoubtMs: 600_000 },
        { attempts: [ATTEMPT] },
      );
    const lags = judged({ ...DEAD, nullifiers: { slot: SLOT - 5, spent: [false, true] }, spender: second });
    expect(lags).toMatchObject({ decision: { kind: 'spent', spender: first }, liars: [] });
    const lies = judged({ ...DEAD, nullifiers: SPENT, spender: second });
    expect(lies.liars).toEqual([{ node: 'provider 2', lie: 'contradicted' }]);
  });

  it('a provider whose nullifiers a majority contradicts does not count for a landing', () => {
    const judged = (nullifiers: Testimony['nullifiers']) =>
      decideEnd(
        [
          { ...SUCCEEDED, ...(nullifiers ? { nullifiers } : {}) },
          SUCCEEDED,
          { ...FORGETS, statuses: { slot: LANDED_SLOT - 1, statuses: [null] } },
        ].map((testimony, index) => ({ ...testimony, node: `provider ${index}` })),
        { sinceSignedMs: [61_000], minBlockMs: 300, minSlotMs: 150, maxDoubtMs: 600_000 },
        { attempts: [ATTEMPT] },
      );
    expect(judged(SPENT)).toMatchObject({ decision: { kind: 'succeeded' }, liars: [] });
    expect(judged({ ...SPENT, spent: [true, false] })).toMatchObject({
      decision: { kind: 'wait', for: 'finality' },
      liars: [{ node: 'provider 0', lie: 'contradicted' }],
    });
  });

  it('a provider that lags does not lie because another gives an earlier slot for a height of no chain', () => {
    const { statuses, nullifiers } = DEAD;
    const at = (slot: number, blockHeight?: number): Omit<Testimony, 'node'> => ({
      ...(blockHeight === undefined ? {} : { height: { slot, blockHeight } }),
      ...{ statuses: { ...statuses!, slot }, nullifiers: { ...nullifiers!, slot } },
      blockhashes: { slot, valid: [blockHeight === undefined] },
    });
    const { decision, liars } = decideEnd(
      // The fourth contradicts the second and the third. The fifth still knows the blockhash.
      [at(1_400, 1_100), at(1_300, 1_055), at(1_301, 1_056), at(1_155, 1_060), at(1_158)].map(
        (testimony, index) => ({ ...testimony, node: `provider ${index}` }),
      ),
      { sinceSignedMs: [61_000], minBlockMs: 300, minSlotMs: 150, maxDoubtMs: 600_000 },
      { attempts: [ATTEMPT] },
    );
    expect(decision).toEqual({ kind: 'wait', for: 'silent_providers' });
    expect(liars).toEqual([]);
  });

  describe('an expiry that was returned too late at signing', () => {
    const attempts = [{ ...ATTEMPT, lastValidBlockHeight: 900_000_000 }];
    const FIRST = { slot: 1_000, blockHeight: 900 };
    /** The answers of a provider `blocks` blocks after the first look, if no slot was skipped. */
    const after = (blocks: number, first = FIRST, sinceSignedMs = 600_000) => {
      const slot = FIRST.slot + blocks;
      const height = { slot, blockHeight: FIRST.blockHeight + blocks };
      const { statuses, nullifiers, blockhashes } = DEAD;
      const testimony: Testimony = {
        ...{ node: 'the only one', height, statuses: { ...statuses!, slot } },
        ...{ nullifiers: { ...nullifiers!, slot }, blockhashes: { ...blockhashes!, slot } },
      };
      return decideEnd(
        [testimony],
        { sinceSignedMs: [sinceSignedMs], minBlockMs: 300, minSlotMs: 150, maxDoubtMs: 600_000 },
        { attempts, earlier: [earlierHeight({ ...height, agoMs: 2_000 }, first)] },
      ).decision;
    };

    it('no longer counts when 150 blocks were finalized since the blockhash was known, 10 minutes after signing', () => {
      expect(after(150)).toEqual({ kind: 'wait', for: 'landing' });
      expect(after(151)).toEqual({ kind: 'dead', slot: FIRST.slot + 151 });
      expect(after(151, FIRST, 599_999)).toEqual({ kind: 'wait', for: 'landing' });
    });

    it('counts as long as no first height knew the blockhash', () => {
      const unknowing = { slot: ATTEMPT.contextSlot - 1, blockHeight: FIRST.blockHeight - 1 };
      expect(after(601, unknowing)).toEqual({ kind: 'wait', for: 'landing' });
    });

    it('counts as long as the first height may be of another chain', () => {
      expect(after(151, { slot: 1_000, blockHeight: 899 })).toEqual({ kind: 'wait', for: 'landing' });
      expect(after(151, { slot: 100_000, blockHeight: 900 })).toEqual({ kind: 'wait', for: 'landing' });
    });
  });
});
