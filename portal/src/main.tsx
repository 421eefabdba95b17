import './design/styles/base.css';
import './trusted-types';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { client } from './app/client';
import { router } from './app/router';
import { end, forget, watchSession } from './app/session';
import { GatewayError } from './graphql/gateway-error';
import { failureShown } from './later';
import { applySettings } from './change-settings.ts';
import { language } from './texts.ts';

document.documentElement.lang = language;
applySettings();
// Nothing that is shown first needs it, and without it the page works.
void import('./kept-focus').then(
  ({ keepFocus }) => keepFocus(),
  () => undefined,
);
void import('./kept-clicks').then(
  ({ keepClicks }) => keepClicks(),
  () => undefined,
);

/** Data is removed immediately, and then the sign-in page is shown, with the reason. */
function leave(why: { readonly ended: true } | { readonly left: true }): void {
  const { pathname, searchStr, search } = router.state.location;
  end();
  if (['/verify', '/help', '/relay'].includes(pathname)) return;
  // Already on the sign-in page: its note about a possibly valid session is outdated.
  if (pathname === '/sign-in' && !('left' in search)) return;
  const next = pathname === '/sign-in' ? search.next : pathname + searchStr;
  void router.navigate({
    to: '/sign-in',
    search: { ...(next === undefined ? {} : { next }), ...why },
    replace: true,
  });
}

// The session ended, here or elsewhere.
watchSession({
  ended: () => leave({ ended: true }),
  left: () => leave({ left: true }),
  factorRequired() {
    if (router.state.location.pathname !== '/account') void router.navigate({ to: '/account' });
  },
  changed() {
    forget();
    void router.navigate({ to: '/', reloadDocument: true });
  },
});

const root = createRoot(document.getElementById('root')!, {
  // The page notifies the user.
  onCaughtError: (thrown) => {
    failureShown();
    if (!(thrown instanceof GatewayError)) console.error(thrown);
  },
});
root.render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);

// Data must not stay in the browser's back/forward cache, in memory or on screen.
window.addEventListener('pagehide', () => {
  root.unmount();
  forget();
});
// A page restored from that cache is empty, and starts like any other: by checking the session.
window.addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload();
});
