import type { LedgerHeight } from '../../../../src/platform/ledger/index.js';
import type { Answer } from '../../../../src/domain/relays/evidence/answers.js';
import {
  believeHeights,
  expiringOf,
  knownSlot,
  MAX_FINALITY_LAG_SLOTS,
} from '../../../../src/domain/relays/evidence/believed-heights.js';
import type { SignedAttempt } from '../../../../src/domain/relays/evidence/decide-end.js';
import { highMedian } from '../../../../src/domain/relays/medians.js';
import { type Chain, type Chance, from, oneOf, OURS, SIGNED_SLOT } from './forking-chain.js';

export const SLOT_MS = 400;
export const TIMING = { minBlockMs: 300, minSlotMs: 150, maxDoubtMs: 600_000 };

/** What is stored when the transaction is signed, or `undefined` if it is not signed. Any provider may be silent before. */
export function signed(
  chance: Chance,
  { heights, blockhashSlot, lag }: Chain,
  isLiar: readonly boolean[],
): SignedAttempt | undefined {
  const configured = isLiar.length;
  const places = isLiar.map(() => SIGNED_SLOT - oneOf(chance, [0, 0, 1, 5, 60, 400]));
  const finalized = isLiar.flatMap((lies, at): Answer<LedgerHeight>[] => {
    if (!lies && chance() < 0.2) return [];
    const slot = places[at]! - lag.atFirst + (lies ? oneOf(chance, [-300, -20, 0, 20, 150, 400]) : 0);
    const wrong = lies ? oneOf(chance, [0, 0, -20, -150, -300, 20]) : 0;
    // A height of some slots before contradicts none of the providers that lag as much.
    const repeated = lies ? oneOf(chance, [0, 0, 20, 150, 300]) : 0;
    return [{ node: `node#${at}`, answer: { slot, blockHeight: heights[slot - repeated]! + wrong } }];
  });
  const believed = believeHeights(finalized).believed.map(({ answer }) => answer);
  const known = knownSlot(believed, configured);
  if (known === undefined) return undefined;
  const oldest = highMedian(believed.map(({ slot }) => slot))!;
  const claims = [oldest, oldest, blockhashSlot, known + MAX_FINALITY_LAG_SLOTS, from(chance, 0, 2_500)];
  const slot = Math.max(oldest, isLiar.includes(true) ? oneOf(chance, claims) : blockhashSlot);
  const latest = known + MAX_FINALITY_LAG_SLOTS;
  const simulatedAt = isLiar
    .flatMap((lies, at) => {
      if (lies) return [oneOf(chance, [slot, slot, blockhashSlot - 200, blockhashSlot + 300, latest])];
      return places[at]! >= blockhashSlot && chance() >= 0.2 ? [places[at]!] : [];
    })
    .filter((one) => one <= latest);
  if (slot > latest || 2 * simulatedAt.length < configured) return undefined;
  // One of two providers is enough to sign, and is believed.
  const mayLie = configured === 2 && isLiar.includes(true);
  if (mayLie && (believed.length < 2 || simulatedAt.length < 2)) return undefined;
  const expiring = expiringOf({ configured, believed, slot, simulatedAt });
  return { number: 1, signature: OURS, ...expiring, isDead: false };
}

export const liarsOf = (providers: number, liars: number, first: number) =>
  Array.from({ length: providers }, (_, at) => (at - first + providers) % providers < liars);
