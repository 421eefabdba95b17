import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';

/** Shorter than a test may take, so that a wait that is too long fails with its last reading. */
const MAX_WAIT_MS = 200_000;
const MAX_PAUSE_MS = 20;

/**
 * Reads until a reading is right, and returns it. The default: until it is true.
 *
 * @throws {Error} with the last reading, if none is right in time.
 */
export async function eventually<Reading>(
  read: () => Reading | Promise<Reading>,
  isRight: (reading: Reading) => boolean = (reading) => reading === true,
): Promise<Reading> {
  const end = performance.now() + MAX_WAIT_MS;
  for (let readings = 1; ; readings += 1) {
    const reading = await read();
    if (isRight(reading)) return reading;
    if (performance.now() > end)
      throw new Error(
        `None of ${readings} readings in ${MAX_WAIT_MS / 1_000} s was right. The last: ${inspect(reading)}`,
      );
    await pause(Math.min(readings, MAX_PAUSE_MS));
  }
}

export const atLeast = (count: number) => (reading: number) => reading >= count;
export const notEmpty = ({ length }: readonly unknown[]) => length > 0;
