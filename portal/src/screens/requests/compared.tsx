import { Link } from '@tanstack/react-router';
import { holds, PLACE_NAMES } from '../../app/places.ts';
import { useViewer } from '../../app/session';
import { Await, Card } from '../../design/states';
import { useEvery } from '../../graphql/hooks';
import { counted, texts } from '../../texts.ts';
import { differences, distinguished, type Difference, type Scope } from '../scope.ts';
import { HELD_CASES, REQUESTS, type HeldCase, type RequestNode } from './documents';

const words = texts(
  {
    changed: 'What is different',
    first:
      'This is the first request of this requester that can be compared, and the auditors hold no case now.',
    approved: (reason: string) => `Against the request “${reason}”, which was approved`,
    closed: (reason: string) => `Against the request “${reason}”, which was closed`,
    held: (reason: string) => `Against the open case “${reason}”`,
    more: (count: number) =>
      `The auditors hold ${counted(count, 'more open case', 'more open cases')}, not compared here.`,
    same: 'It requests the same scope again.',
    added: 'more:',
    removed: 'less:',
    granted: 'What was granted',
    all: 'Everything that was requested.',
    lessGranted: 'Less than was requested:',
  },
  {
    fr: {
      changed: 'Ce qui diffère',
      first:
        'C’est la première demande comparable de ce demandeur, et les auditeurs n’ont pas de dossier en ce moment.',
      approved: (reason: string) => `Par rapport à la demande « ${reason} », qui a été approuvée`,
      closed: (reason: string) => `Par rapport à la demande « ${reason} », qui a été refusée`,
      held: (reason: string) => `Par rapport au dossier ouvert « ${reason} »`,
      more: (count: number) =>
        `Les auditeurs ont encore ${counted(count, 'dossier ouvert', 'dossiers ouverts')}, sans comparaison ici.`,
      same: 'Elle demande la même chose.',
      added: 'en plus :',
      removed: 'en moins :',
      granted: 'Ce qui a été accordé',
      all: 'Tout ce qui a été demandé.',
      lessGranted: 'Moins que demandé :',
    },
  },
);

/** More than that nobody compares by reading. */
const MAX_COMPARED = 3;

/** Told in words and by a sign, never by color alone. */
function Differences({ found }: { readonly found: readonly Difference[] }) {
  return (
    <ul className="differences">
      {found.map(({ kind, text }) => (
        <li key={`${kind}${text}`} className={kind}>
          <span aria-hidden="true">{kind === 'added' ? '+' : '−'}</span>
          <span>
            {words[kind]} {text}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** The granted scope next to the requested one. */
export function Granted({
  request,
  granted,
}: {
  readonly request: RequestNode;
  readonly granted: NonNullable<RequestNode['granted']>;
}) {
  const found = differences(
    request,
    granted,
    (id) => distinguished(request.assets).find((asset) => asset.id === id)?.name ?? id,
  );
  return (
    <Card title={words.granted}>
      {found.length === 0 ? (
        <p>{words.all}</p>
      ) : (
        <>
          <p>{words.lessGranted}</p>
          <Differences found={found} />
        </>
      )}
    </Card>
  );
}

/** What is compared with: a request or a case, which have the same scope. */
type Other = Scope & {
  readonly id: string;
  readonly assets: RequestNode['assets'];
};

/** What changed against the requester's last decided request, and against cases that the same auditors hold now. */
export function Compared({ app, request }: { readonly app: string; readonly request: RequestNode }) {
  const viewer = useViewer();
  const decides = holds(viewer.permissions, app, 'administrator', 'cases:approve_creation');
  // All of them: a part could not show that there was no earlier one.
  const requests = useEvery(
    ['caseRequests', app, 'every'],
    REQUESTS,
    { foreignId: app },
    ({ caseRequests }) => caseRequests,
  );
  const cases = useEvery(
    ['cases', app, 'active', 'every'],
    HELD_CASES,
    { foreignId: app },
    (result) => result.cases,
    { enabled: decides },
  );
  return (
    <Card title={words.changed}>
      <Await reading={requests} lines={2}>
        {(every) =>
          decides ? (
            <Await reading={cases} lines={2}>
              {(held) => <Comparison app={app} request={request} requests={every} cases={held} />}
            </Await>
          ) : (
            <Comparison app={app} request={request} requests={every} cases={[]} />
          )
        }
      </Await>
    </Card>
  );
}

function Comparison({
  app,
  request,
  requests,
  cases,
}: {
  readonly app: string;
  readonly request: RequestNode;
  readonly requests: readonly RequestNode[];
  readonly cases: readonly HeldCase[];
}) {
  const between = (before: Other, now: Other) => {
    const assets = distinguished([...before.assets, ...now.assets]);
    return differences(before, now, (id) => assets.find((asset) => asset.id === id)?.name ?? id);
  };
  const earlier = requests.find(
    (other) =>
      other.id !== request.id &&
      other.requestedBy.id === request.requestedBy.id &&
      other.status !== 'pending' &&
      !other.withdrawn &&
      other.createdAt < request.createdAt,
  );
  const held = cases.filter(
    (item) =>
      item.id !== request.caseId &&
      item.auditors.some(({ id }) => request.auditors.some((asked) => asked.id === id)) &&
      // The case of the earlier request, where it is no more and no less.
      (!earlier || item.id !== earlier.caseId || between(earlier, item).length > 0),
  );
  const others = [
    ...(earlier
      ? [{ of: earlier, title: words[earlier.status === 'approved' ? 'approved' : 'closed'](earlier.reason) }]
      : []),
    ...held.map((item) => ({ of: item, title: words.held(item.reason) })),
  ];
  if (others.length === 0) return <p>{words.first}</p>;
  return (
    <>
      {others.slice(0, MAX_COMPARED).map(({ of: other, title }) => {
        const found = between(other, request);
        return (
          <div key={other.id}>
            <h3>{title}</h3>
            {found.length === 0 ? <p>{words.same}</p> : <Differences found={found} />}
          </div>
        );
      })}
      {others.length > MAX_COMPARED && (
        <p>
          {words.more(others.length - MAX_COMPARED)}{' '}
          <Link to="/a/$app/cases" params={{ app }}>
            {PLACE_NAMES.cases}
          </Link>
        </p>
      )}
    </>
  );
}
