import { useState } from 'react';
import { Button } from '../../../design/button';
import { FormLayer } from '../../../design/dialog';
import { Checkbox, Field } from '../../../design/fields';
import { Card } from '../../../design/states';
import { Table } from '../../../design/table';
import { Time } from '../../../design/values';
import { useAction } from '../../../graphql/hooks';
import { request as run } from '../../../graphql/request';
import { texts } from '../../../texts.ts';
import { ReasonField } from '../../reason-field';
import { ReasonedChange } from '../../reasoned-change';
import { SecondPersonNote } from '../../second-person-note';
import {
  CHANGED,
  PLACE_LEGAL_HOLD,
  RELEASE_LEGAL_HOLD,
  type LegalHold,
  type RetentionKind,
} from './documents';
import { KIND_NAMES, kindsText } from './kind-words.ts';

const words = texts(
  {
    title: 'Legal holds in force',
    text: 'While a hold is in force, data that it covers is not deleted, and no person is erased whose names it covers.',
    none: 'No legal hold is in force.',
    reason: 'Reason',
    covers: 'Covers',
    by: 'Placed by',
    erased: 'erased',
    placed: 'Placed',
    until: 'Until',
    untilReleased: 'it is released',
    release: 'Release',
    place: 'Place a legal hold…',
    placeTitle: 'Place a legal hold',
    placeText: 'It is in force immediately. Data that it covers is not deleted until it ends or is released.',
    what: 'What it covers',
    untilField: 'Until the end of (UTC)',
    untilHint: 'Without a day it is in force until it is released.',
    placeAction: 'Place the hold',
    placing: 'Placing…',
    releaseOpen: 'Release…',
    releaseTitle: 'This releases the legal hold.',
    releaseText: (reason: string, kinds: string) =>
      `It was placed for “${reason}”. What it covers (${kinds}) is deleted when it is due. What is due now is deleted by the next sweep, within about an hour, unless another hold covers it. Nothing can restore it.`,
    releaseAction: 'Release the hold',
    releasing: 'Releasing…',
  },
  {
    fr: {
      title: 'Gels juridiques en vigueur',
      text: 'Tant qu’un gel est en vigueur, rien de ce qu’il couvre n’est supprimé, et personne dont il couvre les noms n’est effacé.',
      none: 'Aucun gel juridique n’est en vigueur.',
      reason: 'Motif',
      covers: 'Couvre',
      by: 'Posé par',
      erased: 'effacé',
      placed: 'Posé',
      until: 'Fin',
      untilReleased: 'à sa levée',
      release: 'Lever',
      place: 'Poser un gel juridique…',
      placeTitle: 'Poser un gel juridique',
      placeText:
        'Il est en vigueur aussitôt. Rien de ce qu’il couvre n’est supprimé avant sa fin ou sa levée.',
      what: 'Ce qu’il couvre',
      untilField: 'Jusqu’à la fin du (UTC)',
      untilHint: 'Sans jour, il est en vigueur jusqu’à sa levée.',
      placeAction: 'Poser le gel',
      placing: 'Pose…',
      releaseOpen: 'Lever…',
      releaseTitle: 'Ceci lève le gel juridique.',
      releaseText: (reason: string, kinds: string) =>
        `Il a été posé pour « ${reason} ». Ce qu’il couvre (${kinds}) est supprimé à l’échéance. Ce qui est échu part au prochain passage, d’ici une heure environ, sauf si un autre gel le couvre. Rien ne le fait revenir.`,
      releaseAction: 'Lever le gel',
      releasing: 'Levée…',
    },
  },
);

/** The holds that are in force, and the next one. */
export function LegalHolds({ holds }: { readonly holds: readonly LegalHold[] }) {
  return (
    <Card title={words.title} aside={<Place />}>
      <p className="soft">{words.text}</p>
      {holds.length === 0 ? (
        <p>{words.none}</p>
      ) : (
        <Table
          label={words.title}
          rows={holds}
          keyOf={({ id }) => id}
          columns={[
            { name: words.reason, cell: ({ reason }) => reason },
            { name: words.covers, cell: ({ kinds }) => kindsText(kinds) },
            { name: words.by, cell: ({ placedBy }) => placedBy?.name ?? words.erased },
            { name: words.placed, cell: ({ placedAt }) => <Time at={placedAt} /> },
            {
              name: words.until,
              cell: ({ until }) => (until === null ? words.untilReleased : <Time at={until} />),
            },
            { name: words.release, cell: (hold) => <Release hold={hold} /> },
          ]}
        />
      )}
    </Card>
  );
}

const KINDS = Object.keys(KIND_NAMES) as RetentionKind[];

function Place() {
  const [isOpen, setOpen] = useState(false);
  const action = useAction(
    (input: { reason: string; until?: string; kinds: RetentionKind[] }) => run(PLACE_LEGAL_HOLD, { input }),
    CHANGED,
  );
  const close = () => {
    setOpen(false);
    action.reset();
  };
  return (
    <>
      <Button onPress={() => setOpen(true)}>{words.place}</Button>
      {isOpen && (
        <FormLayer
          title={words.placeTitle}
          action={words.placeAction}
          busy={words.placing}
          state={action}
          onClose={close}
          onSubmit={({ text, all }) => {
            const until = text('until');
            const kinds = KINDS.filter((kind) => all('kinds').includes(kind));
            const end = until === '' ? {} : { until: `${until}T23:59:59.999Z` };
            void action.run({ reason: text('reason'), kinds, ...end }, close);
          }}
        >
          <p>{words.placeText}</p>
          <ReasonField />
          <fieldset className="fieldset">
            <legend>{words.what}</legend>
            {KINDS.map((kind) => (
              <Checkbox key={kind} name="kinds" value={kind} label={KIND_NAMES[kind]} defaultChecked />
            ))}
          </fieldset>
          <Field name="until" type="date" label={words.untilField} hint={words.untilHint} />
        </FormLayer>
      )}
    </>
  );
}

function Release({ hold: { id, reason, kinds } }: { readonly hold: LegalHold }) {
  return (
    <ReasonedChange
      open={words.releaseOpen}
      label={`${words.releaseOpen} ${reason}`}
      seen={id}
      title={() => words.releaseTitle}
      action={words.releaseAction}
      busy={words.releasing}
      isDanger
      change={(_, { text }) => run(RELEASE_LEGAL_HOLD, { input: { id, reason: text('reason') } })}
      changed={CHANGED}
    >
      <p>{words.releaseText(reason, kindsText(kinds))}</p>
      <SecondPersonNote />
    </ReasonedChange>
  );
}
