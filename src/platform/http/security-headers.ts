const YEAR_SECONDS = 365 * 24 * 60 * 60;

/**
 * The headers of every response (OWASP Secure Headers). A page replaces the content security policy with its own; other
 * responses are data, which may load nothing and may not be framed. Nothing is stored unless the route allows it.
 */
export function securityHeaders({ https }: { readonly https: boolean }): Readonly<Record<string, string>> {
  return {
    'content-security-policy':
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    ...(https ? { 'strict-transport-security': `max-age=${2 * YEAR_SECONDS}` } : {}),
  };
}
