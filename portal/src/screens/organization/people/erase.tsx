import { useState } from 'react';
import { holdsOwner } from '../../../app/places.ts';
import { useViewer } from '../../../app/session';
import { Button } from '../../../design/button';
import { Confirm } from '../../../design/dialog';
import { Field } from '../../../design/fields';
import { Card, Notice } from '../../../design/states';
import { graphql } from '../../../graphql/document';
import { useAction, useRead } from '../../../graphql/hooks';
import { request as run } from '../../../graphql/request';
import { counted, texts } from '../../../texts.ts';
import { ERASE } from '../documents';
import { isSameName } from './same-name.ts';
import { TypedName } from './typed-name';

const words = texts(
  {
    title: 'Personal values of former members',
    text: 'The names and addresses of a person whose membership has ended can be erased: from the log, whose proofs stay valid, and from cases, requests, reports, disclosures and refusals. If the organization requires two people, a second one asks for the same.',
    open: 'Erase personal values…',
    confirmTitle: 'This erases a person’s values, permanently.',
    confirmText: 'They cannot be restored. The id stays, so that the log still says which person did what.',
    id: 'Id of the former member',
    idHint: 'It begins with usr_, and is in each entry of the log for what the person did.',
    again: 'The same id again',
    differs: 'The two ids are not the same.',
    action: 'Erase the values',
    busy: 'Erasing…',
    done: (values: number, entries: number) =>
      `${counted(values, 'value was', 'values were')} erased, from ${counted(entries, 'entry', 'entries')} of the log.`,
  },
  {
    fr: {
      title: 'Valeurs personnelles d’anciens membres',
      text: 'Les noms et adresses d’une personne qui n’est plus membre peuvent être effacés : du journal, dont les preuves restent valables, des dossiers, demandes, rapports, divulgations et refus. Si l’organisation exige deux personnes, une seconde demande la même chose.',
      open: 'Effacer des valeurs personnelles…',
      confirmTitle: 'Ceci efface les valeurs d’une personne, définitivement.',
      confirmText: 'Personne ne peut les rétablir. L’identifiant reste, pour distinguer ce qui a été fait.',
      id: 'Identifiant de l’ancien membre',
      idHint: 'Il commence par usr_ et figure dans chaque entrée du journal pour ce que la personne a fait.',
      again: 'Le même identifiant encore',
      differs: 'Les deux identifiants diffèrent.',
      action: 'Effacer les valeurs',
      busy: 'Effacement…',
      done: (values: number, entries: number) =>
        `${counted(values, 'valeur effacée', 'valeurs effacées')}, dans ${counted(entries, 'entrée', 'entrées')} du journal.`,
    },
  },
);

/** The entry of the log about the last removal of a person. */
const REMOVED = graphql(`
  query RemovedMember($id: ID!) {
    activityLog(eventType: "member.removed", objectId: $id, first: 1) {
      nodes {
        object
      }
    }
  }
`);

const USER_ID = /^usr_[0-9a-z]{26}$/;

/** The name of a former member, if the viewer may read it in the log, and it is not erased. */
function useFormerName(id: string): { readonly name: string | undefined; readonly isKnown: boolean } {
  const { permissions } = useViewer();
  const enabled = holdsOwner(permissions, 'logs:view_activity') && USER_ID.test(id);
  const { data, error } = useRead(['activityLog', 'removed', id], REMOVED, { id }, { enabled });
  const removed = data?.data.activityLog.nodes[0]?.object;
  const name = removed?.['name'];
  return {
    name: typeof name === 'string' ? name : undefined,
    isKnown: !enabled || data !== undefined || error !== null,
  };
}

/**
 * Former members are not listed: their id is copied from the log, which says whose it is. Their name is typed, because an
 * erasure cannot be undone; where the viewer cannot read it, the id a second time.
 */
export function ErasePersonalValues() {
  const [isOpen, setOpen] = useState(false);
  const [userId, setUserId] = useState('');
  const [differs, setDiffers] = useState(false);
  const { name, isKnown } = useFormerName(userId);
  const [done, setDone] = useState<{ readonly values: number; readonly entries: number }>();
  const action = useAction(() => run(ERASE, { userId }), [['activityLog'], ['securityEvents']]);
  const close = () => {
    setOpen(false);
    setUserId('');
    setDiffers(false);
    action.reset();
  };
  return (
    <Card title={words.title}>
      <p>{words.text}</p>
      {done && (
        <Notice isLive tone="good">
          {words.done(done.values, done.entries)}
        </Notice>
      )}
      <div>
        <Button onPress={() => setOpen(true)}>{words.open}</Button>
      </div>
      {isOpen && (
        <Confirm
          title={words.confirmTitle}
          action={words.action}
          busy={words.busy}
          isDanger
          state={action}
          isReady={isKnown}
          onClose={close}
          onConfirm={(values) => {
            const isOther = !isSameName(values.text('typed'), name ?? userId);
            setDiffers(isOther);
            if (isOther) return;
            void action.run(undefined, ({ erasePersonalValues }) => {
              setDone(erasePersonalValues);
              close();
            });
          }}
        >
          <p>{words.confirmText}</p>
          <Field
            name="userId"
            label={words.id}
            hint={words.idHint}
            isRequired
            isMono
            value={userId}
            onChange={(typed) => {
              setUserId(typed.trim());
              setDiffers(false);
            }}
          />
          {name === undefined ? (
            <>
              <Field name="typed" label={words.again} isRequired isMono />
              <div role="status">{differs && <p className="field-error">{words.differs}</p>}</div>
            </>
          ) : (
            <TypedName name={name} isWrong={differs} />
          )}
        </Confirm>
      )}
    </Card>
  );
}
