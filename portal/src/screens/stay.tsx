import { Checkbox, type FormValues } from '../design/fields';
import { texts } from '../texts.ts';

const words = texts(
  { stay: 'Stay here', hint: 'Otherwise the page opens the next one that waits.' },
  { fr: { stay: 'Rester ici', hint: 'Sinon, la page passe à ce qui attend ensuite.' } },
);

/** Keeps the one who decides where they are. */
export const Stay = () => <Checkbox name="stays" label={words.stay} hint={words.hint} />;
export const stays = (values: FormValues): boolean => values.isOn('stays');

interface QueuePage {
  /** Those that wait for this person: the oldest first, which is the order of ids. */
  readonly ids: readonly string[];
  /** The cursor of the next page; null after the last one. */
  readonly next: string | null;
}

/**
 * What waits after the one that was decided: the next in the queue, from the last one the oldest, or `undefined`. What cannot
 * be read of a queue is as if it were not there: the decision was made.
 */
export async function nextPending(
  decided: string,
  readPage: (after: string | null) => Promise<QueuePage>,
): Promise<string | undefined> {
  let oldest: string | undefined;
  let after: string | null = null;
  do {
    const { ids, next }: QueuePage = await readPage(after).catch(() => ({ ids: [], next: null }));
    const following = ids.find((id) => id > decided);
    if (following !== undefined) return following;
    oldest ??= ids.find((id) => id !== decided);
    after = next;
  } while (after !== null);
  return oldest;
}
