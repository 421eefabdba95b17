import { Link, useParams } from '@tanstack/react-router';
import { holdsOwner } from '../../../app/places.ts';
import { applicationName, useViewer } from '../../../app/session';
import { Await, Card } from '../../../design/states';
import { Fact, Facts } from '../../../design/table';
import { Badge, Code, ID_WORDS, Time } from '../../../design/values';
import { useRead } from '../../../graphql/hooks';
import { texts } from '../../../texts.ts';
import { MEMBER, type MemberNode } from '../documents';
import { PageHead } from '../page';
import { PendingGrants } from '../second-person';
import { allowedBy, bucketName, BUCKETS } from '../permission-texts';
import { LastSeen } from './last-seen';
import { MemberActions } from './member-actions';

const words = texts(
  {
    member: 'Member',
    state: 'State',
    email: 'E-mail address',
    since: 'Member since',
    sessions: 'Sessions',
    secondFactor: 'Second factor',
    yes: 'set up',
    no: 'none',
    log: 'What this person did, in the activity log',
    permissions: 'Permissions',
    none: 'This person holds no permission. Use “Change permissions” to grant some.',
    organization: 'The whole organization',
    bucket: (application: string, bucket: string) => `${application}: ${bucket}`,
  },
  {
    fr: {
      member: 'Membre',
      state: 'État',
      email: 'Adresse électronique',
      since: 'Membre depuis',
      sessions: 'Sessions',
      secondFactor: 'Second facteur',
      yes: 'en place',
      no: 'aucun',
      log: 'Ce que cette personne a fait, dans le journal d’activité',
      permissions: 'Autorisations',
      none: 'Cette personne n’a aucune autorisation. « Changer les autorisations » lui en donne.',
      organization: 'Toute l’organisation',
      bucket: (application: string, bucket: string) => `${application} : ${bucket}`,
    },
  },
);

/** One member: name, sign-in methods, and permissions. */
export function Member() {
  const { id } = useParams({ from: '/signed-in/organization/people/$id' });
  const { permissions } = useViewer();
  const reading = useRead(['member', id], MEMBER, { id });
  return (
    <Await reading={reading} place={words.member}>
      {({ data: { member } }) => (
        <>
          <PageHead title={words.member} name={member.name} action={<MemberActions member={member} />} />
          <Card title={words.state} label={words.state}>
            <Facts>
              <Fact name={words.email}>{member.email}</Fact>
              <Fact name={words.since}>
                <Time at={member.addedAt} />
              </Fact>
              <Fact name={words.sessions}>
                <LastSeen at={member.lastSeenAt} />
              </Fact>
              <Fact name={words.secondFactor}>
                <Badge tone={member.hasSecondFactor ? 'good' : 'warn'}>
                  {member.hasSecondFactor ? words.yes : words.no}
                </Badge>
              </Fact>
              <Fact name={ID_WORDS.id}>
                <Code value={member.id} what={ID_WORDS.theId} />
              </Fact>
            </Facts>
            {holdsOwner(permissions, 'logs:view_activity') && (
              <Link to="/organization/log" search={{ by: member.id }}>
                {words.log}
              </Link>
            )}
          </Card>
          <Card title={words.permissions}>
            <Permissions member={member} />
          </Card>
          <PendingGrants isShownEmpty={false} memberId={member.id} />
        </>
      )}
    </Await>
  );
}

function Permissions({ member: { permissions } }: { readonly member: MemberNode }) {
  const viewer = useViewer();
  const held = [
    { where: words.organization, bucket: 'owner', names: permissions.owner },
    ...permissions.applications.flatMap((application) =>
      BUCKETS.map((bucket) => ({
        where: words.bucket(applicationName(viewer, application.foreignId), bucketName(bucket)),
        bucket,
        names: application[bucket],
      })),
    ),
  ].filter(({ names }) => names.length > 0);
  if (held.length === 0) return <p>{words.none}</p>;
  return held.map(({ where, bucket, names }) => (
    <section key={where} className="stack" aria-label={where}>
      <h3>{where}</h3>
      <Facts>
        {names.map((name) => (
          <Fact key={name} name={<span className="mono">{name}</span>}>
            {allowedBy(bucket, name)}
          </Fact>
        ))}
      </Facts>
    </section>
  ));
}
