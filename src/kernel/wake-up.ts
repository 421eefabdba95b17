/** A pause that can be cut short, also before it begins. */
export class WakeUp {
  #woken = false;
  #end: (() => void) | undefined;

  readonly wake = (): void => {
    this.#woken = true;
    this.#end?.();
  };

  /** Resolves at the next `wake`, at once when one came since the last wait, or after `milliseconds`. */
  async wait(milliseconds: number): Promise<void> {
    if (!this.#woken) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
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
