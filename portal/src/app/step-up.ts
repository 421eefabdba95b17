/** Asks the user to prove a second factor, and returns whether they did. */
type Asker = () => Promise<boolean>;

let asker: Asker | undefined;

/** Set by the shell. Without it, no factor is requested. */
export function answerStepUps(ask: Asker): () => void {
  asker = ask;
  return () => {
    if (asker === ask) asker = undefined;
  };
}

export const askForFactor = (): Promise<boolean> => asker?.() ?? Promise.resolve(false);
