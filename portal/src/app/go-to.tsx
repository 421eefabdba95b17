import { useState } from 'react';
import { Button } from '../design/button';
import { Layer } from '../design/dialog';
import { Field, Form } from '../design/fields';
import { texts } from '../texts.ts';
import { useGo } from './go';
import { APPLICATION_PLACES, ORGANIZATION_PLACES, PLACE_NAMES, placeOfId } from './places.ts';
import { applicationName, useViewer } from './session';

const words = texts(
  {
    goTo: 'Go to',
    goToField: 'Name of a place, or an id',
    goToHint: 'Ids begin with cas_, crq_, dsc_, ast_, rly_, rpt_, log_ or chk_.',
    noPlace: 'No place has this name or id.',
  },
  {
    fr: {
      goTo: 'Aller à',
      goToField: 'Nom d’un lieu, ou identifiant',
      goToHint: 'Les identifiants commencent par cas_, crq_, dsc_, ast_, rly_, rpt_, log_ ou chk_.',
      noPlace: 'Aucun lieu n’a ce nom ou cet identifiant.',
    },
  },
);

/** Any place by its name, or what an id names. */
export function GoTo({ onClose }: { readonly onClose: () => void }) {
  const viewer = useViewer();
  const navigate = useGo();
  const [text, setText] = useState('');
  const applications = viewer.permissions.applications.map(({ foreignId }) => foreignId);
  const wanted = text.trim().toLowerCase();
  const places = [
    { name: PLACE_NAMES.toDo, to: '/' },
    ...applications.flatMap((app) =>
      APPLICATION_PLACES.filter(({ isShown }) => isShown(viewer.permissions, app)).map(({ to, name }) => ({
        name: `${name} · ${applicationName(viewer, app)}`,
        to: to.replace('$app', app),
      })),
    ),
    ...ORGANIZATION_PLACES.filter(({ isShown }) => isShown(viewer.permissions)),
    { name: PLACE_NAMES.account, to: '/account' },
    { name: PLACE_NAMES.verify, to: '/verify' },
  ].filter(({ name }) => name.toLowerCase().includes(wanted));
  const found = placeOfId(text, applications) ?? places[0]?.to;
  const go = (to: string) => {
    onClose();
    navigate(to);
  };
  return (
    <Layer title={words.goTo} onClose={onClose}>
      <Form problem={undefined} onSubmit={() => found !== undefined && go(found)}>
        <Field
          name="place"
          label={words.goToField}
          hint={words.goToHint}
          value={text}
          onChange={setText}
          autoFocus
        />
      </Form>
      {found === undefined ? (
        <p role="status">{words.noPlace}</p>
      ) : (
        <ul className="plain-list">
          {places.map(({ name, to }) => (
            <li key={`${name}${to}`}>
              <Button variant="quiet" onPress={() => go(to)}>
                {name}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </Layer>
  );
}
