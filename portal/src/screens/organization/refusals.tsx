import type { DENIAL_EVENTS } from '../../../../src/platform/kernel/errors.ts';
import { PLACE_NAMES } from '../../app/places.ts';
import { Listing } from '../../design/states';
import { Table } from '../../design/table';
import { Code, None, Time } from '../../design/values';
import { usePages } from '../../graphql/hooks';
import { texts } from '../../texts.ts';
import { Name } from '../names';
import { SECURITY_EVENTS } from './documents';
import { PageHead } from './page';

const words = texts(
  {
    about:
      'Refused requests of members and keys, and failed sign-ins, are listed here for 90 days, newest first.',
    empty: 'Nothing was refused.',
    event: 'What was refused',
    who: 'Who asked',
    operation: 'Asked for',
    address: 'Client address',
    time: 'Time',
    request: 'Request',
  },
  {
    fr: {
      about:
        'Ce qui est refusé aux membres et aux clés, et les connexions échouées, figurent ici pendant 90 jours, le plus récent d’abord.',
      empty: 'Rien n’a été refusé.',
      event: 'Ce qui a été refusé',
      who: 'Qui a demandé',
      operation: 'Demandé',
      address: 'Adresse du client',
      time: 'Heure',
      request: 'Requête',
    },
  },
);

/** Each kind of refusal that the gateway records, in words. */
const REFUSALS: Readonly<Record<(typeof DENIAL_EVENTS)[number], string>> = texts(
  {
    'sign_in.refused': 'A sign-in',
    'sign_in.locked_out': 'A sign-in, after too many tries',
    'password.refused': 'A password',
    'api_key.refused': 'An API key',
    'origin.refused': 'A page of another origin',
    'permission.refused': 'Something without permission',
  },
  {
    fr: {
      'sign_in.refused': 'Une connexion',
      'sign_in.locked_out': 'Une connexion, après trop d’essais',
      'password.refused': 'Un mot de passe',
      'api_key.refused': 'Une clé d’API',
      'origin.refused': 'Une page d’une autre origine',
      'permission.refused': 'Une action sans autorisation',
    },
  },
);

const refusalText = (event: string): string => (REFUSALS as Readonly<Record<string, string>>)[event] ?? event;

export function Refusals() {
  const pages = usePages(['securityEvents'], SECURITY_EVENTS, {}, ({ securityEvents }) => securityEvents);
  return (
    <>
      <PageHead title={PLACE_NAMES.refusals} />
      <p className="soft">{words.about}</p>
      <Listing pages={pages} empty={words.empty}>
        {(nodes) => (
          <Table
            label={PLACE_NAMES.refusals}
            rows={nodes}
            keyOf={({ requestId, event, createdAt }) => `${requestId} ${event} ${createdAt}`}
            columns={[
              { name: words.event, cell: ({ event }) => refusalText(event) },
              {
                name: words.who,
                cell: ({ subjectId }) => (subjectId === null ? <None /> : <Name id={subjectId} />),
              },
              {
                name: words.operation,
                cell: ({ operation }) => (operation === null ? <None /> : <code>{operation}</code>),
              },
              { name: words.address, cell: ({ clientAddress }) => <code>{clientAddress}</code> },
              { name: words.time, cell: ({ createdAt }) => <Time at={createdAt} isExact /> },
              { name: words.request, cell: ({ requestId }) => <Code value={requestId} ends={6} /> },
            ]}
          />
        )}
      </Listing>
    </>
  );
}
