import { messageOf } from '../platform/kernel/errors.js';
import { DemoFailed } from './gateway.js';

/** Progress of the demo. */
export type DemoEvent =
  | { readonly event: 'step'; readonly number: number; readonly of: number; readonly title: string }
  /** A request of the gateway, such as `POST /v1/assets`, and the status of its answer. */
  | { readonly event: 'call'; readonly call: string; readonly status: number }
  | { readonly event: 'detail'; readonly text: string }
  | { readonly event: 'done'; readonly number: number; readonly durationMs: number };

/** Numbers and times the steps. Any other error than `DemoFailed` becomes one that names the step. */
export function storyteller(tell: (event: DemoEvent) => void, steps: number) {
  let number = 0;
  return async <Result>(title: string, work: () => Promise<Result>): Promise<Result> => {
    number += 1;
    const begun = performance.now();
    tell({ event: 'step', number, of: steps, title });
    try {
      const result = await work();
      tell({ event: 'done', number, durationMs: performance.now() - begun });
      return result;
    } catch (thrown) {
      if (thrown instanceof DemoFailed) throw thrown;
      throw new DemoFailed(`${title}: ${messageOf(thrown)}`, { cause: thrown });
    }
  };
}
