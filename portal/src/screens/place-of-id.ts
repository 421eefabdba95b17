import { graphql } from '../graphql/document';
import { errorOf, GatewayError } from '../graphql/gateway-error';
import { request } from '../graphql/request';
import { APPLICATION_PLACES, holdsOwner, type Held } from '../app/places.ts';

const HAS_CASE = graphql(`
  query HasCase($foreignId: String!, $id: ID!) {
    case(foreignId: $foreignId, id: $id) {
      id
    }
  }
`);
const HAS_REQUEST = graphql(`
  query HasCaseRequest($foreignId: String!, $id: ID!) {
    caseRequest(foreignId: $foreignId, id: $id) {
      id
    }
  }
`);

const REPORT_IDS = graphql(`
  query ReportIds($foreignId: String!) {
    reports(foreignId: $foreignId, first: 200) {
      nodes {
        id
      }
    }
  }
`);

/** The applications in which this place is shown. */
const applicationsWith = (held: Held, place: (typeof APPLICATION_PLACES)[number]['to']): string[] =>
  held.applications
    .map(({ foreignId }) => foreignId)
    .filter((app) => APPLICATION_PLACES.some(({ to, isShown }) => to === place && isShown(held, app)));

/** A member of a thousand applications does not ask a thousand questions at once. */
const ASKED_AT_ONCE = 10;

/** The first application that has it; `undefined` where none has, as far as this reader may see. */
async function ownerOf(applications: readonly string[], has: (app: string) => Promise<unknown>) {
  if (applications.length === 1) return applications[0];
  for (let begin = 0; begin < applications.length; begin += ASKED_AT_ONCE) {
    const answers = await Promise.all(
      applications.slice(begin, begin + ASKED_AT_ONCE).map((app) =>
        has(app).then(
          () => app,
          (thrown: unknown) => {
            if (['NOT_FOUND', 'FORBIDDEN'].includes(errorOf(thrown).code)) return undefined;
            throw thrown;
          },
        ),
      ),
    );
    const owner = answers.find((app) => app !== undefined);
    if (owner !== undefined) return owner;
  }
  return undefined;
}

/** Whether a text is an id that leads somewhere, or the index of an entry of the log, such as `#12`. */
export const isId = (text: string): boolean =>
  /^((cas|crq|chk|dsc|ast|usr|rly|rpt|log)_[0-9a-z]{10,60}|#\d{1,15})$/.test(text.trim());

/** Where an id leads that somebody pasted; `undefined` where there is nothing for this reader. */
export async function placeOfId(text: string, held: Held): Promise<string | undefined> {
  const id = text.trim();
  if (id.startsWith('#')) return logOf(held);
  switch (id.slice(0, 4)) {
    case 'cas_': {
      const app = await ownerOf(applicationsWith(held, '/a/$app/cases'), (foreignId) =>
        request(HAS_CASE, { foreignId, id }),
      );
      return app && `/a/${app}/cases/${id}`;
    }
    case 'crq_': {
      const app = await ownerOf(applicationsWith(held, '/a/$app/requests'), (foreignId) =>
        request(HAS_REQUEST, { foreignId, id }),
      );
      return app && `/a/${app}/requests/${id}`;
    }
    case 'chk_': {
      // A check is shown by its id alone, in the place of any application.
      const [app] = applicationsWith(held, '/a/$app/addresses');
      return app && `/a/${app}/addresses?check=${id}`;
    }
    case 'dsc_':
      return `/disclosures/${id}`;
    case 'ast_':
      return `/organization/assets/${id}`;
    case 'usr_':
      return `/organization/people/${id}`;
    case 'rly_':
      return `/relay#${id}`;
    case 'rpt_': {
      if (holdsOwner(held, 'reports:list')) return '/organization/reports';
      const applications = applicationsWith(held, '/a/$app/reports');
      const listed = async (foreignId: string) => {
        const { reports } = await request(REPORT_IDS, { foreignId });
        if (!reports.nodes.some((report) => report.id === id)) throw new GatewayError('NOT_FOUND', '');
      };
      // An older one is not among those that were looked through.
      const app = (await ownerOf(applications, listed)) ?? applications[0];
      return app && `/a/${app}/reports`;
    }
    case 'log_':
      return logOf(held);
    default:
      return undefined;
  }
}

/** The log in which this reader sees most entries. */
function logOf(held: Held): string | undefined {
  if (holdsOwner(held, 'logs:view_activity')) return '/organization/log';
  const [app] = applicationsWith(held, '/a/$app/log');
  return app && `/a/${app}/log`;
}
