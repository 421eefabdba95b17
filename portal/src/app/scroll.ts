import type { AnyRouter } from '@tanstack/react-router';

interface Left {
  readonly top: number;
  /** The link that the reader followed. */
  readonly link: string | undefined;
}

const GROWING_MS = 3_000;

/**
 * Back restores where the reader was: the scroll position and the link that led away, kept in memory by the entry of the
 * history, never in storage. A new place begins at its top.
 */
export function restorePlaces(router: AnyRouter): void {
  const places = new Map<string, Left>();
  history.scrollRestoration = 'manual';
  router.subscribe('onBeforeNavigate', ({ fromLocation }) => {
    const key = fromLocation?.state.__TSR_key;
    if (key === undefined) return;
    const link = document.activeElement instanceof HTMLAnchorElement ? document.activeElement : undefined;
    places.set(key, { top: scrollY, link: link?.getAttribute('href') ?? undefined });
  });
  router.subscribe('onRendered', ({ toLocation, pathChanged }) => {
    const left = places.get(toLocation.state.__TSR_key ?? '');
    if (left) putBack(left);
    else if (pathChanged) scrollTo({ top: 0 });
  });
}

/** A list is drawn piece by piece: the page may have to grow before the place is in it. */
function putBack({ top, link }: Left): void {
  const stop = new AbortController();
  const look = () => {
    if (document.documentElement.scrollHeight - innerHeight < top) return;
    const target =
      link === undefined
        ? undefined
        : [...document.querySelectorAll<HTMLAnchorElement>('main a')].find(
            (known) => known.getAttribute('href') === link,
          );
    if (link !== undefined && !target) return;
    scrollTo({ top });
    target?.focus({ preventScroll: true });
    stop.abort();
  };
  const growing = new MutationObserver(look);
  growing.observe(document.body, { childList: true, subtree: true });
  const timer = setTimeout(() => stop.abort(), GROWING_MS);
  stop.signal.addEventListener('abort', () => {
    growing.disconnect();
    clearTimeout(timer);
  });
  // A reader who moves on is not pulled back.
  for (const event of ['wheel', 'keydown', 'pointerdown'] as const)
    addEventListener(event, () => stop.abort(), { signal: stop.signal, once: true });
  look();
}
