import { holds } from '../../app/places.ts';
import { useViewer } from '../../app/session';
import { Card } from '../../design/states';
import { useEvery } from '../../graphql/hooks';
import { texts } from '../../texts.ts';
import { differences, type Difference, type Scope } from '../scope.ts';
import { HELD_CASES, REQUESTS, type RequestNode } from './documents';

const words = texts(
  {
    changed: 'What is different',
    first:
      'This is the first request of this requester that can be compared, and the auditors hold no case now.',
    against: (reason: string) => `Against “${reason}”`,
    same: 'It asks for the same again.',
    added: 'more:',
    removed: 'less:',
    granted: 'What was granted',
    all: 'All of what was asked.',
    lessGranted: 'Less than was asked:',
  },
  {
    fr: {
      changed: 'Ce qui diffère',
      first:
        'C’est la première demande comparable de ce demandeur, et les auditeurs n’ont pas de dossier en ce moment.',
      against: (reason: string) => `Par rapport à « ${reason} »`,
      same: 'Elle demande la même chose.',
      added: 'en plus :',
      removed: 'en moins :',
      granted: 'Ce qui a été accordé',
      all: 'Tout ce qui a été demandé.',
      lessGranted: 'Moins que demandé :',
    },
  },
);

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

/** What was granted beside what was asked. */
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
    (id) => request.assets.find((asset) => asset.id === id)?.name ?? id,
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

/** What changed against the requester's last approved request, and against cases that the same auditors hold now. */
export function Compared({ app, request }: { readonly app: string; readonly request: RequestNode }) {
  const viewer = useViewer();
  const decides = holds(viewer.permissions, app, 'administrator', 'cases:approve_creation');
  // All of them: of a part it would be false that there was no earlier one.
  const requests = useEvery(
    ['caseRequests', app, 'approved', 'every'],
    REQUESTS,
    { foreignId: app, status: 'approved' },
    ({ caseRequests }) => caseRequests,
  );
  const cases = useEvery(
    ['cases', app, 'active', 'every'],
    HELD_CASES,
    { foreignId: app },
    (result) => result.cases,
    { enabled: decides },
  );
  const isWhole = requests.data !== undefined && (cases.data !== undefined || !decides);
  const earlier = requests.data?.find(
    (other) =>
      other.id !== request.id &&
      other.requestedBy.id === request.requestedBy.id &&
      other.createdAt < request.createdAt,
  );
  const held = (cases.data ?? []).filter(
    ({ id, auditors }) =>
      id !== request.caseId &&
      auditors.some((auditor) => request.auditors.some((asked) => asked.id === auditor.id)),
  );
  const others: (Scope & {
    readonly id: string;
    readonly reason: string;
    readonly assets: readonly { readonly id: string; readonly name: string }[];
  })[] = [...(earlier ? [earlier] : []), ...held.filter(({ reason }) => reason !== earlier?.reason)];
  return (
    <Card title={words.changed}>
      {isWhole && others.length === 0 && <p>{words.first}</p>}
      {others.slice(0, 3).map((other) => {
        const assets = [...request.assets, ...other.assets];
        const found = differences(
          other,
          request,
          (id) => assets.find((asset) => asset.id === id)?.name ?? id,
        );
        return (
          <div key={other.id}>
            <h3>{words.against(other.reason)}</h3>
            {found.length === 0 ? <p>{words.same}</p> : <Differences found={found} />}
          </div>
        );
      })}
    </Card>
  );
}
