import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useViewer } from '../../app/session';
import { holds } from '../../app/places.ts';
import type { EnumOf } from '../../graphql/document';
import { Waits } from '../../design/countdown';
import { LiveRow, LiveRows } from '../../design/lists/live-rows';
import { Listing } from '../../design/states';
import { Badge, Time } from '../../design/values';
import { useLive, usePages, type Pages } from '../../graphql/hooks';
import { newestOf } from '../../graphql/merged-pages';
import { counted, texts } from '../../texts.ts';
import { PageHead } from '../organization/page';
import { daysText, flagsText, periodText } from '../scope.ts';
import { DecidedBefore } from './decided-before';
import { REGISTRY, REQUEST_CHANGED, REQUESTS, type RequestNode } from './documents';

const words = texts(
  {
    title: 'Case requests',
    new: 'Request a case',
    pending: 'Pending',
    decided: 'Decided',
    views: 'Which requests',
    label: 'Case requests',
    emptyPending: 'No request is pending. A request appears here when an auditor requests a case.',
    emptyDecided: 'No request was decided yet.',
    by: 'by',
    total: (count: number) => counted(count, 'request waits, oldest first', 'requests wait, oldest first'),
    approved: 'approved',
    closed: 'closed',
    withdrawn: 'withdrawn',
    isPending: 'pending',
  },
  {
    fr: {
      title: 'Demandes de dossier',
      new: 'Demander un dossier',
      pending: 'En attente',
      decided: 'Traitées',
      views: 'Quelles demandes',
      label: 'Demandes de dossier',
      emptyPending: 'Aucune demande n’attend. Une demande apparaît ici quand un auditeur demande un dossier.',
      emptyDecided: 'Aucune demande n’a encore été traitée.',
      by: 'par',
      total: (count: number) =>
        counted(
          count,
          'demande attend, la plus ancienne d’abord',
          'demandes attendent, les plus anciennes d’abord',
        ),
      approved: 'approuvée',
      closed: 'refusée',
      withdrawn: 'retirée',
      isPending: 'en attente',
    },
  },
);

export function RequestStatus({ request }: { readonly request: Pick<RequestNode, 'status' | 'withdrawn'> }) {
  if (request.withdrawn) return <Badge>{words.withdrawn}</Badge>;
  if (request.status === 'pending') return <Badge tone="warn">{words.isPending}</Badge>;
  return request.status === 'approved' ? (
    <Badge tone="good">{words.approved}</Badge>
  ) : (
    <Badge>{words.closed}</Badge>
  );
}

/** Requests of one status: an auditor's own, or all of them for deciders. */
function useRequests(
  app: string,
  decides: boolean,
  chosen: { readonly status: EnumOf<'CaseRequestStatus'>; readonly oldestFirst?: boolean },
  isOn: boolean,
): Pages<RequestNode> {
  const own = usePages(
    ['caseRequests', app],
    REQUESTS,
    { foreignId: app, ...chosen },
    ({ caseRequests }) => caseRequests,
    { enabled: isOn && !decides },
  );
  const all = usePages(
    ['disclosureRegistry', app],
    REGISTRY,
    { foreignId: app, ...chosen },
    ({ disclosureRegistry }) => disclosureRegistry,
    { enabled: isOn && decides },
  );
  return decides ? all : own;
}

export function Requests() {
  const { app } = useParams({ from: '/signed-in/a/$app/requests' });
  const { view = 'pending' } = useSearch({ from: '/signed-in/a/$app/requests' });
  const viewer = useViewer();
  const decides = holds(viewer.permissions, app, 'administrator', 'cases:approve_creation');
  // A queue: pending ones oldest first, decided ones newest first.
  const isQueue = view === 'pending';
  const pending = useRequests(app, decides, { status: 'pending', oldestFirst: true }, isQueue);
  const approved = useRequests(app, decides, { status: 'approved' }, !isQueue);
  const closed = useRequests(app, decides, { status: 'closed' }, !isQueue);
  useLive(REQUEST_CHANGED, { foreignId: app }, ({ caseRequestChanged }) => caseRequestChanged.cursor, [
    ['caseRequests', app],
    ['disclosureRegistry', app],
  ]);
  const pages = isQueue ? pending : newestOf(approved, closed);
  return (
    <>
      <PageHead
        app={app}
        title={words.title}
        action={
          holds(viewer.permissions, app, 'auditor', 'cases:create') && (
            <Link className="button primary" to="/a/$app/requests/new" params={{ app }}>
              {words.new}
            </Link>
          )
        }
      />
      <DecidedBefore app={app} />
      <nav className="tabs" aria-label={words.views}>
        <Link to="/a/$app/requests" params={{ app }} search={{}} activeOptions={{ exact: true }}>
          {words.pending}
        </Link>
        <Link to="/a/$app/requests" params={{ app }} search={{ view: 'decided' }}>
          {words.decided}
        </Link>
      </nav>
      {isQueue && pages.total !== undefined && pages.total > 0 && (
        <p className="soft" role="status">
          {words.total(pages.total)}
        </p>
      )}
      <Listing pages={pages} isLive empty={isQueue ? words.emptyPending : words.emptyDecided}>
        {(nodes, none) => (
          <LiveRows
            list={pages.isPrevious ? undefined : `${app} ${view}`}
            nodes={nodes}
            keyOf={({ id }) => id}
            empty={none}
          >
            {(rows) => <RequestList requests={rows} />}
          </LiveRows>
        )}
      </Listing>
    </>
  );
}

export function RequestList({
  requests,
  namesApplication = false,
}: {
  readonly requests: readonly RequestNode[];
  /** For requests of several applications. */
  readonly namesApplication?: boolean;
}) {
  return (
    <ul className="list" aria-label={words.label}>
      {requests.map((request) => (
        <LiveRow key={request.id} id={request.id}>
          <div>
            <Link to="/a/$app/requests/$id" params={{ app: request.application.foreignId, id: request.id }}>
              {request.reason}
            </Link>
            <p className="soft">
              {namesApplication && `${request.application.name} · `}
              {request.requestedBy.name} · {periodText(request.periodFrom, request.periodTo)} ·{' '}
              {daysText(request.accessDays)} · {flagsText(request.disclosureFlags)}
            </p>
          </div>
          <div className="item-end">
            <RequestStatus request={request} />
            <span className="soft">
              {request.status === 'pending' && (
                <>
                  <Waits since={request.createdAt} /> ·{' '}
                </>
              )}
              <Time at={request.decidedAt ?? request.createdAt} />
            </span>
          </div>
        </LiveRow>
      ))}
    </ul>
  );
}
