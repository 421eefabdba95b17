/**
 * The ref of an element that scrolls sideways: the edges beyond which there is more are marked for the style sheet. Directly in
 * the page, because nothing else depends on it.
 */
export function markCutEdges(element: HTMLElement | null) {
  if (!element) return undefined;
  const mark = () => {
    const start = Math.abs(element.scrollLeft);
    element.toggleAttribute('data-more-start', start > 1);
    element.toggleAttribute('data-more-end', element.scrollWidth - element.clientWidth - start > 1);
  };
  element.addEventListener('scroll', mark, { passive: true });
  const observer = new ResizeObserver(mark);
  for (const observed of [element, ...element.children]) observer.observe(observed);
  return () => {
    element.removeEventListener('scroll', mark);
    observer.disconnect();
  };
}

/** How far the edges fade, in pixels: a little less than in the style sheet, where the end of the fade is hardly seen. */
const FADE = 36;

/** Scrolls sideways until a part of what scrolls stands clear of the edges. */
export function showBetweenEdges(scroller: HTMLElement, part: HTMLElement): void {
  const [frame, box] = [scroller.getBoundingClientRect(), part.getBoundingClientRect()];
  const [before, after] = [frame.left + FADE - box.left, box.right - (frame.right - FADE)];
  if (before > 0) scroller.scrollLeft -= before;
  else if (after > 0) scroller.scrollLeft += Math.min(after, -before);
}
