import { createCircuitBreaker } from '../../../platform/jobs/index.js';
import type { Clock } from '../../../platform/kernel/clock.js';
import { readJsonText } from '../../../platform/kernel/encoding/foreign-json.js';
import { createQuota } from '../../../platform/kernel/bounds/quota.js';
import { isJsonObject, parseUnambiguousJson } from '../../../platform/kernel/encoding/json.js';
import type { Log } from '../../../platform/kernel/log.js';
import type { ScreeningProvider } from './screening-provider.js';

export interface ScreeningServiceOptions {
  /** The URL of the service. Requests go to `{url}/api/v1/address/{address}`. */
  readonly url: URL;
  readonly apiKey: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly timeoutMs?: number;
}

const MAX_BYTES = 64 * 1024;
/** How long a service that fails is not asked. */
const PAUSE_MS = 10_000;
/** Beyond this number the service is too slow for the load, and further calls would only wait. */
const MAX_CALLS = 64;
/** Clients leave the others to relays, whose screening no client waits for. */
const MAX_CALLS_OF_CLIENTS = 48;
/** One client leaves the others to other clients. */
const MAX_CALLS_PER_CLIENT = 16;

/**
 * A screening service with the interface of the Chainalysis sanctions API: the key is in `X-API-Key`, and the answer is `{
 * "identifications": [ { category, name, description, url } ] }`, empty for an unknown address. Others count as no answer.
 */
export function screeningService(options: ScreeningServiceOptions): ScreeningProvider {
  const { url, apiKey, clock, log, timeoutMs = 2_000 } = options;
  const breaker = createCircuitBreaker(clock, PAUSE_MS);
  const base = `${url.href.replace(/\/$/, '')}/api/v1/address/`;
  const shares = createQuota(MAX_CALLS_PER_CLIENT);
  let calls = 0;

  const isIdentified = async (address: string): Promise<boolean> => {
    const answer = await fetch(`${base}${address}`, {
      headers: { 'x-api-key': apiKey, accept: 'application/json' },
      // The key must not be sent to another host.
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await readJsonText(answer.body, { maxBytes: MAX_BYTES });
    if (answer.status !== 200) throw new Error(`It answered ${answer.status}.`);
    return parseIdentifications(text) > 0;
  };

  return {
    step: 'screening_service',
    async screen(address, client) {
      const most = client === undefined ? MAX_CALLS : MAX_CALLS_OF_CLIENTS;
      if (calls >= most || (client !== undefined && !shares.take(client))) return { outcome: 'unavailable' };
      calls += 1;
      try {
        if (!breaker.admits()) return { outcome: 'unavailable' };
        const identified = await isIdentified(address);
        breaker.succeeded();
        return { outcome: identified ? 'sanctioned' : 'clear' };
      } catch (thrown) {
        breaker.failed();
        log.warn({ err: thrown }, 'The screening service gave no answer.');
        return { outcome: 'unavailable' };
      } finally {
        calls -= 1;
        if (client !== undefined) shares.give(client);
      }
    },
  };
}

/** The number of identifications in the answer. */
function parseIdentifications(text: string): number {
  const answer = parseUnambiguousJson(text);
  const identifications = isJsonObject(answer) ? answer['identifications'] : undefined;
  if (!Array.isArray(identifications) || !identifications.every(isIdentification))
    throw new Error('Its answer does not have the expected form.');
  return identifications.length;
}

const IDENTIFICATION_MEMBERS = ['category', 'name', 'description', 'url'];

function isIdentification(value: unknown): boolean {
  return isJsonObject(value) && IDENTIFICATION_MEMBERS.every((member) => typeof value[member] === 'string');
}
