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
 * start at the top of the page. The focus moves to the row itself, to the one that replaced it, or to the heading.
 */
export function keepFocus(): void {
  let held: Held | undefined;
  document.addEventListener('focusin', ({ target }) => {
    // A layer gives the focus back to what opened it, where that is still there.
    if (!(target instanceof Element) || target.closest('main') === null) return;
    const row = target.closest('main li, main tr') ?? undefined;
    const list = row?.parentElement ?? null;
    const index = row && list ? [...list.children].indexOf(row) : 0;
    held = { element: target, row, list, index, place: location.pathname };
  });
  const isLost = () =>
    held !== undefined && !held.element.isConnected && document.activeElement === document.body;
  const look = () => {
    if (!isLost()) return;
    // A new screen gives the focus to its heading, and a layer that closes gives it back, a frame later.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        if (!isLost() || held?.place !== location.pathname) return;
        targetOf(held)?.focus({ preventScroll: true });
      }),
    );
  };
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
}

function targetOf({ row, list, index }: Held): HTMLElement | null {
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
