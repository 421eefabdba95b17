import type { Clock } from '../kernel/clock.js';
import { messageOf } from '../kernel/errors.js';
import { isJsonObject, parseUnambiguousJson } from '../kernel/json.js';
import type { Log } from '../kernel/log.js';
import { createCircuitBreaker } from './circuit-breaker.js';
import type { ScreeningProvider } from './screening-provider.js';

export interface ScreeningServiceOptions {
  /** Where the service is: `{url}/api/v1/address/{address}` is asked. */
  readonly url: URL;
  readonly apiKey: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly timeoutMilliseconds?: number;
}

const MOST_BYTES = 64 * 1024;
/** Past it the service is too slow for what is asked of it, and more would only wait. */
const MOST_CALLS = 64;

/**
 * A screening service that speaks the form of the Chainalysis sanctions API: the key in `X-API-Key`, and an answer
 * `{ "identifications": [ { category, name, description, url } ] }` that is empty for an address it knows nothing of.
 * Anything else than such an answer is no answer.
 */
export function screeningService(options: ScreeningServiceOptions): ScreeningProvider {
  const { url, apiKey, clock, log, timeoutMilliseconds = 2_000 } = options;
  const breaker = createCircuitBreaker(clock);
  const base = `${url.href.replace(/\/$/, '')}/api/v1/address/`;
  let calls = 0;

  const isIdentified = async (address: string): Promise<boolean> => {
    const answer = await fetch(`${base}${address}`, {
      headers: { 'x-api-key': apiKey, accept: 'application/json' },
      // A key must not follow to another host.
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMilliseconds),
    });
    const text = await readBody(answer);
    if (answer.status !== 200) throw new Error(`It answered ${answer.status}.`);
    return parseIdentifications(text) > 0;
  };

  return {
    step: 'screening_service',
    async screen(address) {
      if (calls >= MOST_CALLS || !breaker.admits()) return { outcome: 'unavailable' };
      calls += 1;
      try {
        const identified = await isIdentified(address);
        breaker.succeeded();
        return { outcome: identified ? 'sanctioned' : 'clear' };
      } catch (thrown) {
        breaker.failed();
        // A fetch that fails says why in its cause.
        const reason = messageOf((thrown instanceof Error ? thrown.cause : undefined) ?? thrown);
        log.warn({ reason }, 'The screening service gave no answer.');
        return { outcome: 'unavailable' };
      } finally {
        calls -= 1;
      }
    },
  };
}

async function readBody({ body }: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the rest.
  for await (const piece of body ?? []) {
    size += piece.length;
    if (size > MOST_BYTES) throw new Error('Its answer is too large.');
    pieces.push(piece);
  }
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces));
}

/** How many identifications the answer names. */
function parseIdentifications(text: string): number {
  const answer = parseUnambiguousJson(text);
  const identifications = isJsonObject(answer) ? answer['identifications'] : undefined;
  if (!Array.isArray(identifications) || !identifications.every(isIdentification))
    throw new Error('Its answer is not of the form it must have.');
  return identifications.length;
}

const IDENTIFICATION_MEMBERS = ['category', 'name', 'description', 'url'];

function isIdentification(value: unknown): boolean {
  return isJsonObject(value) && IDENTIFICATION_MEMBERS.every((member) => typeof value[member] === 'string');
}
