import { Gauge, type Registry } from 'prom-client';
import type { Payers, PayerState, RelaySigner } from '../../domain/relays/index.js';
import { createPollLoop, type PollLoop } from '../../platform/jobs/index.js';
import type { Log } from '../../platform/kernel/log.js';
import { isUnavailable } from '../../platform/kernel/errors.js';
import { type AwayKey, namedTwice } from './open-signers.js';

/** How often unavailable stores are tried again. */
const POLL_MS = 5_000;

const ANSWERS: Readonly<Record<PayerState, string>> = {
  paying: 'The store of a payer’s key answers now. The payer is used.',
  retiring: 'The store of a payer’s key answers now. The payer is retiring, and signs nothing new.',
};

interface AwaitOptions {
  readonly away: readonly AwayKey[];
  readonly payers: Pick<Payers, 'add'>;
  readonly registry: Registry;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  /** Called with each key before it pays. */
  readonly opened: (signer: RelaySigner) => void;
}

/** Retries the stores that did not answer at the start. A key that becomes available is used until the gateway stops. */
export function awaitKeys({ away, payers, registry, log, opened }: AwaitOptions): PollLoop {
  const unused = new Set(away.map(({ name }) => name));
  let asked = [...away];
  new Gauge({
    name: 'lucarne_relayer_key_away',
    help: '1 while a key that should pay for relays is not used, because its store has not answered since the start. The other keys pay.',
    labelNames: ['key'] as const,
    registers: [registry],
    collect() {
      for (const { name } of away) this.set({ key: name }, unused.has(name) ? 1 : 0);
    },
  });
  for (const { name, failure } of away)
    log.warn(
      { key: name, err: failure },
      'The store of a payer’s key does not answer. The payer is not used until the store answers.',
    );

  const look = async (key: AwayKey, mayContinue: () => boolean): Promise<void> => {
    const { name } = key;
    try {
      const signer = await key.open();
      if (!mayContinue()) return;
      opened(signer);
      const state = payers.add(signer);
      if (state === undefined) throw namedTwice(signer.address);
      unused.delete(name);
      log.info({ key: name, payer: signer.address }, ANSWERS[state]);
    } catch (thrown) {
      if (isUnavailable(thrown) || !mayContinue()) return;
      // Not retried: repeated attempts with a wrong PIN lock a token.
      log.error(
        { key: name, err: thrown },
        'A payer’s key cannot be used. Correct what “err” names, and restart.',
      );
    }
    asked = asked.filter((other) => other !== key);
  };
  const loop = createPollLoop({
    pollMs: POLL_MS,
    async turn(mayContinue) {
      await Promise.all(asked.map((key) => look(key, mayContinue)));
      if (asked.length === 0) void loop.stop();
    },
    failed: (thrown) => log.error({ err: thrown }, 'Asking the stores for the keys of payers failed.'),
  });
  return loop;
}
