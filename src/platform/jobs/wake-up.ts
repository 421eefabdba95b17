/** A wait that can be ended early, also before it begins. */
export class WakeUp {
  #woken = false;
  #end: (() => void) | undefined;

  readonly wake = (): void => {
    this.#woken = true;
    this.#end?.();
  };

  /** Resolves after `ms` milliseconds or at the next `wake`: at once when one came since the last wait. */
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
