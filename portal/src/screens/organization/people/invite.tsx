import { useState } from 'react';
import { Button } from '../../../design/button';
import { FormLayer } from '../../../design/dialog';
import { Field } from '../../../design/fields';
import { graphql } from '../../../graphql/document';
import { useAction } from '../../../graphql/hooks';
import { request as run } from '../../../graphql/request';
import { texts } from '../../../texts.ts';
import { IssuedLink, type Issued } from './issued-link';

const INVITE = graphql(`
  mutation InviteMember($input: InviteMemberInput!) {
    inviteMember(input: $input) {
      link
      invitation {
        email
      }
    }
  }
`);

const words = texts(
  {
    open: 'Invite a person…',
    title: 'Invite a person',
    text: 'This creates a link that works once, for 72 hours. With it, the person chooses how to sign in. Grant permissions afterwards.',
    email: 'E-mail address',
    name: 'Name',
    action: 'Create the invitation',
    busy: 'Inviting…',
  },
  {
    fr: {
      open: 'Inviter une personne…',
      title: 'Inviter une personne',
      text: 'Ceci crée un lien valable une fois, pendant 72 heures. Avec lui, la personne choisit comment se connecter. Accordez les autorisations ensuite.',
      email: 'Adresse e-mail',
      name: 'Nom',
      action: 'Créer l’invitation',
      busy: 'Invitation…',
    },
  },
);

export function Invite() {
  const [isOpen, setOpen] = useState(false);
  const [issued, setIssued] = useState<Issued>();
  const invite = useAction(
    (input: { email: string; name: string }) => run(INVITE, { input }),
    [['invitations']],
  );
  const close = () => {
    setOpen(false);
    invite.reset();
  };
  return (
    <>
      <Button variant="primary" onPress={() => setOpen(true)}>
        {words.open}
      </Button>
      {isOpen && (
        <FormLayer
          title={words.title}
          action={words.action}
          busy={words.busy}
          state={invite}
          onClose={close}
          onSubmit={(values) =>
            void invite.run(
              { email: values.text('email'), name: values.text('name') },
              ({ inviteMember }) => {
                setIssued({ link: inviteMember.link, email: inviteMember.invitation.email });
                close();
              },
            )
          }
        >
          <p>{words.text}</p>
          <Field name="email" type="email" label={words.email} isRequired />
          <Field name="name" label={words.name} isRequired maxLength={128} />
        </FormLayer>
      )}
      {issued && <IssuedLink issued={issued} onClose={() => setIssued(undefined)} />}
    </>
  );
}
