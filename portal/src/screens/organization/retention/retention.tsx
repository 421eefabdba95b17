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
      'Data older than its retention period is deleted by an hourly sweep and cannot be restored. In the 30 days after the upgrade of the gateway that introduced retention, nothing is deleted.',
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
        'Ce qui est conservé depuis plus longtemps est supprimé par un passage, une fois par heure, et rien ne le fait revenir. Dans les 30 jours après la mise à jour de la passerelle qui a apporté la conservation, rien n’est supprimé.',
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
