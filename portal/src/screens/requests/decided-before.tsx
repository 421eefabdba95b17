import { Link, useRouterState } from '@tanstack/react-router';
import { Notice } from '../../design/states';
import { useRead } from '../../graphql/hooks';
import { texts } from '../../texts.ts';
import { REQUEST } from './documents';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The request that was decided last, after which the page opened the next one by itself. */
    readonly decided?: string;
  }
}

const words = texts(
  { approved: 'You approved:', closed: 'You closed:', toCase: 'Open the case' },
  { fr: { approved: 'Vous avez approuvé :', closed: 'Vous avez refusé :', toCase: 'Ouvrir le dossier' } },
);

/** What was decided before the page opened what waits next: its own place did not show it. */
export function DecidedBefore({ app }: { readonly app: string }) {
  const id = useRouterState({ select: ({ location }) => location.state.decided });
  return <div role="status">{id !== undefined && <Decided app={app} id={id} />}</div>;
}

function Decided({ app, id }: { readonly app: string; readonly id: string }) {
  const request = useRead(['caseRequest', app, id], REQUEST, { foreignId: app, id }).data?.data.caseRequest;
  if (!request || request.status === 'pending') return null;
  return (
    <Notice tone={request.status === 'approved' ? 'good' : 'plain'}>
      <p>
        {request.status === 'approved' ? words.approved : words.closed}{' '}
        <Link to="/a/$app/requests/$id" params={{ app, id }}>
          {request.reason}
        </Link>
        {request.caseId !== null && (
          <>
            {' · '}
            <Link to="/a/$app/cases/$id" params={{ app, id: request.caseId }}>
              {words.toCase}
            </Link>
          </>
        )}
      </p>
    </Notice>
  );
}
