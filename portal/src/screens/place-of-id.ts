import { graphql } from '../graphql/document';
import { errorOf } from '../graphql/gateway-error';
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

/** The applications in which this place is shown. */
const applicationsWith = (held: Held, place: (typeof APPLICATION_PLACES)[number]['to']): string[] =>
  held.applications
    .map(({ foreignId }) => foreignId)
    .filter((app) => APPLICATION_PLACES.some(({ to, isShown }) => to === place && isShown(held, app)));

/** The first application that has it; `undefined` where none has, as far as this reader may see. */
async function ownerOf(applications: readonly string[], has: (app: string) => Promise<unknown>) {
  const [only, ...others] = applications;
  if (others.length === 0) return only;
  const answers = await Promise.all(
    applications.map((app) =>
      has(app).then(
        () => app,
        (thrown: unknown) => {
          if (['NOT_FOUND', 'FORBIDDEN'].includes(errorOf(thrown).code)) return undefined;
          throw thrown;
        },
      ),
    ),
  );
  return answers.find((app) => app !== undefined);
}

/** Whether a text is an id that leads somewhere. */
export const isId = (text: string): boolean =>
  /^(cas|crq|chk|dsc|ast|usr|rly|rpt|log)_[0-9a-z]{10,60}$/.test(text.trim());

/** Where an id leads that somebody pasted; `undefined` where there is nothing for this reader. */
export async function placeOfId(text: string, held: Held): Promise<string | undefined> {
  const id = text.trim();
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
      const [app] = applicationsWith(held, '/a/$app/reports');
      return holdsOwner(held, 'reports:list') ? '/organization/reports' : app && `/a/${app}/reports`;
    }
    case 'log_': {
      const [app] = applicationsWith(held, '/a/$app/log');
      return holdsOwner(held, 'logs:view_activity') ? '/organization/log' : app && `/a/${app}/log`;
    }
    default:
      return undefined;
  }
}
