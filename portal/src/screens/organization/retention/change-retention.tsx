import { useState } from 'react';
import { Button } from '../../../design/button';
import { Confirm } from '../../../design/dialog';
import { Field } from '../../../design/fields';
import { Notice } from '../../../design/states';
import { useAction } from '../../../graphql/hooks';
import { request as run } from '../../../graphql/request';
import { counted, texts } from '../../../texts.ts';
import { ReasonField } from '../../reason-field';
import { SecondPersonNote } from '../../second-person-note';
import { CHANGED, SET_RETENTION, type RetentionKind, type RetentionSetting } from './documents';
import { KIND_NAMES, KIND_TEXTS } from './kind-words.ts';

/** The bounds of the gateway, which refuses everything else. */
const [MIN_YEARS, MAX_YEARS] = [5, 30];

const words = texts(
  {
    open: 'Change…',
    title: (kind: string) => `This changes a retention: ${kind}.`,
    years: 'Years',
    yearsHint: (present: number) => `5 to 30. Now: ${present}. Enter another number to change it.`,
    shorter: (years: number) =>
      `What is older than ${counted(years, 'year', 'years')} is deleted by the next sweep, within about an hour. Nothing can restore it. In the 30 days after the upgrade that introduced retention, nothing is deleted.`,
    held: 'A legal hold covers it: nothing is deleted before the hold ends.',
    longer: 'The data is now kept longer. Deleted data is not restored.',
    second: 'In your organization another owner must request the same years within 72 hours.',
    change: 'Change the retention',
    shorten: 'Shorten the retention',
    changing: 'Changing…',
  },
  {
    fr: {
      open: 'Changer…',
      title: (kind: string) => `Ceci change une durée de conservation : ${kind}.`,
      years: 'Années',
      yearsHint: (present: number) =>
        `De 5 à 30. Actuellement : ${present}. Indiquez un autre nombre pour changer la durée.`,
      shorter: (years: number) =>
        `Ce qui a plus de ${counted(years, 'an', 'ans')} est supprimé au prochain passage, d’ici une heure environ. Rien ne le fait revenir. Seulement dans les 30 jours après la mise à jour qui a apporté la conservation, le passage attend.`,
      held: 'Un gel juridique le couvre : rien n’est supprimé avant sa fin.',
      longer: 'Cela est conservé plus longtemps dès maintenant. Ce qui est déjà supprimé ne revient pas.',
      second: 'Dans votre organisation, un autre propriétaire doit demander les mêmes années sous 72 heures.',
      change: 'Changer la durée',
      shorten: 'Raccourcir la durée',
      changing: 'Changement…',
    },
  },
);

/** Changes for how many years a kind is kept, and says what goes before it does. */
export function ChangeRetention({
  setting: { kind, years: present },
  isHeld,
}: {
  readonly setting: RetentionSetting;
  readonly isHeld: boolean;
}) {
  const [typed, setTyped] = useState<string>();
  const action = useAction(
    (input: { kind: RetentionKind; years: number; reason: string }) => run(SET_RETENTION, { input }),
    CHANGED,
  );
  const close = () => {
    setTyped(undefined);
    action.reset();
  };
  const years = Number(typed);
  const isChange = Number.isInteger(years) && years >= MIN_YEARS && years <= MAX_YEARS && years !== present;
  const isShorter = isChange && years < present;
  return (
    <>
      <Button label={`${words.open} ${KIND_NAMES[kind]}`} onPress={() => setTyped(String(present))}>
        {words.open}
      </Button>
      {typed !== undefined && (
        <Confirm
          title={words.title(KIND_NAMES[kind])}
          action={isShorter ? words.shorten : words.change}
          busy={words.changing}
          isDanger={isShorter}
          isReady={isChange}
          state={action}
          onClose={close}
          onConfirm={({ text }) => void action.run({ kind, years, reason: text('reason') }, close)}
        >
          <p>{KIND_TEXTS[kind]}</p>
          <Field
            name="years"
            type="number"
            label={words.years}
            hint={words.yearsHint(present)}
            min={String(MIN_YEARS)}
            max={String(MAX_YEARS)}
            value={typed}
            onChange={setTyped}
            isRequired
          />
          {isShorter && (
            <Notice tone="bad" isLive>
              <p>{words.shorter(years)}</p>
              {isHeld && <p>{words.held}</p>}
            </Notice>
          )}
          {isChange && !isShorter && (
            <Notice isLive>
              <p>{words.longer}</p>
            </Notice>
          )}
          <SecondPersonNote>{words.second}</SecondPersonNote>
          <ReasonField />
        </Confirm>
      )}
    </>
  );
}
