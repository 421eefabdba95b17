import { Checkbox } from '../design/fields';
import type { FormValues } from '../design/form-values.ts';
import { texts } from '../texts.ts';

const words = texts(
  { stay: 'Stay here', hint: 'Otherwise the page opens the next pending one.' },
  { fr: { stay: 'Rester ici', hint: 'Sinon, la page passe à ce qui attend ensuite.' } },
);

/** Keeps the one who decides where they are. */
export const Stay = () => <Checkbox name="stays" label={words.stay} hint={words.hint} />;
export const stays = (values: FormValues): boolean => values.isOn('stays');
