import { holdsOwner, PLACE_NAMES } from '../../../app/places.ts';
import { useViewer } from '../../../app/session';
import { Await, Card, Notice } from '../../../design/states';
import { Fact, Facts, Table } from '../../../design/table';
import { Badge } from '../../../design/values';
import { useRead } from '../../../graphql/hooks';
import { counted, texts } from '../../../texts.ts';
import { PageHead } from '../page';
import { ChangeRetention } from './change-retention';
import { RETENTION } from './documents';
import { KIND_NAMES, KIND_TEXTS } from './kind-words.ts';
import { LegalHolds } from './legal-holds';
import { RetentionLog } from './retention-log';

const words = texts(
  {
    kept: 'How long it is kept',
    keptText:
      'Data that is older than this is deleted within an hour, and cannot be restored. If the gateway is older than retention, nothing is deleted in the 30 days after the upgrade that added it.',
    kind: 'Kind',
    years: 'Kept for',
    yearsOf: (years: number) => counted(years, 'year', 'years'),
    state: 'State',
    byDefault: 'by default',
    held: 'held: nothing is deleted',
    deletes: 'deleted when due',
    deleted: 'What is deleted',
    change: 'Change',
    noLog:
      'Who changed what, and what was deleted, is recorded in the activity log, which you have no permission to read.',
  },
  {
    fr: {
      kept: 'Durées de conservation',
      keptText:
        'Ce qui est conservé depuis plus longtemps est supprimé dans l’heure, et rien ne le fait revenir. Si la passerelle est plus ancienne que la conservation, rien n’est supprimé dans les 30 jours après la mise à jour qui l’a apportée.',
      kind: 'Catégorie',
      years: 'Conservation',
      yearsOf: (years: number) => counted(years, 'an', 'ans'),
      state: 'État',
      byDefault: 'par défaut',
      held: 'gelé : rien n’est supprimé',
      deletes: 'supprimé à l’échéance',
      deleted: 'Ce qui est supprimé',
      change: 'Changement',
      noLog:
        'Qui a changé quoi, et ce qui a été supprimé, figure dans le journal d’activité. Vous n’êtes pas autorisé à le lire.',
    },
  },
);

/** The retention periods, the legal holds, and the changes and deletions. */
export function Retention() {
  const { permissions } = useViewer();
  const reading = useRead(['retention'], RETENTION, {});
  return (
    <>
      <PageHead title={PLACE_NAMES.retention} />
      <Await reading={reading}>
        {({ data: { retention } }) => {
          const isHeld = (kind: string) =>
            retention.legalHolds.some(({ kinds }) => kinds.some((k) => k === kind));
          return (
            <>
              <Card title={words.kept}>
                <p className="soft">{words.keptText}</p>
                <Table
                  label={words.kept}
                  rows={retention.settings}
                  keyOf={({ kind }) => kind}
                  columns={[
                    { name: words.kind, cell: ({ kind }) => KIND_NAMES[kind] },
                    {
                      name: words.years,
                      cell: ({ years, isDefault }) => (
                        <>
                          {words.yearsOf(years)}
                          {isDefault && <span className="soft"> {words.byDefault}</span>}
                        </>
                      ),
                    },
                    {
                      name: words.state,
                      cell: ({ kind }) =>
                        isHeld(kind) ? (
                          <Badge tone="warn">{words.held}</Badge>
                        ) : (
                          <Badge>{words.deletes}</Badge>
                        ),
                    },
                    {
                      name: words.change,
                      cell: (setting) => <ChangeRetention setting={setting} isHeld={isHeld(setting.kind)} />,
                    },
                  ]}
                />
                <h3>{words.deleted}</h3>
                <Facts>
                  {retention.settings.map(({ kind }) => (
                    <Fact key={kind} name={KIND_NAMES[kind]}>
                      {KIND_TEXTS[kind]}
                    </Fact>
                  ))}
                </Facts>
              </Card>
              <LegalHolds holds={retention.legalHolds} />
              {holdsOwner(permissions, 'logs:view_activity') ? (
                <RetentionLog inForce={retention.legalHolds.map(({ id }) => id)} />
              ) : (
                <Notice>
                  <p>{words.noLog}</p>
                </Notice>
              )}
            </>
          );
        }}
      </Await>
    </>
  );
}
