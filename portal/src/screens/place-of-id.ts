import { graphql } from '../graphql/document';
import { errorOf } from '../graphql/gateway-error';
import { request } from '../graphql/request';
import { APPLICATION_PLACES, holdsOwner, type Held } from '../app/places.ts';

const CASE_PLACE = graphql(`
  query CasePlace($id: ID!) {
    case(id: $id) {
      application {
        foreignId
      }
    }
  }
`);
const REQUEST_PLACE = graphql(`
  query CaseRequestPlace($id: ID!) {
    caseRequest(id: $id) {
      application {
        foreignId
      }
    }
  }
`);
const REPORT_PLACE = graphql(`
  query ReportPlace($id: ID!) {
    report(id: $id) {
      application {
        foreignId
      }
    }
  }
`);
const ENTRY_PLACE = graphql(`
  query EntryPlace($id: ID, $index: Int) {
    activityEntry(id: $id, index: $index) {
      id
      foreignId
    }
  }
`);

/** The applications in which this place is shown. */
const applicationsWith = (held: Held, place: (typeof APPLICATION_PLACES)[number]['to']): string[] =>
  held.applications
    .map(({ foreignId }) => foreignId)
    .filter((app) => APPLICATION_PLACES.some(({ to, isShown }) => to === place && isShown(held, app)));

/** What the gateway answers; `undefined` where there is nothing for this reader. */
const unlessGone = <Answer>(asked: Promise<Answer>): Promise<Answer | undefined> =>
  asked.catch((thrown: unknown) => {
    if (['NOT_FOUND', 'FORBIDDEN'].includes(errorOf(thrown).code)) return undefined;
    throw thrown;
  });

/** Whether a text is an id that leads somewhere, or the index of an entry of the log, such as `#12`. */
export const isId = (text: string): boolean =>
  /^((cas|crq|chk|dsc|ast|usr|rly|rpt|log)_[0-9a-z]{10,60}|#\d{1,15})$/.test(text.trim());

/** Where an id leads that somebody pasted; `undefined` where there is nothing for this reader. */
export async function placeOfId(text: string, held: Held): Promise<string | undefined> {
  const id = text.trim();
  if (id.startsWith('#')) return placeOfEntry(held, { index: Number(id.slice(1)) });
  switch (id.slice(0, 4)) {
    case 'cas_': {
      if (applicationsWith(held, '/a/$app/cases').length === 0) return undefined;
      const app = (await unlessGone(request(CASE_PLACE, { id })))?.case.application.foreignId;
      return app && `/a/${app}/cases/${id}`;
    }
    case 'crq_': {
      if (applicationsWith(held, '/a/$app/requests').length === 0) return undefined;
      const app = (await unlessGone(request(REQUEST_PLACE, { id })))?.caseRequest.application.foreignId;
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
      const isOwner = holdsOwner(held, 'reports:list');
      if (!isOwner && applicationsWith(held, '/a/$app/reports').length === 0) return undefined;
      const report = (await unlessGone(request(REPORT_PLACE, { id })))?.report;
      if (!report) return undefined;
      if (isOwner) return `/organization/reports?report=${id}`;
      const app = report.application?.foreignId;
      return app && `/a/${app}/reports?report=${id}`;
    }
    case 'log_':
      return placeOfEntry(held, { id });
    default:
      return undefined;
  }
}

async function placeOfEntry(
  held: Held,
  asked: { readonly id: string } | { readonly index: number },
): Promise<string | undefined> {
  const isOwner = holdsOwner(held, 'logs:view_activity');
  if (!isOwner && applicationsWith(held, '/a/$app/log').length === 0) return undefined;
  const entry = (await unlessGone(request(ENTRY_PLACE, asked)))?.activityEntry;
  if (!entry) return undefined;
  if (isOwner) return `/organization/log?entry=${entry.id}`;
  const app = entry.foreignId;
  return app === null ? undefined : `/a/${app}/log?entry=${entry.id}`;
}
