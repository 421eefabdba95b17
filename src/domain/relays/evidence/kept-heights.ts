import { isJsonObject, type JsonObject } from '../../../platform/kernel/encoding/json.js';
import type { LedgerHeight } from '../../../platform/ledger/index.js';
import { areOnOneChain, type EarlierHeight, type Expiring, knowsBlockhashes } from './believed-heights.js';
import type { Judgement } from './decide-end.js';
import type { Heard } from './interviews.js';

/**
 * The heights that a look keeps for the next one: for each provider, the first and the last height that were believed, with the
 * time since the latest attempt was signed (by the clock of the database). A first height is replaced by the last one if it
 * contradicts it, because it was wrong, or if it is from before the blockhash of an attempt.
 */
export function keptHeights(
  interviews: readonly Pick<Heard, 'testimony' | 'agoMs'>[],
  { liars }: Pick<Judgement, 'liars'>,
  earlier: readonly EarlierHeight[],
  sinceSignedMs: number,
  attempts: readonly Pick<Expiring, 'contextSlot'>[],
): JsonObject[] {
  return interviews.flatMap(({ testimony: { node, height }, agoMs: heardAgoMs }) => {
    const before = earlier.find((one) => one.node === node);
    // Another worker may have asked since.
    const isNewer = !before || heardAgoMs <= before.agoMs;
    if (height && isNewer && !liars.some((liar) => liar.node === node)) {
      const { slot, blockHeight } = height;
      const isFirst =
        before && knowsBlockhashes(attempts, before.first.slot) && areOnOneChain(before.first, height);
      const first = isFirst ? before.first : { slot, blockHeight };
      return [{ node, slot, blockHeight, sinceSignedMs: sinceSignedMs - heardAgoMs, first: { ...first } }];
    }
    if (!before) return [];
    const { slot, blockHeight, agoMs, first } = before;
    return [{ node, slot, blockHeight, sinceSignedMs: sinceSignedMs - agoMs, first: { ...first } }];
  });
}

/** Reads the heights that `keptHeights` stored in an earlier look. Looks at an earlier attempt do not count. */
export function earlierHeights(lastLook: JsonObject | null, sinceSignedMs: number): EarlierHeight[] {
  const kept = lastLook?.['heights'];
  if (!Array.isArray(kept)) return [];
  return (kept as readonly unknown[]).flatMap((one) => {
    if (!isJsonObject(one)) return [];
    const { node, slot, blockHeight, sinceSignedMs: then } = one;
    if (typeof node !== 'string' || typeof slot !== 'number') return [];
    if (typeof blockHeight !== 'number' || typeof then !== 'number' || then > sinceSignedMs) return [];
    // Looks of earlier versions did not store a first height.
    const first = isJsonObject(one['first'])
      ? (one['first'] as unknown as LedgerHeight)
      : { slot, blockHeight };
    return [{ node, slot, blockHeight, agoMs: sinceSignedMs - then, first }];
  });
}

/** A look that asked for no heights keeps those of the look before, for the next one. */
export const withHeights = (look: JsonObject, before: JsonObject | null): JsonObject => {
  const heights = look['heights'] ?? before?.['heights'];
  return heights === undefined ? look : { ...look, heights };
};
