import { useState } from 'react';
import { Button } from '../design/button';
import { Layer } from '../design/dialog';
import { Field, Form } from '../design/fields';
import { useAction } from '../graphql/hooks';
import { GatewayError } from '../graphql/gateway-error';
import { texts } from '../texts.ts';
import { useGo } from './go';
import { APPLICATION_PLACES, ORGANIZATION_PLACES, PLACE_NAMES } from './places.ts';
import { isId, placeOfId } from '../screens/place-of-id.ts';
import { applicationName, useViewer } from './session';

const words = texts(
  {
    goTo: 'Go to',
    goToField: 'Name of a place, or an id',
    goToHint:
      'Ids begin with cas_, crq_, dsc_, ast_, usr_, rly_, rpt_, log_ or chk_. An entry of the log is #12.',
    noPlace: 'No place has this name or id.',
  },
  {
    fr: {
      goTo: 'Aller à',
      goToField: 'Nom d’un lieu, ou identifiant',
      goToHint:
        'Les identifiants commencent par cas_, crq_, dsc_, ast_, usr_, rly_, rpt_, log_ ou chk_. Une entrée du journal est #12.',
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
    { name: PLACE_NAMES.help, to: '/help' },
  ].filter(({ name }) => name.toLowerCase().includes(wanted));
  const found = places[0]?.to;
  const go = (to: string) => {
    onClose();
    navigate(to);
  };
  const search = useAction(async (id: string) => {
    const place = await placeOfId(id, viewer.permissions);
    // At the field, which keeps the focus: the next thing to do is to correct it.
    if (place === undefined)
      throw new GatewayError('NOT_FOUND', words.noPlace, {
        members: [{ member: 'wanted', message: words.noPlace }],
      });
    return place;
  });
  const submit = () => {
    if (isId(text)) void search.run(text, go);
    else if (found !== undefined) go(found);
  };
  return (
    <Layer title={words.goTo} onClose={onClose}>
      <Form problem={search.problem} onSubmit={submit}>
        <Field
          name="wanted"
          label={words.goToField}
          hint={words.goToHint}
          value={text}
          onChange={setText}
          autoFocus
        />
      </Form>
      {found === undefined ? (
        <p role="status">{!isId(text) && words.noPlace}</p>
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
