import { systemTimer, type StartTimer } from '../../../platform/kernel/clock.js';
import { ProviderLane, type LedgerNode } from '../../../platform/ledger/index.js';
import { isMajority } from './majority.js';

/** Every configured provider in its own lane, and how long a round waits for answers that a majority does not need. */
export interface Lanes {
  readonly all: readonly ProviderLane[];
  readonly patienceMs: number;
  readonly startTimer: StartTimer;
}

interface LanesOptions {
  readonly patienceMs: number;
  readonly startTimer?: StartTimer | undefined;
  readonly changed?: (provider: string, isSlow: boolean) => void;
}

export function openLanes(nodes: readonly LedgerNode[], options: LanesOptions): Lanes {
  const { patienceMs, startTimer = systemTimer, changed } = options;
  const isDispensable = () => isMajority(all.filter(({ isSlow }) => !isSlow).length, all.length);
  const terms = { patienceMs, startTimer, isDispensable, ...(changed && { changed }) };
  const all: readonly ProviderLane[] = nodes.map((node) => new ProviderLane(node, terms));
  return { all, patienceMs, startTimer };
}

export interface Gathering<Value> {
  /** Whether a provider that returned this value counts towards the majority. */
  readonly isAnswer: (value: Value) => boolean;
  /** Number of providers that already count. Default: 0. */
  readonly counted?: number;
  /** Number of providers of which a majority is needed. Default: the number asked. */
  readonly configured?: number;
  /**
   * `majority`: wait for a majority for as long as a call may take. `one`: wait that long for one answer, and for a majority
   * only while patience lasts, or while quick providers are missing.
   */
  readonly needs: 'majority' | 'one';
  /**
   * Whether the calls are repeated soon anyway: then quick providers are also not waited for after patience has ended twice, if
   * there is what is needed. Default: no.
   */
  readonly areRepeated?: boolean;
}

/**
 * Waits until a majority has answered, and for the others only while they are not slow and patience lasts, so that the slowest
 * provider never delays a majority. Answers that did not arrive are `undefined`. The order is that of the lanes.
 */
export function gather<Value>(
  lanes: Lanes,
  asked: readonly Promise<Value>[],
  { isAnswer, counted = 0, configured = asked.length, needs, areRepeated = false }: Gathering<Value>,
): Promise<readonly (Value | undefined)[]> {
  const values: ({ readonly value: Value } | undefined)[] = asked.map(() => undefined);
  /** How often patience has ended. */
  let ended = 0;
  let stopTimer: () => void = () => undefined;
  return new Promise((resolve, reject) => {
    const look = () => {
      const missing = lanes.all.filter((_, at) => values[at] === undefined);
      const answers = values.filter((one) => one !== undefined && isAnswer(one.value)).length;
      const isEnough = isMajority(counted + answers, configured);
      const hasNeeded = needs === 'majority' ? isEnough : counted + answers > 0;
      const isPatient = ended === 0;
      // A provider that answers other calls quickly is not slow, although it may never answer this one.
      const hopes = !isEnough && !(hasNeeded && areRepeated && ended > 1);
      const waitsForQuick = missing.some(({ isSlow }) => !isSlow) && (isPatient || hopes);
      const waitsForNeeded = missing.length > 0 && (!hasNeeded || (isPatient && !isEnough));
      if (waitsForQuick || waitsForNeeded) return;
      stopTimer();
      resolve(values.map((one) => one?.value));
    };
    // Repeats, because a provider can become slow without any event.
    const losePatience = () => {
      ended += 1;
      stopTimer = lanes.startTimer(lanes.patienceMs, losePatience);
      look();
    };
    stopTimer = lanes.startTimer(lanes.patienceMs, losePatience);
    for (const [at, one] of asked.entries())
      one.then(
        (value) => {
          values[at] = { value };
          look();
        },
        (thrown: unknown) => {
          stopTimer();
          // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- as it was thrown
          reject(thrown);
        },
      );
    look();
  });
}
