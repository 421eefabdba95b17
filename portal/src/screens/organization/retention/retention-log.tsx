import { Link } from '@tanstack/react-router';
import { Button } from '../../../design/button';
import { Card, Failure, Loading } from '../../../design/states';
import { Table } from '../../../design/table';
import { None, Time } from '../../../design/values';
import { utcDayText } from '../../../format.ts';
import { useLive, usePages } from '../../../graphql/hooks';
import { counted, texts } from '../../../texts.ts';
import { ACTIVITY_ADDED, LOG, provenEntries, type EntryNode } from '../../log/documents';
import { actorOf } from '../../log/entries';
import { EntryMark } from '../../log/entry-mark';
import { EVENT_WORDS } from '../../log/event-words.ts';
import { kindsText, kindText } from './kind-words.ts';

const words = texts(
  {
    ended: 'Ended legal holds',
    noneEnded: 'No legal hold has ended.',
    reason: 'Reason',
    covered: 'Covered',
    by: 'Placed by',
    placed: 'Placed',
    end: 'End',
    lastDay: 'its last day:',
    releasedBy: (who: string, why: string) => `released by ${who}, “${why}”:`,
    changes: 'What was changed and deleted',
    noChanges: 'Nothing was changed or deleted yet.',
    when: 'When',
    who: 'Who',
    what: 'What',
    check: 'Check',
    years: (kind: string, before: string, after: string) => `${kind}: ${after} instead of ${before} years`,
    held: (kinds: string) => `placed a legal hold: ${kinds}`,
    released: (kinds: string) => `released a legal hold: ${kinds}`,
    deleted: (kind: string, count: number, day: string) =>
      `deleted ${counted(count, 'row', 'rows')} from before ${day}: ${kind}`,
    more: 'Show more',
    reading: 'Reading…',
    inLog: 'In the activity log:',
  },
  {
    fr: {
      ended: 'Gels juridiques terminés',
      noneEnded: 'Aucun gel juridique n’est terminé.',
      reason: 'Motif',
      covered: 'Couvrait',
      by: 'Posé par',
      placed: 'Posé',
      end: 'Fin',
      lastDay: 'son dernier jour :',
      releasedBy: (who: string, why: string) => `levé par ${who}, « ${why} » :`,
      changes: 'Ce qui a été changé et supprimé',
      noChanges: 'Rien n’a encore été changé ni supprimé.',
      when: 'Quand',
      who: 'Qui',
      what: 'Quoi',
      check: 'Vérification',
      years: (kind: string, before: string, after: string) => `${kind} : ${after} ans au lieu de ${before}`,
      held: (kinds: string) => `a posé un gel juridique : ${kinds}`,
      released: (kinds: string) => `a levé un gel juridique : ${kinds}`,
      deleted: (kind: string, count: number, day: string) =>
        `a supprimé ${counted(count, 'ligne', 'lignes')} d’avant le ${day} : ${kind}`,
      more: 'Afficher plus',
      reading: 'Lecture…',
      inLog: 'Dans le journal d’activité :',
    },
  },
);

const EVENTS = [
  'retention.changed',
  'legal_hold.placed',
  'legal_hold.released',
  'retention.applied',
] as const;

type Members = Readonly<Record<string, unknown>>;
const detailsOf = ({ details }: EntryNode) => (details ?? {}) as Members;
const objectOf = ({ object }: EntryNode) => (object ?? {}) as Members;
const kindsOf = (entry: EntryNode): readonly unknown[] => {
  const { kinds } = detailsOf(entry);
  return Array.isArray(kinds) ? kinds : [];
};
const reasonOf = (entry: EntryNode) => {
  const { reason } = detailsOf(entry);
  return typeof reason === 'string' ? reason : undefined;
};

function happening(entry: EntryNode): string {
  const details = detailsOf(entry);
  const kind = kindText(objectOf(entry)['kind']);
  switch (entry.eventType) {
    case 'retention.changed':
      return words.years(kind, String(details['years_before']), String(details['years']));
    case 'legal_hold.placed':
      return words.held(kindsText(kindsOf(entry)));
    case 'legal_hold.released':
      return words.released(kindsText(kindsOf(entry)));
    default:
      return words.deleted(
        kind,
        Number(details['count']),
        utcDayText(String(details['before']).slice(0, 10)),
      );
  }
}

const useEvents = (eventType: (typeof EVENTS)[number]) =>
  usePages(['activityLog', 'retention'], LOG, { eventType }, ({ activityLog }) => provenEntries(activityLog));

/** What the activity log says of the retention: ended holds, and everything that was changed or deleted, newest first. */
export function RetentionLog({ inForce }: { readonly inForce: readonly string[] }) {
  const [changed, placed, released, applied] = [
    useEvents('retention.changed'),
    useEvents('legal_hold.placed'),
    useEvents('legal_hold.released'),
    useEvents('retention.applied'),
  ];
  const all = [changed, placed, released, applied];
  useLive(ACTIVITY_ADDED, {}, ({ activityAdded }) => activityAdded.cursor, [
    ['activityLog', 'retention'],
    ['retention'],
  ]);
  const failed = all.find(({ error }) => error !== undefined);
  if (failed?.error) return <Failure error={failed.error} onAgain={failed.readAgain} />;
  if (all.some(({ isPending }) => isPending)) return <Loading />;
  const ended = placed.nodes.filter((entry) => !inForce.includes(String(objectOf(entry)['id'])));
  const releaseOf = (hold: EntryNode) =>
    released.nodes.find((entry) => objectOf(entry)['id'] === objectOf(hold)['id']);
  const entries = all
    .flatMap(({ nodes }) => nodes)
    .toSorted((one, other) => other.createdAt.localeCompare(one.createdAt));
  const unread = all.filter(({ hasMore }) => hasMore);
  return (
    <>
      <Card title={words.ended}>
        {ended.length === 0 ? (
          <p>{words.noneEnded}</p>
        ) : (
          <Table
            label={words.ended}
            rows={ended}
            keyOf={({ id }) => id}
            columns={[
              { name: words.reason, cell: (hold) => reasonOf(hold) ?? <None /> },
              { name: words.covered, cell: (hold) => kindsText(kindsOf(hold)) },
              { name: words.by, cell: actorOf },
              { name: words.placed, cell: ({ createdAt }) => <Time at={createdAt} /> },
              { name: words.end, cell: (hold) => <End hold={hold} release={releaseOf(hold)} /> },
            ]}
          />
        )}
      </Card>
      <Card title={words.changes}>
        {entries.length === 0 ? (
          <p>{words.noChanges}</p>
        ) : (
          <Table
            label={words.changes}
            rows={entries}
            keyOf={({ id }) => id}
            columns={[
              { name: words.when, cell: ({ createdAt }) => <Time at={createdAt} /> },
              { name: words.who, cell: actorOf },
              { name: words.what, cell: happening },
              { name: words.reason, cell: (entry) => reasonOf(entry) ?? <None /> },
              { name: words.check, cell: (entry) => <EntryMark entry={entry} /> },
            ]}
          />
        )}
        {unread.length > 0 && (
          <div>
            <Button
              busy={unread.some(({ isReadingMore }) => isReadingMore) && words.reading}
              onPress={() => unread.forEach(({ readMore }) => readMore())}
            >
              {words.more}
            </Button>
          </div>
        )}
        <p className="soft">
          {words.inLog}{' '}
          {EVENTS.map((event, index) => (
            <span key={event}>
              {index > 0 && ' · '}
              <Link to="/organization/log" search={{ event }}>
                {EVENT_WORDS[event]}
              </Link>
            </span>
          ))}
        </p>
      </Card>
    </>
  );
}

function End({ hold, release }: { readonly hold: EntryNode; readonly release: EntryNode | undefined }) {
  const { until } = detailsOf(hold);
  if (release)
    return (
      <>
        {words.releasedBy(actorOf(release), reasonOf(release) ?? '')} <Time at={release.createdAt} />
      </>
    );
  if (typeof until !== 'string') return <None />;
  return (
    <>
      {words.lastDay} <Time at={until} />
    </>
  );
}
