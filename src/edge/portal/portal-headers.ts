/**
 * The content security policy of the portal: no inline code, nothing from another origin, no form to another origin, no frame
 * around the page. Text becomes markup or a script's address only through the two Trusted Types policies of the page.
 */
const PORTAL_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types default lucarne',
].join('; ');

export const PORTAL_HEADERS = {
  'content-security-policy': PORTAL_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy':
    'camera=(), microphone=(), geolocation=(), payment=(), usb=(), publickey-credentials-create=(self), ' +
    'publickey-credentials-get=(self)',
} as const;
