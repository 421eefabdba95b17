import { isJsonObject, type JsonObject } from '../../../platform/kernel/encoding/json.js';
import type { LedgerHeight } from '../../../platform/ledger/index.js';
import { areOnOneChain, type EarlierHeight } from './believed-heights.js';
import type { Judgement } from './decide-end.js';
import type { Interview } from './interview.js';

/**
 * The heights that a look keeps for the next one: of each provider the first and the last that were believed, with the time
 * since the latest attempt was signed, which the database's clock measures. A first height that the last one contradicts was
 * wrong: the last one takes its place.
 */
export function keptHeights(
  interviews: readonly Interview[],
  { liars }: Pick<Judgement, 'liars'>,
  earlier: readonly EarlierHeight[],
  sinceSignedMs: number,
): JsonObject[] {
  return interviews.flatMap(({ testimony: { node, height } }) => {
    const before = earlier.find((one) => one.node === node);
    if (height && !liars.some((liar) => liar.node === node)) {
      const { slot, blockHeight } = height;
      const first = before && areOnOneChain(before.first, height) ? before.first : { slot, blockHeight };
      return [{ node, slot, blockHeight, sinceSignedMs, first: { ...first } }];
    }
    if (!before) return [];
    const { slot, blockHeight, agoMs, first } = before;
    return [{ node, slot, blockHeight, sinceSignedMs: sinceSignedMs - agoMs, first: { ...first } }];
  });
}

/** Reads what `keptHeights` of an earlier look gave; a look at another attempt gave none that counts. */
export function earlierHeights(lastLook: JsonObject | null, sinceSignedMs: number): EarlierHeight[] {
  const kept = lastLook?.['heights'];
  if (!Array.isArray(kept)) return [];
  return (kept as readonly unknown[]).flatMap((one) => {
    if (!isJsonObject(one)) return [];
    const { node, slot, blockHeight, sinceSignedMs: then } = one;
    if (typeof node !== 'string' || typeof slot !== 'number') return [];
    if (typeof blockHeight !== 'number' || typeof then !== 'number' || then > sinceSignedMs) return [];
    // Looks of an earlier version kept none.
    const first = isJsonObject(one['first'])
      ? (one['first'] as unknown as LedgerHeight)
      : { slot, blockHeight };
    return [{ node, slot, blockHeight, agoMs: sinceSignedMs - then, first }];
  });
}
