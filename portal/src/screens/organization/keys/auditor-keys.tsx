import { holdsOwner } from '../../../app/places.ts';
import { useViewer } from '../../../app/session';
import { Await, Card } from '../../../design/states';
import { Table } from '../../../design/table';
import { Badge, Code, Time } from '../../../design/values';
import { useRead } from '../../../graphql/hooks';
import { request as run } from '../../../graphql/request';
import { texts } from '../../../texts.ts';
import { ReasonedChange } from '../../reasoned-change';
import { SecondPersonNote } from '../../second-person-note';
import { ExportAuditorKey } from './export-auditor-key';
import { ImportAuditorKey } from './import-auditor-key';
import { AUDITOR_KEYS, ROTATE_AUDITOR_KEY } from './auditor-key-documents';

const words = texts(
  {
    title: 'Auditor keys',
    text: 'Set the current key on each mint: new amounts are encrypted to it. Earlier and imported keys are kept, to open the amounts that were encrypted to them.',
    empty: 'Registering the first asset creates the first key.',
    number: 'Number',
    key: 'Key',
    theKey: 'the auditor key',
    made: 'Created',
    current: 'current',
    imported: 'imported',
    earlier: 'earlier',
    state: 'State',
    export: 'Export',
    rotate: 'Rotate the auditor key…',
    rotateTitle: (epoch: number) => `This makes auditor key ${epoch}, for every asset.`,
    rotateText:
      'A mint has it once its authority updates the mint. Until then, its amounts are encrypted to the key that it has. ' +
      'No key is lost. A key that leaked still opens what was encrypted to it.',
    action: 'Rotate the auditor key',
    rotating: 'Rotating…',
  },
  {
    fr: {
      title: 'Clés d’auditeur',
      text: 'Placez la clé actuelle sur chaque mint : les nouveaux montants lui sont chiffrés. Les clés précédentes et importées sont gardées, pour ouvrir les montants qui leur ont été chiffrés.',
      empty: 'L’enregistrement du premier actif crée la première clé.',
      number: 'Numéro',
      key: 'Clé',
      theKey: 'la clé d’auditeur',
      made: 'Créée',
      current: 'actuelle',
      imported: 'importée',
      earlier: 'précédente',
      state: 'État',
      export: 'Exportation',
      rotate: 'Renouveler la clé d’auditeur…',
      rotateTitle: (epoch: number) => `Ceci crée la clé d’auditeur ${epoch}, pour tous les actifs.`,
      rotateText:
        'Un mint l’a une fois que son autorité l’a mis à jour. D’ici là, ses montants sont chiffrés pour la clé qu’il a. ' +
        'Aucune clé n’est perdue. Une clé qui a fuité ouvre encore ce qui lui a été chiffré.',
      action: 'Renouveler la clé d’auditeur',
      rotating: 'Renouvellement…',
    },
  },
);

/** The auditor keys of the organization, and the rotation for those who may decide it. */
export function AuditorKeys() {
  const reading = useRead(['auditorKeys'], AUDITOR_KEYS, {});
  const { permissions } = useViewer();
  const keys = reading.data?.data.auditorKeys ?? [];
  const current = keys.find(({ imported }) => !imported)?.epoch;
  const decides = holdsOwner(permissions, 'policies:manage');
  const actions = decides && (
    <div className="row">
      <ImportAuditorKey />
      {current !== undefined && <Rotate current={current} next={keys[0]!.epoch + 1} />}
    </div>
  );
  return (
    <Card title={words.title} aside={actions}>
      <p className="soft">{words.text}</p>
      <Await reading={reading} lines={1}>
        {({ data: { auditorKeys } }) =>
          auditorKeys.length === 0 ? (
            <p>{words.empty}</p>
          ) : (
            <Table
              label={words.title}
              rows={auditorKeys}
              keyOf={({ epoch }) => String(epoch)}
              columns={[
                { name: words.number, cell: ({ epoch }) => epoch },
                {
                  name: words.key,
                  cell: ({ auditorElGamalPubkey }) => (
                    <Code value={auditorElGamalPubkey} ends={6} what={words.theKey} />
                  ),
                },
                { name: words.made, cell: ({ createdAt }) => <Time at={createdAt} /> },
                {
                  name: words.state,
                  cell: ({ epoch, imported }) =>
                    epoch === current ? (
                      <Badge tone="good">{words.current}</Badge>
                    ) : (
                      <Badge>{imported ? words.imported : words.earlier}</Badge>
                    ),
                },
                ...(decides && auditorKeys.some(({ exportable }) => exportable)
                  ? [
                      {
                        name: words.export,
                        cell: ({ epoch }: { readonly epoch: number }) => <ExportAuditorKey epoch={epoch} />,
                      },
                    ]
                  : []),
              ]}
            />
          )
        }
      </Await>
    </Card>
  );
}

function Rotate({ current, next }: { readonly current: number; readonly next: number }) {
  return (
    <ReasonedChange
      open={words.rotate}
      // The key that the person saw, so that the second of two people gets an error instead of creating another key.
      seen={{ fromEpoch: current, epoch: next }}
      title={({ epoch }) => words.rotateTitle(epoch)}
      action={words.action}
      busy={words.rotating}
      change={({ fromEpoch }, { text }) =>
        run(ROTATE_AUDITOR_KEY, { input: { fromEpoch, reason: text('reason') } })
      }
      changed={[['auditorKeys'], ['assets'], ['asset'], ['proposedOperations']]}
    >
      <p>{words.rotateText}</p>
      <SecondPersonNote />
    </ReasonedChange>
  );
}
