import { useState } from 'react';
import { Confirm } from '../../../design/dialog';
import { graphql } from '../../../graphql/document';
import { useAction } from '../../../graphql/hooks';
import { request as run } from '../../../graphql/request';
import { texts } from '../../../texts.ts';
import type { MemberNode } from '../documents';
import { IssuedLink, type Issued } from './issued-link';

const RESET = graphql(`
  mutation ResetMemberSignIn($memberId: ID!) {
    resetMemberSignIn(memberId: $memberId) {
      link
      invitation {
        email
      }
    }
  }
`);

const words = texts(
  {
    title: (name: string) => `This lets ${name} sign in again.`,
    text: 'They choose a new password or passkey by a link. When they do, the old ways to sign in end, their second factor too.',
    action: 'Create the link',
    busy: 'Creating…',
  },
  {
    fr: {
      title: (name: string) => `Ceci permet à ${name} de se connecter à nouveau.`,
      text: 'La personne choisit un nouveau mot de passe ou une clé d’accès par un lien. Alors les anciens moyens de connexion prennent fin, son second facteur aussi.',
      action: 'Créer le lien',
      busy: 'Création…',
    },
  },
);

/** For a member who has lost their sign-in method. */
export function ResetSignIn({
  member,
  onClose,
}: {
  readonly member: MemberNode;
  readonly onClose: () => void;
}) {
  const [issued, setIssued] = useState<Issued>();
  const action = useAction(
    () => run(RESET, { memberId: member.id }),
    [['invitations'], ['pendingPermissionGrants']],
  );
  if (issued) return <IssuedLink issued={issued} onClose={onClose} />;
  return (
    <Confirm
      title={words.title(member.name)}
      action={words.action}
      busy={words.busy}
      isDanger
      state={action}
      onClose={onClose}
      onConfirm={() =>
        void action.run(undefined, ({ resetMemberSignIn: { link, invitation } }) =>
          setIssued({ link, email: invitation.email }),
        )
      }
    >
      <p>{words.text}</p>
    </Confirm>
  );
}
