/**
 * After this time without input nobody is taken to be at the page. The gateway ends a session that nobody uses after 30
 * minutes, so a page that is left open ends at most this much later.
 */
const MAX_WITHOUT_INPUT_MS = 5 * 60_000;

/** Not `scroll`: a page also scrolls by itself, when rows come above those that are read. */
const INPUT = [
  ...['pointerdown', 'pointermove', 'click', 'keydown', 'input', 'compositionstart', 'wheel', 'touchmove'],
  'visibilitychange',
];

let lastInputAt = Date.now();
let isTouch = false;

/** Whether the last input was a finger's, which points to nothing once it is lifted. */
export const isByTouch = (): boolean => isTouch;

/** Whether this tab had input a short time ago. A clock that was set back is no input. */
export const isAttended = (): boolean => Math.abs(Date.now() - lastInputAt) < MAX_WITHOUT_INPUT_MS;

/** Calls back with the first input after a time without any. */
export function watchReturn(returned: () => void): void {
  const used = (event: Event) => {
    if (event instanceof KeyboardEvent) isTouch = false;
    // A click of the keyboard has no pointer.
    if (event instanceof PointerEvent && event.pointerType !== '') isTouch = event.pointerType === 'touch';
    // A screen that is locked hides the page, and nobody is there.
    if (document.visibilityState === 'hidden') return;
    const wasAway = !isAttended();
    lastInputAt = Date.now();
    if (wasAway) returned();
  };
  for (const type of INPUT) addEventListener(type, used, { capture: true, passive: true });
}
