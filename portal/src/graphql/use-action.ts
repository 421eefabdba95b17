import { useQueryClient, type QueryKey } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { askForFactor } from '../app/step-up';
import { texts } from '../texts.ts';
import { errorOf, GatewayError } from './gateway-error';

interface Action<Input, Result> {
  /** `done` is called when it succeeded. */
  readonly run: (input: Input, done?: (result: Result) => void) => Promise<void>;
  readonly isRunning: boolean;
  readonly problem: GatewayError | undefined;
  readonly reset: () => void;
}

const words = texts(
  {
    inDoubt:
      'The gateway did not answer, so it is not known whether this was done. Check the page before you try again.',
  },
  {
    fr: {
      inDoubt:
        'La passerelle n’a pas répondu. On ne sait pas si cela a été fait : regardez la page à nouveau avant de recommencer.',
    },
  },
);

/** A request without a response may have been executed. It is never repeated automatically. */
const inDoubt = (problem: GatewayError): GatewayError =>
  problem.code === 'OFFLINE' ? new GatewayError('OFFLINE', words.inDoubt) : problem;

/** Runs it again after the person proved a second factor, where the gateway asks for a fresh one. */
async function withFreshFactor<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (thrown) {
    if (errorOf(thrown).reason !== 'fresh_factor_required' || !(await askForFactor())) throw thrown;
    return act();
  }
}

/** One user action. What it changed is read again; a refusal is in `problem`. */
export function useAction<Input, Result>(
  act: (input: Input) => Promise<Result>,
  changed: readonly QueryKey[] = [],
): Action<Input, Result> {
  const client = useQueryClient();
  const [isRunning, setRunning] = useState(false);
  const running = useRef(false);
  const [problem, setProblem] = useState<GatewayError>();
  const run = async (input: Input, done?: (result: Result) => void) => {
    // Enter in a field of a form would send it a second time.
    if (running.current) return;
    running.current = true;
    setRunning(true);
    setProblem(undefined);
    try {
      const result = await withFreshFactor(() => act(input));
      await Promise.all(changed.map((queryKey) => client.invalidateQueries({ queryKey })));
      done?.(result);
    } catch (thrown) {
      setProblem(inDoubt(errorOf(thrown)));
      // A refused object may have changed meanwhile.
      await Promise.all(changed.map((queryKey) => client.invalidateQueries({ queryKey })));
    } finally {
      running.current = false;
      setRunning(false);
    }
  };
  return { run, isRunning, problem, reset: () => setProblem(undefined) };
}
