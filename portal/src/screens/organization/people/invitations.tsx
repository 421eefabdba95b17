import { useState } from 'react';
import { Button } from '../../../design/button';
import { Confirm } from '../../../design/dialog';
import { Card, WhereAny } from '../../../design/states';
import { Time } from '../../../design/values';
import { graphql, type GrantedOf } from '../../../graphql/document';
import { useAction, useEvery } from '../../../graphql/hooks';
import { request as run } from '../../../graphql/request';
import { texts } from '../../../texts.ts';

const INVITATIONS = graphql(`
  query Invitations($after: String) {
    invitations(first: 100, after: $after) {
      nodes {
        id
        email
        name
        userId
        expiresAt
        acceptedAt
        revokedAt
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
const REVOKE = graphql(`
  mutation RevokeInvitation($id: ID!) {
    revokeInvitation(id: $id) {
      id
    }
  }
`);

const words = texts(
  {
    title: 'Links that still work',
    invitation: 'invitation',
    reset: 'new sign-in of a member',
    until: 'until',
    revoke: 'Revoke…',
    of: (name: string) => `Revoke… the link of ${name}`,
    revoking: 'Revoking…',
    confirmTitle: (name: string) => `This ends the link of ${name}.`,
    text: 'Who has it cannot use it anymore. A new link can be created.',
    action: 'Revoke the link',
  },
  {
    fr: {
      title: 'Liens encore valables',
      invitation: 'invitation',
      reset: 'nouvelle connexion d’un membre',
      until: 'jusqu’au',
      revoke: 'Révoquer…',
      of: (name: string) => `Révoquer… le lien de ${name}`,
      revoking: 'Révocation…',
      confirmTitle: (name: string) => `Ceci met fin au lien de ${name}.`,
      text: 'Qui l’a ne peut plus s’en servir. Un nouveau lien peut être créé.',
      action: 'Révoquer le lien',
    },
  },
);

type Invited = GrantedOf<typeof INVITATIONS>['invitations']['nodes'][number];

/** Invitations and new sign-ins whose link nobody has used yet. */
export function Invitations() {
  // All of them: a link that still works is not hidden by newer ones that were used.
  const reading = useEvery(['invitations'], INVITATIONS, {}, ({ invitations }) => invitations);
  const [revoked, setRevoked] = useState<{ readonly id: string; readonly name: string }>();
  const revoke = useAction((id: string) => run(REVOKE, { id }), [['invitations']]);
  const close = () => {
    setRevoked(undefined);
    revoke.reset();
  };
  const isOpen = ({ acceptedAt, revokedAt, expiresAt }: Invited) =>
    acceptedAt === null && revokedAt === null && Date.parse(expiresAt) > reading.dataUpdatedAt;
  return (
    <>
      <WhereAny title={words.title} reading={reading}>
        {(every) => {
          const open = every.filter(isOpen);
          return (
            open.length > 0 && (
              <Card title={words.title}>
                <ul className="list" aria-label={words.title}>
                  {open.map(({ id, name, email, userId, expiresAt }) => (
                    <li key={id} className="item">
                      <div>
                        <p>
                          <strong>{name}</strong> <span className="soft">{email}</span>
                        </p>
                        <p className="soft">
                          {userId === null ? words.invitation : words.reset}, {words.until}{' '}
                          <Time at={expiresAt} />
                        </p>
                      </div>
                      <Button label={words.of(name)} onPress={() => setRevoked({ id, name })}>
                        {words.revoke}
                      </Button>
                    </li>
                  ))}
                </ul>
              </Card>
            )
          );
        }}
      </WhereAny>
      {revoked && (
        <Confirm
          title={words.confirmTitle(revoked.name)}
          action={words.action}
          busy={words.revoking}
          isDanger
          state={revoke}
          onClose={close}
          onConfirm={() => void revoke.run(revoked.id, close)}
        >
          <p>{words.text}</p>
        </Confirm>
      )}
    </>
  );
}
