/** How far the gateway's clock is ahead of this browser's. */
let aheadMs = 0;
/** A `Date` header has whole seconds, and an answer takes a while. */
const MAX_INACCURACY_MS = 2_000;

/** Every answer says when it was sent, by the gateway's clock. */
export function answeredAt({ headers }: Response): void {
  const nowAheadMs = Date.parse(headers.get('date') ?? '') - Date.now();
  // Without a time, nothing is known.
  if (Math.abs(nowAheadMs - aheadMs) > MAX_INACCURACY_MS) aheadMs = nowAheadMs;
}

/** The gateway's time at a time of this browser: what ends, ends by the gateway's clock. */
export const gatewayTime = (time: number): number => time + aheadMs;
