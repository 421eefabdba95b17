import { createTransport } from 'nodemailer';
import type { Mailer } from '../domain/organizations/index.js';
import type { Configuration } from './configuration/index.js';

const TIMEOUT_MS = 10_000;
/** Timeout of a whole letter. A server that sends something from time to time would otherwise never time out. */
const LETTER_MS = 30_000;

/** Letters over SMTP. Without `smtps:` the connection must be upgraded by STARTTLS, unless the server is on loopback. */
export function createMailer(
  { url, from }: NonNullable<Configuration['smtp']>,
  { letterMs = LETTER_MS }: { readonly letterMs?: number } = {},
): Mailer {
  const transport = createTransport({
    host: url.hostname,
    port: Number(url.port) || (url.protocol === 'smtps:' ? 465 : 587),
    secure: url.protocol === 'smtps:',
    requireTLS: !['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname),
    ...(url.username === ''
      ? {}
      : { auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } }),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
  });
  return {
    async send({ to, subject, text }) {
      try {
        const signal = AbortSignal.timeout(letterMs);
        await transport.sendMail({ from, to: { name: '', address: to }, subject, text, signal });
      } catch (thrown) {
        throw new MailRefused(thrown);
      }
    },
  };
}

/** Omits the message of the transport. It quotes the server, which names the recipient, and errors are logged. */
class MailRefused extends Error {
  override readonly name = 'MailRefused';

  constructor(thrown: unknown) {
    const { code, responseCode } = thrown as { readonly code?: unknown; readonly responseCode?: unknown };
    const reasons = [code, responseCode].filter((one) => typeof one === 'string' || typeof one === 'number');
    super(`The mail server did not accept the letter (${reasons.join(' ') || 'unknown'}).`);
  }
}
