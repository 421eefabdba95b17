import { Link } from '@tanstack/react-router';
import { APPLICATION_PLACES, holds, holdsOwner, ORGANIZATION_PLACES, type Held } from '../../app/places.ts';
import { useViewer } from '../../app/session';
import { Code } from '../../design/values';
import { texts } from '../../texts.ts';
import { useIsMember } from '../names';
import type { EntryNode } from './documents';

const words = texts(
  {
    theCase: 'the case',
    request: 'the request',
    disclosure: 'the disclosure',
    relay: 'the relay',
    asset: 'the asset',
    report: 'the report',
  },
  {
    fr: {
      theCase: 'le dossier',
      request: 'la demande',
      disclosure: 'la divulgation',
      relay: 'le relais',
      asset: 'l’actif',
      report: 'le rapport',
    },
  },
);

/** An auditor reads only some of the requests and cases of an application: a link to another one leads to a refusal. */
const readsEveryRequest = (held: Held, app: string) =>
  holds(held, app, 'administrator', 'cases:approve_creation');
const readsEveryCase = (held: Held, app: string) =>
  readsEveryRequest(held, app) || holds(held, app, 'administrator', 'cases:list');
/** Whether the navigation has this place for the viewer. */
const sees = (held: Held, to: (typeof ORGANIZATION_PLACES)[number]['to']) =>
  ORGANIZATION_PLACES.some((place) => place.to === to && place.isShown(held));

const seesReports = (held: Held, app: string) =>
  APPLICATION_PLACES.some(({ to, isShown }) => to === '/a/$app/reports' && isShown(held, app));

/** The object of an entry: its name if the entry has it, as a link if the viewer can read it. */
export function EntryObject({
  entry: { object, caseId, foreignId },
  isOfCase,
}: {
  readonly entry: EntryNode;
  readonly isOfCase: boolean;
}) {
  const { permissions } = useViewer();
  const members = object as Readonly<Record<string, unknown>>;
  const textOf = (member: string) => (typeof members[member] === 'string' ? members[member] : undefined);
  const [type, id, memberId, name] = [textOf('type'), textOf('id'), textOf('user_id'), textOf('name')];
  const [report, address] = [textOf('report_id'), textOf('address')];
  const parts: (React.JSX.Element | string)[] = [];
  if (type === 'case_request' && id !== undefined && foreignId !== null && !isOfCase) {
    if (readsEveryRequest(permissions, foreignId))
      parts.push(
        <Link to="/a/$app/requests/$id" params={{ app: foreignId, id }}>
          {words.request}
        </Link>,
      );
    else parts.push(<Code value={id} ends={6} />);
  } else if (type === 'disclosure' && id !== undefined && sees(permissions, '/disclosures'))
    parts.push(
      <Link to="/disclosures/$id" params={{ id }}>
        {words.disclosure}
      </Link>,
    );
  else if (type === 'relay_request' && id !== undefined && sees(permissions, '/organization/relays'))
    parts.push(
      <Link to="/organization/relays/$id" params={{ id }}>
        {words.relay}
      </Link>,
    );
  else if (type === 'asset' && id !== undefined && sees(permissions, '/organization/assets'))
    parts.push(
      <Link to="/organization/assets/$id" params={{ id }}>
        {name ?? words.asset}
      </Link>,
    );
  else if (type === 'report' && report !== undefined && sees(permissions, '/organization/reports'))
    parts.push(
      <Link to="/organization/reports" search={{ report }}>
        {words.report}
      </Link>,
    );
  else if (
    type === 'report' &&
    report !== undefined &&
    foreignId !== null &&
    seesReports(permissions, foreignId)
  )
    parts.push(
      <Link to="/a/$app/reports" params={{ app: foreignId }} search={{ report }}>
        {words.report}
      </Link>,
    );
  else if (memberId !== undefined && name !== undefined && holdsOwner(permissions, 'members:manage'))
    parts.push(<Member id={memberId} name={name} />);
  else if (name !== undefined) parts.push(name);
  else if (address !== undefined) parts.push(<Code value={address} />);
  if (!isOfCase && caseId !== null && foreignId !== null)
    if (readsEveryCase(permissions, foreignId))
      parts.push(
        <Link to="/a/$app/cases/$id" params={{ app: foreignId, id: caseId }}>
          {words.theCase}
        </Link>,
      );
    // Without its name, the id still tells which case somebody read.
    else parts.push(<Code value={caseId} ends={6} />);
  return parts.map((part, index) => <span key={index}> · {part}</span>);
}

/** Who was removed has no place anymore. */
function Member({ id, name }: { readonly id: string; readonly name: string }) {
  return useIsMember(id) ? (
    <Link to="/organization/people/$id" params={{ id }}>
      {name}
    </Link>
  ) : (
    name
  );
}
