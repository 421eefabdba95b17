import { Field } from '../../../design/fields';
import { request as run } from '../../../graphql/request';
import { texts } from '../../../texts.ts';
import { ReasonedChange } from '../../reasoned-change';
import { SecondPersonNote } from '../../second-person-note';
import {
  CHANGED_BY_SIGNING_KEYS,
  DISOWN_SIGNING_KEY,
  LOSE_SIGNING_KEY,
  ROTATE_SIGNING_KEY,
  type SigningKey,
} from './signing-key-documents';

const words = texts(
  {
    rotate: 'Rotate the signing key…',
    rotateTitle: (epoch: number) => `This makes signing key ${epoch}.`,
    rotateText:
      'It signs from now on. The current key signs the log entry that names the new key, and also checkpoints for a few days. Publish the new key.',
    rotateAction: 'Rotate the signing key',
    rotating: 'Rotating…',
    days: 'Days for which the old key signs checkpoints, too',
    disown: 'Disown…',
    disownOf: (epoch: number) => `Disown…: key ${epoch}`,
    disownTitle: (epoch: number) => `This disowns signing key ${epoch}.`,
    disownText:
      'The key no longer signs. Verifiers refuse larger checkpoints that only it signed, and receipts that the log does not show to be older. This cannot be undone. The index can only become smaller: three declarations for each key, and one more from index 0.',
    disownAction: 'Declare it compromised',
    disowning: 'Declaring…',
    from: 'From index',
    fromHint: 'The first entry of the log for which the key may have been misused.',
    second:
      'In your organization another owner must make the same request, with the same numbers, within 72 hours.',
    reasonHint: 'It is recorded in the activity log. Anyone who gets the key file can read it.',
    rotateFirst: 'Rotate it, then disown it.',
    lose: 'Declare it lost…',
    loseTitle: (epoch: number) => `This gives up signing key ${epoch}.`,
    loseText:
      'For a key that its store has lost permanently: it cannot name the next one, so the chain of keys is broken there. Publish the new key, and tell everyone who relies on the log in a way that they trust. While the key signs, this is refused: rotate it then.',
    loseSecond: 'Another owner must declare the same, at least an hour and at most 72 hours after you.',
    loseAction: 'Declare it lost',
    declaring: 'Declaring…',
  },
  {
    fr: {
      rotate: 'Renouveler la clé de signature…',
      rotateTitle: (epoch: number) => `Ceci crée la clé de signature ${epoch}.`,
      rotateText:
        'Elle signe dès maintenant. La clé d’aujourd’hui signe l’entrée du journal qui la nomme, et les points de contrôle quelques jours encore. Publiez la nouvelle clé.',
      rotateAction: 'Renouveler la clé de signature',
      rotating: 'Renouvellement…',
      days: 'Jours pendant lesquels l’ancienne clé signe aussi les points de contrôle',
      disown: 'Désavouer…',
      disownOf: (epoch: number) => `Désavouer… : clé ${epoch}`,
      disownTitle: (epoch: number) => `Ceci désavoue la clé de signature ${epoch}.`,
      disownText:
        'Elle ne signe plus rien. Qui vérifie refuse les points de contrôle plus grands qu’elle seule a signés, et les reçus dont le journal ne montre pas qu’ils sont antérieurs. C’est irrévocable. Le rang ne peut que diminuer : trois déclarations par clé, et une de plus à partir du rang 0.',
      disownAction: 'La déclarer compromise',
      disowning: 'Déclaration…',
      from: 'À partir du rang',
      fromHint: 'La première entrée du journal pour laquelle la clé a pu être détournée.',
      second:
        'Dans votre organisation, un autre propriétaire doit demander la même chose, avec les mêmes nombres, sous 72 heures.',
      reasonHint: 'Il figure dans le journal d’activité. Qui obtient le fichier de clés le lit.',
      rotateFirst: 'Renouvelez-la, puis désavouez-la.',
      lose: 'La déclarer perdue…',
      loseTitle: (epoch: number) => `Ceci abandonne la clé de signature ${epoch}.`,
      loseText:
        'Pour une clé que son magasin a perdue définitivement : elle ne peut pas nommer la suivante, et la chaîne des clés y est rompue. Publiez la nouvelle clé, et prévenez toutes les personnes qui se fient au journal par un moyen auquel elles font confiance. Tant que la clé signe, ceci est refusé : renouvelez-la alors.',
      loseSecond:
        'Un autre propriétaire doit déclarer la même chose, au moins une heure et au plus 72 heures après vous.',
      loseAction: 'La déclarer perdue',
      declaring: 'Déclaration…',
    },
  },
);

/** Makes the next key that signs. */
export function RotateSigningKey({ current }: { readonly current: number }) {
  return (
    <ReasonedChange
      open={words.rotate}
      // The key that the person saw, so that the second of two people gets an error instead of creating another key.
      seen={current}
      title={(fromEpoch) => words.rotateTitle(fromEpoch + 1)}
      action={words.rotateAction}
      busy={words.rotating}
      reasonHint={words.reasonHint}
      change={(fromEpoch, { text }) =>
        run(ROTATE_SIGNING_KEY, {
          input: { fromEpoch, overlapDays: Number(text('overlapDays')), reason: text('reason') },
        })
      }
      changed={CHANGED_BY_SIGNING_KEYS}
    >
      <p>{words.rotateText}</p>
      <SecondPersonNote>{words.second}</SecondPersonNote>
      <Field
        name="overlapDays"
        type="number"
        label={words.days}
        isRequired
        min="0"
        max="365"
        defaultValue="30"
      />
    </ReasonedChange>
  );
}

/** For a key that someone else may have: its signatures no longer count. */
export function DisownSigningKey({ of: { epoch, compromisedFrom } }: { readonly of: SigningKey }) {
  if (compromisedFrom === 0) return null;
  return (
    <ReasonedChange
      open={words.disown}
      label={words.disownOf(epoch)}
      seen={epoch}
      title={words.disownTitle}
      action={words.disownAction}
      busy={words.disowning}
      isDanger
      reasonHint={words.reasonHint}
      change={(_, { text }) =>
        run(DISOWN_SIGNING_KEY, {
          input: { epoch, fromIndex: Number(text('fromIndex')), reason: text('reason') },
        })
      }
      changed={CHANGED_BY_SIGNING_KEYS}
    >
      <p>{words.disownText}</p>
      <SecondPersonNote>{words.second}</SecondPersonNote>
      <Field
        name="fromIndex"
        type="number"
        label={words.from}
        hint={words.fromHint}
        isRequired
        min="0"
        {...(compromisedFrom === null ? {} : { max: String(compromisedFrom - 1) })}
      />
    </ReasonedChange>
  );
}

/**
 * For the key in use, where a store keeps it. One that is sealed in the database is lost only together with the log: it can be
 * stolen.
 */
export function LoseSigningKey({ of: { epoch, store } }: { readonly of: SigningKey }) {
  if (store === null) return words.rotateFirst;
  return (
    <ReasonedChange
      open={words.lose}
      seen={epoch}
      title={words.loseTitle}
      action={words.loseAction}
      busy={words.declaring}
      isDanger
      reasonHint={words.reasonHint}
      change={(_, { text }) => run(LOSE_SIGNING_KEY, { input: { epoch, reason: text('reason') } })}
      changed={CHANGED_BY_SIGNING_KEYS}
    >
      <p>{words.loseText}</p>
      <p>{words.loseSecond}</p>
    </ReasonedChange>
  );
}
