import { Link } from '@tanstack/react-router';
import { holdsOwner, PLACE_NAMES } from '../../../app/places.ts';
import { useViewer } from '../../../app/session';
import { Listing } from '../../../design/states';
import { Badge, Time } from '../../../design/values';
import { listText } from '../../../format.ts';
import { usePages } from '../../../graphql/hooks';
import { counted, texts } from '../../../texts.ts';
import { MEMBERS, type MemberNode } from '../documents';
import { Invitations } from './invitations';
import { Invite } from './invite';
import { ErasePersonalValues } from './erase';
import { PageHead } from '../page';
import { bucketName, BUCKETS } from '../permission-texts';
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
    of: (permissions: string, roles: string) => `${permissions} (${roles})`,
    owner: 'owner',
  },
  {
    fr: {
      label: 'Membres, par nom',
      empty: 'Il n’y a pas de membre.',
      you: 'vous',
      since: 'membre depuis',
      noFactor: 'sans second facteur',
      count: (count: number) => counted(count, 'autorisation', 'autorisations'),
      of: (permissions: string, roles: string) => `${permissions} (${roles})`,
      owner: 'propriétaire',
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
                    {member.email} · {permissionsText(member)} · {words.since} <Time at={member.addedAt} /> ·{' '}
                    <LastSeen at={member.lastSeenAt} />
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

/** How many, and of which roles: `7 permissions (auditor)`. */
function permissionsText({ permissions: { owner, applications } }: MemberNode): string {
  const numbers = BUCKETS.map(
    (bucket) => [bucketName(bucket), applications.reduce((sum, one) => sum + one[bucket].length, 0)] as const,
  );
  const all = [[words.owner, owner.length] as const, ...numbers].filter(([, count]) => count > 0);
  const count = words.count(all.reduce((sum, [, one]) => sum + one, 0));
  const roles = all.map(([role]) => role).filter((role) => role !== bucketName('common'));
  return roles.length === 0 ? count : words.of(count, listText(roles));
}
