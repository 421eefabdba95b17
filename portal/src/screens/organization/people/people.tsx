import { useState } from 'react';
import { PLACE_NAMES } from '../../../app/places.ts';
import { useViewer } from '../../../app/session';
import { Button } from '../../../design/button';
import { Confirm } from '../../../design/dialog';
import { Field } from '../../../design/fields';
import { Listing } from '../../../design/states';
import { Badge, Time } from '../../../design/values';
import { dayText } from '../../../format.ts';
import { useAction, usePages } from '../../../graphql/hooks';
import { request as run } from '../../../graphql/request';
import { counted, texts } from '../../../texts.ts';
import { END_SESSIONS, MEMBERS, REMOVE_MEMBER, type MemberNode } from '../documents';
import { Invitations } from './invitations';
import { Invite } from './invite';
import { ErasePersonalValues } from './erase';
import { PageHead } from '../page';
import { ChangePermissions } from './change-permissions';
import { ResetSignIn } from './reset-sign-in';

const words = texts(
  {
    label: 'Members, by name',
    empty: 'There is no member.',
    you: 'you',
    since: 'member since',
    seen: 'last here',
    away: 'not signed in',
    noFactor: 'no second factor',
    count: (count: number) => counted(count, 'permission', 'permissions'),
    change: 'Change permissions…',
    endSessions: 'End sessions…',
    reset: 'Reset sign-in…',
    remove: 'Remove…',
    endTitle: (name: string) => `This ends every session of ${name}.`,
    endText: 'They can sign in again at once. What they read is removed from their screens.',
    endAction: 'End the sessions',
    ending: 'Ending…',
    removeTitle: (name: string) => `This removes ${name} from the organization.`,
    removeText:
      'Their sessions end now and their grants and cases do not come back, not even when they become a member again. The log keeps what they did.',
    typeName: (name: string) => `Type “${name}” to confirm`,
    wrongName: 'This is another name.',
    removeAction: 'Remove the member',
    removing: 'Removing…',
  },
  {
    fr: {
      label: 'Membres, par nom',
      empty: 'Il n’y a pas de membre.',
      you: 'vous',
      since: 'membre depuis',
      seen: 'vu pour la dernière fois',
      away: 'sans session',
      noFactor: 'sans second facteur',
      count: (count: number) => counted(count, 'autorisation', 'autorisations'),
      change: 'Changer les autorisations…',
      endSessions: 'Terminer les sessions…',
      reset: 'Réinitialiser la connexion…',
      remove: 'Retirer…',
      endTitle: (name: string) => `Ceci termine toutes les sessions de ${name}.`,
      endText: 'La personne peut se reconnecter aussitôt. Ce qu’elle lisait est retiré de ses écrans.',
      endAction: 'Terminer les sessions',
      ending: 'Fin des sessions…',
      removeTitle: (name: string) => `Ceci retire ${name} de l’organisation.`,
      removeText:
        'Ses sessions se terminent maintenant ; ses droits et ses dossiers ne reviennent pas, même si elle redevient membre. Le journal garde ce qu’elle a fait.',
      typeName: (name: string) => `Tapez « ${name} » pour confirmer`,
      wrongName: 'C’est un autre nom.',
      removeAction: 'Retirer le membre',
      removing: 'Retrait…',
    },
  },
);

export function People() {
  const viewer = useViewer();
  const [open, setOpen] = useState<{
    readonly what: 'permissions' | 'sessions' | 'reset' | 'remove';
    readonly member: MemberNode;
  }>();
  const pages = usePages(['members'], MEMBERS, {}, ({ members }) => members);
  const close = () => setOpen(undefined);
  return (
    <>
      <PageHead title={PLACE_NAMES.people} action={<Invite />} />
      <Listing pages={pages} empty={words.empty}>
        {(nodes) => (
          <ul className="list" aria-label={words.label}>
            {nodes.map((member) => (
              <li key={member.id} className="item">
                <div>
                  <p>
                    <strong>{member.name}</strong> {member.id === viewer.user?.id && `(${words.you})`}
                  </p>
                  <p className="soft">
                    {member.email} · {words.count(countOf(member))} · {words.since} {dayText(member.addedAt)}{' '}
                    ·{' '}
                    {member.lastSeenAt === null ? (
                      words.away
                    ) : (
                      <>
                        {words.seen} <Time at={member.lastSeenAt} />
                      </>
                    )}
                  </p>
                  {!member.hasSecondFactor && <Badge tone="warn">{words.noFactor}</Badge>}
                </div>
                <div className="row">
                  <Button onPress={() => setOpen({ what: 'permissions', member })}>{words.change}</Button>
                  <Button onPress={() => setOpen({ what: 'sessions', member })}>{words.endSessions}</Button>
                  {member.id !== viewer.user?.id && (
                    <Button onPress={() => setOpen({ what: 'reset', member })}>{words.reset}</Button>
                  )}
                  <Button onPress={() => setOpen({ what: 'remove', member })}>{words.remove}</Button>
                </div>
              </li>
            ))}
          </ul>
        )}
      </Listing>
      <Invitations />
      <ErasePersonalValues />
      {open?.what === 'permissions' && (
        <ChangePermissions
          member={open.member}
          isOnlyManager={
            !pages.hasMore && isManager(open.member) && pages.nodes.filter(isManager).length === 1
          }
          onClose={close}
        />
      )}
      {open?.what === 'sessions' && <EndSessions member={open.member} onClose={close} />}
      {open?.what === 'reset' && <ResetSignIn member={open.member} onClose={close} />}
      {open?.what === 'remove' && <Remove member={open.member} onClose={close} />}
    </>
  );
}

const isManager = ({ permissions }: MemberNode) => permissions.owner.includes('members:manage');

const countOf = ({ permissions: { owner, applications } }: MemberNode): number =>
  owner.length +
  applications.reduce(
    (sum, { common, administrator, auditor }) => sum + common.length + administrator.length + auditor.length,
    0,
  );

interface Props {
  readonly member: MemberNode;
  readonly onClose: () => void;
}

function EndSessions({ member, onClose }: Props) {
  const action = useAction(() => run(END_SESSIONS, { memberId: member.id }));
  return (
    <Confirm
      title={words.endTitle(member.name)}
      action={words.endAction}
      busy={words.ending}
      isRunning={action.isRunning}
      problem={action.problem}
      onClose={onClose}
      onConfirm={() => void action.run(undefined, onClose)}
    >
      <p>{words.endText}</p>
    </Confirm>
  );
}

function Remove({ member, onClose }: Props) {
  const [typed, setTyped] = useState('');
  const [isWrong, setWrong] = useState(false);
  const action = useAction(() => run(REMOVE_MEMBER, { memberId: member.id }), [['members']]);
  return (
    <Confirm
      title={words.removeTitle(member.name)}
      action={words.removeAction}
      busy={words.removing}
      isDanger
      isRunning={action.isRunning}
      problem={action.problem}
      onClose={onClose}
      onConfirm={() => {
        setWrong(typed !== member.name);
        if (typed === member.name) void action.run(undefined, onClose);
      }}
    >
      <p>{words.removeText}</p>
      <Field name="name" label={words.typeName(member.name)} isRequired value={typed} onChange={setTyped} />
      <div role="status">{isWrong && <p className="field-error">{words.wrongName}</p>}</div>
    </Confirm>
  );
}
