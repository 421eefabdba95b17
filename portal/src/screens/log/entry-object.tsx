import { Link } from '@tanstack/react-router';
import { APPLICATION_PLACES, holdsOwner, ORGANIZATION_PLACES, type Held } from '../../app/places.ts';
import { useViewer } from '../../app/session';
import { texts } from '../../texts.ts';
import type { EntryNode } from './documents';

const words = texts(
  {
    theCase: 'the case',
    request: 'the request',
    disclosure: 'the disclosure',
    relay: 'the relay',
    asset: 'the asset',
    member: 'the member',
  },
  {
    fr: {
      theCase: 'le dossier',
      request: 'la demande',
      disclosure: 'la divulgation',
      relay: 'le relais',
      asset: 'l’actif',
      member: 'le membre',
    },
  },
);

/** Whether the navigation has this place for the viewer: a link to another one leads to a refusal. */
const seesInApplication = (held: Held, to: (typeof APPLICATION_PLACES)[number]['to'], app: string) =>
  APPLICATION_PLACES.some((place) => place.to === to && place.isShown(held, app));
const sees = (held: Held, to: (typeof ORGANIZATION_PLACES)[number]['to']) =>
  ORGANIZATION_PLACES.some((place) => place.to === to && place.isShown(held));

/** What was acted on: its name where the entry has it, as a link where the viewer has the place that shows it. */
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
  const parts: (React.JSX.Element | string)[] = [];
  if (type === 'case_request' && id !== undefined && foreignId !== null && !isOfCase) {
    if (seesInApplication(permissions, '/a/$app/requests', foreignId))
      parts.push(
        <Link to="/a/$app/requests/$id" params={{ app: foreignId, id }}>
          {words.request}
        </Link>,
      );
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
  else if (memberId !== undefined && name !== undefined && holdsOwner(permissions, 'members:manage'))
    parts.push(
      <Link to="/organization/people/$id" params={{ id: memberId }}>
        {name}
      </Link>,
    );
  else if (name !== undefined) parts.push(name);
  if (!isOfCase && caseId !== null && foreignId !== null)
    if (seesInApplication(permissions, '/a/$app/cases', foreignId))
      parts.push(
        <Link to="/a/$app/cases/$id" params={{ app: foreignId, id: caseId }}>
          {words.theCase}
        </Link>,
      );
  return parts.map((part, index) => <span key={index}> · {part}</span>);
}
