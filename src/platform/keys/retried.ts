import { backOffMs, pause } from '../jobs/index.js';
import { isLucarneError } from '../kernel/errors.js';

const MAX_ATTEMPTS = 3;
const BACK_OFF = { firstMs: 200, maxMs: 1_000 };

/** Tries a few times while what it tries is `UNAVAILABLE`. What only a person can repair is not tried again. */
export async function retried<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await attempt();
    } catch (thrown) {
      const canPass = isLucarneError(thrown) && thrown.code === 'UNAVAILABLE';
      if (!canPass || failures === MAX_ATTEMPTS) throw thrown;
      await pause(backOffMs(BACK_OFF, failures));
    }
  }
}
