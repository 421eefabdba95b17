import { isJsonObject, type JsonObject } from '../../../platform/kernel/encoding/json.js';
import type { EarlierHeight, Judgement } from './decide-end.js';
import type { Interview } from './interview.js';

/**
 * The heights that a look keeps for the next one: of each provider the last that was believed, with the time since the
 * latest attempt was signed, which the database's clock measures.
 */
export function keptHeights(
  interviews: readonly Interview[],
  { liars }: Pick<Judgement, 'liars'>,
  earlier: readonly EarlierHeight[],
  sinceSignedMs: number,
): JsonObject[] {
  return interviews.flatMap(({ testimony: { node, height } }) => {
    if (height && !liars.some((liar) => liar.node === node))
      return [{ node, slot: height.slot, blockHeight: height.blockHeight, sinceSignedMs }];
    const before = earlier.find((one) => one.node === node);
    if (!before) return [];
    const { slot, blockHeight, agoMs } = before;
    return [{ node, slot, blockHeight, sinceSignedMs: sinceSignedMs - agoMs }];
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
    return [{ node, slot, blockHeight, agoMs: sinceSignedMs - then }];
  });
}
