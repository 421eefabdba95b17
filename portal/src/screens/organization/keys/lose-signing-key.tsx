import { useState } from 'react';
import { Button } from '../../../design/button';
import { Confirm } from '../../../design/dialog';
import { useAction } from '../../../graphql/hooks';
import { request as run } from '../../../graphql/request';
import { texts } from '../../../texts.ts';
import { ReasonField } from '../../reason-field';
import { CHANGED_BY_SIGNING_KEYS, LOSE_SIGNING_KEY, type SigningKey } from './signing-key-documents';

const words = texts(
  {
    open: 'Declare it lost…',
    title: (epoch: number) => `This gives up signing key ${epoch}.`,
    text: 'For a key that its store has lost permanently: it cannot name the next one, so the chain of keys is broken there. Publish the new key, and tell everyone who relies on the log in a way that they trust. While the key signs, this is refused: rotate it then.',
    second: 'Another owner must declare the same, at least an hour and at most 72 hours after you.',
    action: 'Declare it lost',
    declaring: 'Declaring…',
    reasonHint: 'It is recorded in the activity log. Anyone who gets the file of keys reads it.',
  },
  {
    fr: {
      open: 'La déclarer perdue…',
      title: (epoch: number) => `Ceci abandonne la clé de signature ${epoch}.`,
      text: 'Pour une clé que son magasin a perdue définitivement : elle ne peut pas nommer la suivante, et la chaîne des clés y est rompue. Publiez la nouvelle clé, et prévenez toutes les personnes qui se fient au journal par un moyen auquel elles font confiance. Tant que la clé signe, ceci est refusé : renouvelez-la alors.',
      second:
        'Un autre propriétaire doit déclarer la même chose, au moins une heure et au plus 72 heures après vous.',
      action: 'La déclarer perdue',
      declaring: 'Déclaration…',
      reasonHint: 'Il figure dans le journal d’activité. Qui obtient le fichier des clés le lit.',
    },
  },
);

/** For the key in use, where a store keeps it. One that is sealed in the database is lost only together with the log. */
export function LoseSigningKey({ of: { epoch, store } }: { readonly of: SigningKey }) {
  const [isOpen, setOpen] = useState(false);
  const lose = useAction(
    (reason: string) => run(LOSE_SIGNING_KEY, { input: { epoch, reason } }),
    CHANGED_BY_SIGNING_KEYS,
  );
  const close = () => {
    setOpen(false);
    lose.reset();
  };
  if (store === null) return null;
  return (
    <>
      <Button onPress={() => setOpen(true)}>{words.open}</Button>
      {isOpen && (
        <Confirm
          title={words.title(epoch)}
          action={words.action}
          busy={words.declaring}
          isDanger
          isRunning={lose.isRunning}
          problem={lose.problem}
          onClose={close}
          onConfirm={({ text }) => void lose.run(text('reason'), close)}
        >
          <p>{words.text}</p>
          <p>{words.second}</p>
          <ReasonField hint={words.reasonHint} />
        </Confirm>
      )}
    </>
  );
}
