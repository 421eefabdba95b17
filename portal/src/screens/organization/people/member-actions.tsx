import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useViewer } from '../../../app/session';
import { Button } from '../../../design/button';
import { Confirm } from '../../../design/dialog';
import { useAction } from '../../../graphql/hooks';
import { request as run } from '../../../graphql/request';
import { texts } from '../../../texts.ts';
import { END_SESSIONS, REMOVE_MEMBER, type MemberNode } from '../documents';
import { ChangePermissions } from './change-permissions';
import { ResetSignIn } from './reset-sign-in';
import { isSameName } from './same-name.ts';
import { TypedName } from './typed-name';

const words = texts(
  {
    permissions: 'Change permissions…',
    sessions: 'End sessions…',
    reset: 'Reset sign-in…',
    remove: 'Remove…',
    endTitle: (name: string) => `This ends every session of ${name}.`,
    endText: 'They can sign in again immediately. Data is removed from their screens.',
    endAction: 'End the sessions',
    ending: 'Ending…',
    removeTitle: (name: string) => `This removes ${name} from the organization.`,
    removeText:
      'Their sessions end now, and their grants and cases are not restored, even if they become a member again. The log keeps what they did.',
    removeAction: 'Remove the member',
    removing: 'Removing…',
  },
  {
    fr: {
      permissions: 'Changer les autorisations…',
      sessions: 'Terminer les sessions…',
      reset: 'Réinitialiser la connexion…',
      remove: 'Retirer…',
      endTitle: (name: string) => `Ceci termine toutes les sessions de ${name}.`,
      endText: 'La personne peut se reconnecter aussitôt. Ce qu’elle lisait est retiré de ses écrans.',
      endAction: 'Terminer les sessions',
      ending: 'Fin des sessions…',
      removeTitle: (name: string) => `Ceci retire ${name} de l’organisation.`,
      removeText:
        'Ses sessions se terminent maintenant ; ses droits et ses dossiers ne reviennent pas, même si elle redevient membre. Le journal garde ce qu’elle a fait.',
      removeAction: 'Retirer le membre',
      removing: 'Retrait…',
    },
  },
);

/** What can be done about one member. */
export function MemberActions({ member }: { readonly member: MemberNode }) {
  const viewer = useViewer();
  const [open, setOpen] = useState<'permissions' | 'sessions' | 'reset' | 'remove'>();
  const close = () => setOpen(undefined);
  const button = (action: NonNullable<typeof open>) => (
    <Button label={`${words[action]} ${member.name}`} onPress={() => setOpen(action)}>
      {words[action]}
    </Button>
  );
  return (
    <div className="row">
      {button('permissions')}
      {button('sessions')}
      {member.id !== viewer.user?.id && button('reset')}
      {button('remove')}
      {open === 'permissions' && <ChangePermissions member={member} onClose={close} />}
      {open === 'sessions' && <EndSessions member={member} onClose={close} />}
      {open === 'reset' && <ResetSignIn member={member} onClose={close} />}
      {open === 'remove' && <Remove member={member} onClose={close} />}
    </div>
  );
}

interface Props {
  readonly member: MemberNode;
  readonly onClose: () => void;
}

function EndSessions({ member, onClose }: Props) {
  const action = useAction(() => run(END_SESSIONS, { memberId: member.id }), [['members'], ['member']]);
  return (
    <Confirm
      title={words.endTitle(member.name)}
      action={words.endAction}
      busy={words.ending}
      state={action}
      onClose={onClose}
      onConfirm={() => void action.run(undefined, onClose)}
    >
      <p>{words.endText}</p>
    </Confirm>
  );
}

function Remove({ member, onClose }: Props) {
  const [isWrong, setWrong] = useState(false);
  const navigate = useNavigate();
  const action = useAction(() => run(REMOVE_MEMBER, { memberId: member.id }), [['members']]);
  return (
    <Confirm
      title={words.removeTitle(member.name)}
      action={words.removeAction}
      busy={words.removing}
      isDanger
      state={action}
      onClose={onClose}
      onConfirm={(values) => {
        const isOther = !isSameName(values.text('typed'), member.name);
        setWrong(isOther);
        if (isOther) return;
        void action.run(undefined, () => {
          onClose();
          void navigate({ to: '/organization/people' });
        });
      }}
    >
      <p>{words.removeText}</p>
      <TypedName name={member.name} isWrong={isWrong} />
    </Confirm>
  );
}
