/** Asks the person who is there to prove a second factor: whether they did. */
type Asker = () => Promise<boolean>;

let asker: Asker | undefined;

/** The shell says how it asks; nobody asks while there is none. */
export function answerStepUps(ask: Asker): () => void {
  asker = ask;
  return () => {
    if (asker === ask) asker = undefined;
  };
}

export const askForFactor = (): Promise<boolean> => asker?.() ?? Promise.resolve(false);
