import { useState } from 'react';
import { Connection } from '../app/connection';
import { makePasskey, whyNoPasskeys } from '../app/passkeys';
import { useGo } from '../app/go';
import { begin } from '../app/session';
import { Button } from '../design/button';
import { Form } from '../design/fields';
import { NewPassword, Username } from '../design/new-password';
import { OutsidePage } from '../design/outside-page';
import { Await, Card, isGone, Notice, Problem } from '../design/states';
import { Fact, Facts } from '../design/table';
import { Time } from '../design/values';
import { graphql, type GrantedOf } from '../graphql/document';
import { useAction, useRead } from '../graphql/hooks';
import { request } from '../graphql/request';
import { texts } from '../texts.ts';

const OPEN_INVITATION = graphql(`
  query OpenInvitation($token: String!) {
    openInvitation(token: $token) {
      organization
      invitedBy
      name
      email
      isNewMember
      expiresAt
    }
  }
`);
const PROPOSE = graphql(`
  mutation ProposeInvitationPasskey($token: String!) {
    proposeInvitationPasskey(token: $token)
  }
`);
const ACCEPT = graphql(`
  mutation AcceptInvitation($input: AcceptInvitationInput!) {
    acceptInvitation(input: $input) {
      user {
        id
      }
    }
  }
`);

const words = texts(
  {
    title: 'Your invitation',
    invites: (organization: string) => `${organization} invites you to its portal.`,
    resets: (organization: string) => `${organization} asks you to choose a new way to sign in.`,
    by: 'Sent by',
    operator: 'the operator of the gateway',
    invited: 'For',
    until: 'Valid until',
    unexpected: 'If you do not know the sender, close this page: nothing happens until you choose.',
    text: 'Choose your sign-in method. No one else can see it, not even the person who invited you.',
    passkeyText: 'A passkey is unlocked by your device, and cannot be guessed or entered on a fake page.',
    passkey: 'Create a passkey on this device',
    or: 'Or choose a password',
    password: 'Password, at least 12 characters',
    action: 'Accept the invitation',
    busy: 'Accepting…',
    gone: 'This link was used, replaced or revoked, or it has expired. Ask the sender for a new one.',
    name: 'This device',
  },
  {
    fr: {
      title: 'Votre invitation',
      invites: (organization: string) => `${organization} vous invite sur son portail.`,
      resets: (organization: string) =>
        `${organization} vous demande de choisir comment vous connecter désormais.`,
      by: 'De la part de',
      operator: 'l’opérateur de la passerelle',
      invited: 'Pour',
      until: 'Valable jusqu’au',
      unexpected:
        'Si vous ne connaissez pas l’expéditeur, fermez cette page : rien ne se passe tant que vous n’avez pas choisi.',
      text: 'Choisissez comment vous vous connecterez. Personne d’autre ne l’apprend, pas même qui vous a invité.',
      passkeyText:
        'Une clé d’accès est déverrouillée par votre appareil. Elle ne peut être ni devinée, ni donnée à une fausse page.',
      passkey: 'Créer une clé d’accès sur cet appareil',
      or: 'Ou choisissez un mot de passe',
      password: 'Mot de passe, au moins 12 caractères',
      action: 'Accepter l’invitation',
      busy: 'Acceptation…',
      gone: 'Ce lien a été utilisé, remplacé ou retiré, ou il a expiré. Demandez-en un nouveau à qui vous l’a donné.',
      name: 'Cet appareil',
    },
  },
);

/** The token is in the fragment, which no server sees; it is removed from the address immediately. */
function useToken(): string {
  const [token] = useState(() => {
    const taken = location.hash.slice(1);
    history.replaceState(history.state, '', location.pathname);
    return taken;
  });
  return token;
}

type OpenInvitation = GrantedOf<typeof OPEN_INVITATION>['openInvitation'];

export function Invitation() {
  const token = useToken();
  const reading = useRead(['openInvitation', token], OPEN_INVITATION, { token });
  return (
    <OutsidePage title={words.title}>
      <Connection />
      {isGone(reading.error) ? (
        <Notice tone="warn" isLive>
          <p>{words.gone}</p>
        </Notice>
      ) : (
        <Await reading={reading}>
          {({ data: { openInvitation } }) => <Accept token={token} invitation={openInvitation} />}
        </Await>
      )}
    </OutsidePage>
  );
}

function Accept({ token, invitation }: { readonly token: string; readonly invitation: OpenInvitation }) {
  const go = useGo();
  const accept = useAction(async (password: string | undefined) => {
    if (password === undefined) {
      const { proposeInvitationPasskey } = await request(PROPOSE, { token });
      const response = await makePasskey(proposeInvitationPasskey);
      await request(ACCEPT, { input: { token, passkey: { name: words.name, response } } });
    } else {
      await request(ACCEPT, { input: { token, password } });
    }
    await begin();
  });
  const enter = () => go('/');
  const cannot = whyNoPasskeys();
  const isOfPassword = accept.problem?.members.some(({ member }) => member.endsWith('password')) === true;
  const { organization, invitedBy, name, email, isNewMember, expiresAt } = invitation;
  return (
    <>
      <Card>
        <p>
          <strong>{isNewMember ? words.invites(organization) : words.resets(organization)}</strong>
        </p>
        <Facts>
          <Fact name={words.by}>{invitedBy ?? words.operator}</Fact>
          <Fact name={words.invited}>
            {name}
            <span className="soft block">{email}</span>
          </Fact>
          <Fact name={words.until}>
            <Time at={expiresAt} />
          </Fact>
        </Facts>
        <p className="soft">{words.unexpected}</p>
      </Card>
      <p>{words.text}</p>
      {accept.problem && !isOfPassword && (
        <Problem problem={accept.problem}>
          {accept.problem.code === 'NOT_FOUND' ? words.gone : undefined}
        </Problem>
      )}
      <p className="soft">{words.passkeyText}</p>
      {cannot !== undefined && <p>{cannot}</p>}
      <div>
        <Button
          variant="primary"
          busy={accept.isRunning && words.busy}
          onPress={() => void accept.run(undefined, enter)}
        >
          {words.passkey}
        </Button>
      </div>
      <h2>{words.or}</h2>
      <Form
        problem={isOfPassword ? accept.problem : undefined}
        onSubmit={(values) => void accept.run(values.password('password'), enter)}
      >
        <Username email={email} />
        <NewPassword name="password" label={words.password} />
        <div>
          <Button type="submit" busy={accept.isRunning && words.busy}>
            {words.action}
          </Button>
        </div>
      </Form>
    </>
  );
}
