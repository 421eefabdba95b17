/** Trusted Types, where the browser has them. */
interface Policies {
  createPolicy(
    name: string,
    rules: { createHTML?(text: string): string | null; createScriptURL?(url: string): string | null },
  ): {
    createScriptURL(url: string): string;
  };
}

const policies = (globalThis as { trustedTypes?: Policies }).trustedTypes;

// One library empties a live region with `innerHTML = ''`. No other markup is ever made from text.
policies?.createPolicy('default', { createHTML: (text) => (text === '' ? '' : null) });

// Where the page is worked on, its files stand beside it one by one.
const files = import.meta.env.DEV ? '/portal/' : '/portal/assets/';

const own = policies?.createPolicy('lucarne', {
  createScriptURL(url) {
    const { origin, pathname } = new URL(url, location.href);
    return origin === location.origin && pathname.startsWith(files) ? url : null;
  },
});

/** The address of a worker, which may only be one of our own files. */
export const workerUrl = (url: string | URL): string => own?.createScriptURL(String(url)) ?? String(url);
