/** Something of the page that had the focus, and where it was. */
interface Held {
  readonly element: Element;
  readonly row: Element | undefined;
  readonly list: Element | null;
  readonly index: number;
  readonly place: string;
}

/**
 * When the focused element disappears, such as a removed row or a button, the focus would be lost and the next Tab would
 * start at the top of the page. The focus moves to the row itself, to the one that replaced it, or to the heading. The same
 * happens after a layer that another one opened, such as the one of a secret: what opened the first one has the focus again.
 */
export function keepFocus(): void {
  let held: Held | undefined;
  /** The layer that has the focus, above the page. */
  let layer: Element | null = null;
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof Element)) return;
    // A layer gives the focus back to what opened it, where that is still there.
    layer = target.closest('.overlay');
    if (target.closest('main') === null) return;
    const row = target.closest('main li, main tr') ?? undefined;
    const list = row?.parentElement ?? null;
    const index = row && list ? [...list.children].indexOf(row) : 0;
    held = { element: target, row, list, index, place: location.pathname };
  });
  const isGone = (element: Element | null | undefined) => element?.isConnected === false;
  const isLost = () =>
    (isGone(held?.element) || isGone(layer)) &&
    document.activeElement === document.body &&
    document.querySelector('.overlay') === null;
  const look = () => {
    if (!isLost()) return;
    // A new screen gives the focus to its heading, and a layer that closes gives it back, a frame later.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        if (!isLost() || held?.place !== location.pathname) return;
        layer = null;
        targetOf(held)?.focus({ preventScroll: true });
      }),
    );
  };
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
}

function targetOf({ element, row, list, index }: Held): HTMLElement | null {
  if (element instanceof HTMLElement && element.isConnected) return element;
  const heading = document.querySelector<HTMLElement>('main h1');
  if (row === undefined) return heading;
  const next = row.isConnected
    ? row
    : list?.isConnected
      ? list.children[Math.min(index, list.children.length - 1)]
      : undefined;
  if (!(next instanceof HTMLElement)) return heading;
  // The row and not its button: a key that is pressed twice does not act on two rows.
  next.tabIndex = -1;
  return next;
}
