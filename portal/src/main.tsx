import './design/base.css';
import './trusted-types';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { client } from './app/client';
import { router } from './app/router';
import { end, forget, watchSession } from './app/session';
import { GatewayError } from './graphql/request';
import { failureShown } from './later';
import { applySettings } from './change-settings.ts';
import { language } from './texts.ts';

document.documentElement.lang = language;
applySettings();

// The session ended, here or elsewhere: what was read under it goes at once, and then the sign-in page comes.
watchSession({
  ended() {
    const { pathname, searchStr } = router.state.location;
    end();
    if (['/sign-in', '/verify', '/help', '/relay'].includes(pathname)) return;
    void router.navigate({
      to: '/sign-in',
      search: { next: pathname + searchStr, ended: true },
      replace: true,
    });
  },
  factorRequired() {
    if (router.state.location.pathname !== '/account') void router.navigate({ to: '/account' });
  },
  changed() {
    forget();
    void router.navigate({ to: '/', reloadDocument: true });
  },
});

createRoot(document.getElementById('root')!, {
  // The page tells a person of it.
  onCaughtError: (thrown) => {
    failureShown();
    if (!(thrown instanceof GatewayError)) console.error(thrown);
  },
}).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
