import { holdsOwner } from '../../../app/places.ts';
import { useViewer } from '../../../app/session';
import { Button } from '../../../design/button';
import { Await, Card, Problem } from '../../../design/states';
import { Table } from '../../../design/table';
import { Badge, Code, Time } from '../../../design/values';
import { countText } from '../../../format.ts';
import { useAction, useRead } from '../../../graphql/hooks';
import { request as run } from '../../../graphql/request';
import { texts } from '../../../texts.ts';
import { saveFile } from '../../../verification/save-file';
import { CHECKPOINT } from '../../log/documents';
import { DisownSigningKey, LoseSigningKey, RotateSigningKey } from './change-signing-key';
import { SIGNING_KEYS, type SigningKey } from './signing-key-documents';

const words = texts(
  {
    title: 'Signing keys',
    text: 'They sign the activity log and the receipts. Publish the key in use: others check what you signed with it, and can follow your key changes from any key that they know.',
    empty: 'The first entry of the activity log creates the first key.',
    number: 'Number',
    key: 'Verifier key',
    theKey: 'the verifier key',
    made: 'Created',
    state: 'State',
    current: 'in use',
    keptIn: (store: string) => `kept in ${store}`,
    cosigns: 'replaced; signs checkpoints until',
    compromised: (index: string) => `compromised as of index ${index}`,
    theft: 'If it is stolen or lost',
    save: 'Save the key file',
    saving: 'Saving…',
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
      save: 'Enregistrer le fichier de clés',
      saving: 'Enregistrement…',
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
    <Card
      title={words.title}
      aside={decides && current !== undefined && <RotateSigningKey current={current} />}
    >
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
                            key.epoch === current ? (
                              <LoseSigningKey of={key} />
                            ) : (
                              <DisownSigningKey of={key} />
                            ),
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

/** The checkpoint with the key changes, as “Verify a file” and `--keys` take it. */
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
