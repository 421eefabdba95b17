/** A wait that `wake` ends early. A `wake` before the wait counts, too. */
export class WakeUp {
  #woken = false;
  #end: (() => void) | undefined;

  readonly wake = (): void => {
    this.#woken = true;
    this.#end?.();
  };

  /** Resolves after `ms` milliseconds or at the next `wake`, and at once if there was a `wake` since the last wait. */
  async wait(ms: number): Promise<void> {
    if (!this.#woken) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#end = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#end = undefined;
    this.#woken = false;
  }
}
