import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes of refused answers after which their memory is freed. */
const MAX_REFUSED_BYTES = 8 * 1024 * 1024;

/**
 * Frees the memory of refused answers. Otherwise, V8 would let about 64 MiB of received chunks accumulate first: it does not
 * know that they are already garbage, and little else is allocated meanwhile.
 */
export class RefusedBytes {
  private bytes = 0;

  constructor(private readonly collect: () => void = youngCollector()) {}

  add(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes < MAX_REFUSED_BYTES) return;
    this.bytes = 0;
    this.collect();
  }
}

/**
 * Collects young objects only, which takes milliseconds: chunks do not become old before their answer is refused. V8 gives
 * access to its collector only in contexts created while a flag is set. A flag that the process already has stays set.
 */
function youngCollector(): () => void {
  const own: unknown = globalThis.gc;
  const collect = typeof own === 'function' ? own : collectorOfAnotherContext();
  return () => void (collect as (options: object) => unknown)({ type: 'minor' });
}

function collectorOfAnotherContext(): unknown {
  setFlagsFromString('--expose-gc');
  const collector: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return collector;
}
