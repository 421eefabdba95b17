import { Link } from '@tanstack/react-router';
import { holdsOwner, PLACE_NAMES } from '../../../app/places.ts';
import { useViewer } from '../../../app/session';
import { Listing } from '../../../design/states';
import { Badge } from '../../../design/values';
import { dayText } from '../../../format.ts';
import { usePages } from '../../../graphql/hooks';
import { counted, texts } from '../../../texts.ts';
import { MEMBERS, type MemberNode } from '../documents';
import { Invitations } from './invitations';
import { Invite } from './invite';
import { ErasePersonalValues } from './erase';
import { PageHead } from '../page';
import { PendingGrants } from '../second-person';
import { LastSeen } from './last-seen';
import { MemberActions } from './member-actions';

const words = texts(
  {
    label: 'Members, by name',
    empty: 'There is no member.',
    you: 'you',
    since: 'member since',
    noFactor: 'no second factor',
    count: (count: number) => counted(count, 'permission', 'permissions'),
  },
  {
    fr: {
      label: 'Membres, par nom',
      empty: 'Il n’y a pas de membre.',
      you: 'vous',
      since: 'membre depuis',
      noFactor: 'sans second facteur',
      count: (count: number) => counted(count, 'autorisation', 'autorisations'),
    },
  },
);

export function People() {
  const viewer = useViewer();
  const manages = holdsOwner(viewer.permissions, 'members:manage');
  const pages = usePages(['members'], MEMBERS, {}, ({ members }) => members);
  return (
    <>
      <PageHead title={PLACE_NAMES.people} action={manages && <Invite />} />
      {manages && <PendingGrants isShownEmpty={false} />}
      <Listing pages={pages} empty={words.empty}>
        {(nodes) => (
          <ul className="list" aria-label={words.label}>
            {nodes.map((member) => (
              <li key={member.id} className="item stack">
                <div>
                  <p>
                    <Link to="/organization/people/$id" params={{ id: member.id }}>
                      <strong>{member.name}</strong>
                    </Link>{' '}
                    {member.id === viewer.user?.id && `(${words.you})`}
                  </p>
                  <p className="soft">
                    {member.email} · {words.count(countOf(member))} · {words.since} {dayText(member.addedAt)}{' '}
                    · <LastSeen at={member.lastSeenAt} />
                  </p>
                  {!member.hasSecondFactor && <Badge tone="warn">{words.noFactor}</Badge>}
                </div>
                <MemberActions member={member} />
              </li>
            ))}
          </ul>
        )}
      </Listing>
      {manages && <Invitations />}
      {manages && <ErasePersonalValues />}
    </>
  );
}

const countOf = ({ permissions: { owner, applications } }: MemberNode): number =>
  owner.length +
  applications.reduce(
    (sum, { common, administrator, auditor }) => sum + common.length + administrator.length + auditor.length,
    0,
  );
