import { useState } from 'react';
import { holdsOwner } from '../../../app/places.ts';
import { useViewer } from '../../../app/session';
import { Button } from '../../../design/button';
import { Confirm } from '../../../design/dialog';
import { Field } from '../../../design/fields';
import { Await, Card, Problem } from '../../../design/states';
import { Table } from '../../../design/table';
import { Badge, Code, Time } from '../../../design/values';
import { countText } from '../../../format.ts';
import { useAction, useRead } from '../../../graphql/hooks';
import { request as run } from '../../../graphql/request';
import { texts } from '../../../texts.ts';
import { ReasonField } from '../../reason-field';
import { saveFile } from '../../../verification/save-file';
import { CHECKPOINT } from '../../log/documents';
import { LoseSigningKey } from './lose-signing-key';
import {
  CHANGED_BY_SIGNING_KEYS,
  DISOWN_SIGNING_KEY,
  ROTATE_SIGNING_KEY,
  SIGNING_KEYS,
  type SigningKey,
} from './signing-key-documents';

const words = texts(
  {
    title: 'Signing keys',
    text: 'They sign the activity log and the receipts. Publish the key in use: others check what you signed with it, and follow your changes of keys from any key that they know.',
    empty: 'The first entry of the activity log makes the first key.',
    number: 'Number',
    key: 'Verifier key',
    theKey: 'the verifier key',
    made: 'Made',
    state: 'State',
    current: 'in use',
    keptIn: (store: string) => `kept in ${store}`,
    cosigns: 'replaced; signs checkpoints until',
    compromised: (index: string) => `compromised from index ${index} on`,
    theft: 'If it is stolen or lost',
    save: 'Save the file of keys',
    saving: 'Saving…',
    rotate: 'Rotate the signing key…',
    rotateTitle: (epoch: number) => `This makes signing key ${epoch}.`,
    rotateText:
      'It signs from now on. The key of today signs the log entry that names it, and checkpoints for some days more. Publish the new key.',
    rotateAction: 'Rotate the signing key',
    rotating: 'Rotating…',
    days: 'Days for which the old key signs checkpoints, too',
    disown: 'Disown…',
    disownOf: (epoch: number) => `Disown…: key ${epoch}`,
    disownTitle: (epoch: number) => `This disowns signing key ${epoch}.`,
    disownText:
      'It signs nothing anymore. Those who check refuse larger checkpoints that only it signed, and receipts that the log does not show to be older. This cannot be taken back. The index can only become smaller: three declarations for each key, and one more from index 0.',
    disownAction: 'Declare it compromised',
    disowning: 'Declaring…',
    from: 'From index',
    fromHint: 'The first entry of the log for which the key may have been misused.',
    second:
      'In your organization another owner must ask for the same, with the same numbers, within 72 hours.',
    reasonHint: 'It is recorded in the activity log. Anyone who gets the file of keys reads it.',
  },
  {
    fr: {
      title: 'Clés de signature',
      text: 'Elles signent le journal d’activité et les reçus. Publiez la clé en usage : d’autres vérifient avec elle ce que vous avez signé, et suivent vos changements de clés depuis toute clé qu’ils connaissent.',
      empty: 'La première entrée du journal d’activité crée la première clé.',
      number: 'Numéro',
      key: 'Clé de vérification',
      theKey: 'la clé de vérification',
      made: 'Créée',
      state: 'État',
      current: 'en usage',
      keptIn: (store: string) => `gardée dans ${store}`,
      cosigns: 'remplacée ; signe les points de contrôle jusqu’au',
      compromised: (index: string) => `compromise à partir du rang ${index}`,
      theft: 'Si elle est volée ou perdue',
      save: 'Enregistrer le fichier des clés',
      saving: 'Enregistrement…',
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
      reasonHint: 'Il figure dans le journal d’activité. Qui obtient le fichier des clés le lit.',
    },
  },
);

/** The keys that sign for the organization: the next one, one that a thief has, and the file by which others follow them. */
export function SigningKeys() {
  const reading = useRead(['logSigningKeys'], SIGNING_KEYS, {});
  const { permissions } = useViewer();
  const decides = holdsOwner(permissions, 'policies:manage');
  const current = reading.data?.data.logSigningKeys?.[0]?.epoch;
  return (
    <Card title={words.title} aside={decides && current !== undefined && <Rotate current={current} />}>
      <p className="soft">{words.text}</p>
      <Await reading={reading} lines={1}>
        {({ data: { logSigningKeys } }) =>
          logSigningKeys.length === 0 ? (
            <p>{words.empty}</p>
          ) : (
            <>
              <Table
                label={words.title}
                rows={logSigningKeys}
                keyOf={({ epoch }) => String(epoch)}
                columns={[
                  { name: words.number, cell: ({ epoch }) => epoch },
                  {
                    name: words.key,
                    cell: ({ verifierKey }) => <Code value={verifierKey} ends={10} what={words.theKey} />,
                  },
                  { name: words.made, cell: ({ createdAt }) => <Time at={createdAt} /> },
                  { name: words.state, cell: (key) => <State of={key} /> },
                  ...(decides
                    ? [
                        {
                          name: words.theft,
                          cell: (key: SigningKey) =>
                            key.epoch === current ? <LoseSigningKey of={key} /> : <Disown of={key} />,
                        },
                      ]
                    : []),
                ]}
              />
              <SaveKeys />
            </>
          )
        }
      </Await>
    </Card>
  );
}

function State({ of: { cosignsUntil, compromisedFrom, store } }: { readonly of: SigningKey }) {
  if (compromisedFrom !== null)
    return <Badge tone="bad">{words.compromised(countText(compromisedFrom))}</Badge>;
  if (cosignsUntil === null)
    return (
      <>
        <Badge tone="good">{words.current}</Badge> {store !== null && words.keptIn(store)}
      </>
    );
  return (
    <>
      {words.cosigns} <Time at={cosignsUntil} />
    </>
  );
}

/** The checkpoint with the changes of keys, as “Verify a file” and `--keys` take it. */
function SaveKeys() {
  const save = useAction(() => run(CHECKPOINT, {}));
  return (
    <>
      {save.problem && <Problem problem={save.problem} />}
      <div>
        <Button
          busy={save.isRunning && words.saving}
          onPress={() =>
            void save.run(undefined, ({ logCheckpoint: { origin, verifierKey, note, keyChanges } }) =>
              saveFile('keys.json', JSON.stringify({ origin, verifierKey, note, keyChanges }, undefined, 2)),
            )
          }
        >
          {words.save}
        </Button>
      </div>
    </>
  );
}

function Rotate({ current }: { readonly current: number }) {
  // The key that the person saw: who comes second is told so, and makes no key that nobody wants.
  const [fromEpoch, setFromEpoch] = useState<number>();
  const { organization } = useViewer();
  const rotate = useAction(
    (input: { fromEpoch: number; overlapDays: number; reason: string }) => run(ROTATE_SIGNING_KEY, { input }),
    CHANGED_BY_SIGNING_KEYS,
  );
  const close = () => {
    setFromEpoch(undefined);
    rotate.reset();
  };
  return (
    <>
      <Button onPress={() => setFromEpoch(current)}>{words.rotate}</Button>
      {fromEpoch !== undefined && (
        <Confirm
          title={words.rotateTitle(fromEpoch + 1)}
          action={words.rotateAction}
          busy={words.rotating}
          isRunning={rotate.isRunning}
          problem={rotate.problem}
          onClose={close}
          onConfirm={({ text }) =>
            void rotate.run(
              { fromEpoch, overlapDays: Number(text('overlapDays')), reason: text('reason') },
              close,
            )
          }
        >
          <p>{words.rotateText}</p>
          {organization.requireSecondPerson && <p>{words.second}</p>}
          <Field
            name="overlapDays"
            type="number"
            label={words.days}
            isRequired
            min="0"
            max="365"
            defaultValue="30"
          />
          <ReasonField hint={words.reasonHint} />
        </Confirm>
      )}
    </>
  );
}

function Disown({ of: { epoch, compromisedFrom } }: { readonly of: SigningKey }) {
  const [isOpen, setOpen] = useState(false);
  const { organization } = useViewer();
  const disown = useAction(
    (input: { epoch: number; fromIndex: number; reason: string }) => run(DISOWN_SIGNING_KEY, { input }),
    CHANGED_BY_SIGNING_KEYS,
  );
  const close = () => {
    setOpen(false);
    disown.reset();
  };
  if (compromisedFrom === 0) return null;
  return (
    <>
      <Button label={words.disownOf(epoch)} onPress={() => setOpen(true)}>
        {words.disown}
      </Button>
      {isOpen && (
        <Confirm
          title={words.disownTitle(epoch)}
          action={words.disownAction}
          busy={words.disowning}
          isDanger
          isRunning={disown.isRunning}
          problem={disown.problem}
          onClose={close}
          onConfirm={({ text }) =>
            void disown.run({ epoch, fromIndex: Number(text('fromIndex')), reason: text('reason') }, close)
          }
        >
          <p>{words.disownText}</p>
          {organization.requireSecondPerson && <p>{words.second}</p>}
          <Field
            name="fromIndex"
            type="number"
            label={words.from}
            hint={words.fromHint}
            isRequired
            min="0"
            {...(compromisedFrom === null ? {} : { max: String(compromisedFrom - 1) })}
          />
          <ReasonField hint={words.reasonHint} />
        </Confirm>
      )}
    </>
  );
}
