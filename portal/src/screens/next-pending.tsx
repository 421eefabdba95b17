import { Checkbox, type FormValues } from '../design/fields';
import { texts } from '../texts.ts';

const words = texts(
  { stay: 'Stay here', hint: 'Otherwise the page opens the next one that waits.' },
  { fr: { stay: 'Rester ici', hint: 'Sinon, la page passe à ce qui attend ensuite.' } },
);

/** Keeps the one who decides where they are. */
export const Stay = () => <Checkbox name="stays" label={words.stay} hint={words.hint} />;
export const stays = (values: FormValues): boolean => values.isOn('stays');

interface Waiting {
  readonly id: string;
  /** When it was asked for. */
  readonly since: string;
}

/**
 * What waits after the one that was decided: the next in the queue, from the last one the oldest, or `undefined`. A queue that
 * cannot be read is as if it were empty: the decision was made.
 */
export async function nextPending(
  decided: Waiting,
  readQueue: () => Promise<readonly Waiting[]>,
): Promise<string | undefined> {
  const queue = (await readQueue().catch(() => [])).filter(({ id }) => id !== decided.id);
  return (queue.find(({ since }) => since > decided.since) ?? queue[0])?.id;
}
