import type { SeededRandom } from './random.ts';

/** Loops that look for work pause at most this long. */
export const MAX_LOOP_PAUSE_MS = 35_000;

/** One run of one process. After a crash, none of its code runs again, and its waits never end. */
export class Machine {
  isAlive = true;
  /** Nothing of it runs before this time, as with a stopped virtual machine or a long garbage collection. */
  pausedUntil = 0;
  /** The difference between its clock and the true time. */
  skewMs = 0;
  /** Callbacks that run when it crashes. */
  readonly ends: (() => void)[] = [];

  readonly name: string;
  readonly scheduler: Scheduler;
  readonly random: SeededRandom;

  constructor(name: string, scheduler: Scheduler, random: SeededRandom) {
    this.name = name;
    this.scheduler = scheduler;
    this.random = random;
  }

  crash(): void {
    if (!this.isAlive) return;
    this.isAlive = false;
    for (const end of this.ends) end();
  }
}

export interface Scheduled {
  at: number;
  readonly order: number;
  readonly run: () => void | Promise<void>;
  /** The process of the step; undefined for a step of the world. */
  readonly machine: Machine | undefined;
  /** Whether it is the pause of a loop that repeats the same work. */
  readonly isPause: boolean;
  isCancelled: boolean;
  /** Whether it was due while its machine was paused. */
  isHeld: boolean;
}

const { setImmediate: nextTurn } = globalThis;

/**
 * Runs all steps in one order: by simulated time, and at the same time in the order of scheduling. Between two steps, all
 * promises settle, so that a step begins when every process waits for something from the world.
 */
export class Scheduler {
  /** In ms since the start of the simulation. */
  now = 0;
  /** Number of steps of the world and of processes. */
  steps = 0;
  /** Number of steps of processes. Each ends a wait, so a crash before it is a crash at that `await`. */
  waits = 0;
  /** Called before each step of a process. */
  beforeWait: (machine: Machine) => void = () => undefined;
  /** Runs a step inside the context of its process. */
  enter: (machine: Machine, run: () => void) => void = (_, run) => run();
  /** How much of the time was skipped. */
  leaptMs = 0;
  readonly #heap: Scheduled[] = [];
  #order = 0;

  after(delayMs: number, run: () => void | Promise<void>, machine?: Machine, isPause = false): Scheduled {
    const scheduled = {
      ...{ at: this.now + Math.max(0, delayMs), order: (this.#order += 1), run, machine },
      ...{ isPause, isCancelled: false, isHeld: false },
    };
    this.#push(scheduled);
    return scheduled;
  }

  /** A wait of the world itself. */
  pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => void this.after(delayMs, resolve));
  }

  /** Runs until `isDone`, or until nothing is left to do before `end`. */
  async runUntil(end: number, isDone: () => boolean = () => false): Promise<void> {
    while (!isDone()) {
      const next = this.#heap[0];
      if (next === undefined || next.at > end) break;
      this.#pop();
      if (next.isCancelled) continue;
      const { machine } = next;
      if (machine && machine.pausedUntil > next.at) {
        next.at = machine.pausedUntil;
        next.isHeld = true;
        this.#push(next);
        continue;
      }
      this.now = Math.max(this.now, next.at);
      this.steps += 1;
      if (machine) {
        if (machine.isAlive) this.beforeWait(machine);
        if (!machine.isAlive) continue;
        this.waits += 1;
        this.enter(machine, () => void next.run());
      } else await next.run();
      await new Promise((resolve) => nextTurn(resolve));
    }
    if (!isDone()) this.now = Math.max(this.now, end);
  }

  /** Ends the pause of a machine. Steps that were due meanwhile are due now. */
  resume(machine: Machine): void {
    if (machine.pausedUntil <= this.now) return;
    machine.pausedUntil = this.now;
    for (const step of this.#heap) if (step.machine === machine && step.isHeld) step.at = this.now;
    this.#heap.splice(0).forEach((step) => this.#push(step));
  }

  /**
   * Skips time in which loops would only repeat themselves, up to `end` or to the first step that is not the end of a loop's
   * pause. Pauses end later by the same amount, so that each loop continues at the same position.
   */
  leap(end: number): void {
    const steps = this.#heap.filter(({ isCancelled, machine }) => !isCancelled && machine?.isAlive !== false);
    const to = Math.min(end, ...steps.filter(({ isPause }) => !isPause).map(({ at }) => at));
    const leaptMs = to - this.now;
    if (leaptMs <= 0) return;
    for (const step of steps) if (step.isPause) step.at += leaptMs;
    this.#heap.length = 0;
    for (const step of steps) this.#push(step);
    this.leaptMs += leaptMs;
    this.now = to;
  }

  #push(scheduled: Scheduled): void {
    const heap = this.#heap;
    let at = heap.push(scheduled) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (isBefore(heap[parent]!, scheduled)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = scheduled;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (isBefore(last, heap[child]!)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
  }
}

const isBefore = (one: Scheduled, other: Scheduled) =>
  one.at < other.at || (one.at === other.at && one.order < other.order);
