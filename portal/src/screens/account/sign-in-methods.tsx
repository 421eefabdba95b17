import { useState } from 'react';
import { makePasskey, whyNoPasskeys } from '../../app/passkeys';
import { useViewer } from '../../app/session';
import { Button } from '../../design/button';
import { Confirm, FormLayer } from '../../design/dialog';
import { Field } from '../../design/fields';
import { Username } from '../../design/new-password';
import { Await, Card, Notice, Problem } from '../../design/states';
import { Copy, Time } from '../../design/values';
import { graphql } from '../../graphql/document';
import { useAction, useRead } from '../../graphql/hooks';
import { request as run } from '../../graphql/request';
import { texts } from '../../texts.ts';
import { QrPicture } from './qr-picture';
import { useSignInAgain } from './sign-in-again';
import { RecoveryCodes } from './recovery-codes';

const FACTORS = graphql(`
  query SignInMethods {
    secondFactor {
      required
      provenAt
      password
      totp
      passkeys
      recoveryCodes
    }
    passkeys {
      id
      name
      createdAt
      lastUsedAt
    }
  }
`);
const PROPOSE_PASSKEY = graphql(`
  mutation ProposePasskey {
    proposePasskey
  }
`);
const ADD_PASSKEY = graphql(`
  mutation AddPasskey($input: AddPasskeyInput!) {
    addPasskey(input: $input) {
      id
    }
  }
`);
const REMOVE_PASSKEY = graphql(`
  mutation RemovePasskey($id: ID!) {
    removePasskey(id: $id)
  }
`);
const PROPOSE_TOTP = graphql(`
  mutation ProposeTotp {
    proposeTotp {
      secret
      uri
    }
  }
`);
const ENABLE_TOTP = graphql(`
  mutation EnableTotp($input: EnableTotpInput!) {
    enableTotp(input: $input)
  }
`);
const DISABLE_TOTP = graphql(`
  mutation DisableTotp($input: DisableTotpInput!) {
    disableTotp(input: $input)
  }
`);

const words = texts(
  {
    title: 'Second factor',
    required:
      'Your organization requires a second factor. Until you add or prove one, you can do nothing else here.',
    passkeys: 'Passkeys',
    noPasskey: 'You have no passkey.',
    added: 'added',
    used: 'last used',
    add: 'Add a passkey…',
    addText: 'Your other sessions end. From then on your password alone no longer signs you in.',
    name: 'Name of the passkey',
    password: 'Your password',
    passwordHint: 'Needed only while you have no second factor yet.',
    adding: 'Adding…',
    addAction: 'Add the passkey',
    remove: 'Remove…',
    removeTitle: (name: string) => `This removes the passkey “${name}”.`,
    removeText: 'It no longer signs you in, and your other sessions end.',
    removeAction: 'Remove the passkey',
    removing: 'Removing…',
    totp: 'One-time codes',
    totpOn: 'On: each sign-in requires a code.',
    totpOff: 'Off: sign-in requires no code.',
    enable: 'Turn on one-time codes…',
    proposing: 'Creating a secret…',
    enableText:
      'Scan this code or enter the secret in your authenticator, then the code that it shows. All your sessions end, including this one.',
    qr: 'The secret as a QR code',
    secret: 'Secret:',
    theSecret: 'the secret',
    open: 'Open it in an authenticator on this device',
    code: 'One-time code',
    enableAction: 'Turn them on',
    disable: 'Turn off one-time codes…',
    disableText: 'All your sessions end, including this one.',
    disableAction: 'Turn them off',
    saving: 'Saving…',
  },
  {
    fr: {
      title: 'Second facteur',
      required:
        'Votre organisation exige un second facteur. Tant que vous n’en avez pas ajouté ou prouvé un, vous ne pouvez rien faire d’autre ici.',
      passkeys: 'Clés d’accès',
      noPasskey: 'Vous n’avez pas de clé d’accès.',
      added: 'ajoutée',
      used: 'dernière utilisation',
      add: 'Ajouter une clé d’accès…',
      addText:
        'Vos autres sessions se terminent. Ensuite, votre mot de passe seul ne suffit plus pour vous connecter.',
      name: 'Nom de la clé d’accès',
      password: 'Votre mot de passe',
      passwordHint: 'Nécessaire seulement tant que vous n’avez pas de second facteur.',
      adding: 'Ajout…',
      addAction: 'Ajouter la clé d’accès',
      remove: 'Retirer…',
      removeTitle: (name: string) => `Ceci retire la clé d’accès « ${name} ».`,
      removeText: 'Elle ne vous connecte plus, et vos autres sessions se terminent.',
      removeAction: 'Retirer la clé d’accès',
      removing: 'Retrait…',
      totp: 'Codes à usage unique',
      totpOn: 'Une application d’authentification est demandée à chaque connexion.',
      totpOff: 'Désactivés : aucun code n’est demandé à la connexion.',
      enable: 'Activer les codes à usage unique…',
      proposing: 'Création d’un secret…',
      enableText:
        'Scannez ce code ou saisissez le secret dans votre application d’authentification, puis le code qu’elle affiche. Toutes vos sessions se terminent, celle-ci aussi.',
      qr: 'Le secret en code QR',
      secret: 'Secret :',
      theSecret: 'le secret',
      open: 'L’ouvrir dans une application d’authentification de cet appareil',
      code: 'Code à usage unique',
      enableAction: 'Les activer',
      disable: 'Désactiver les codes à usage unique…',
      disableText: 'Toutes vos sessions se terminent, celle-ci aussi.',
      disableAction: 'Les désactiver',
      saving: 'Enregistrement…',
    },
  },
);

export function SignInMethods() {
  const viewer = useViewer();
  const reading = useRead(['secondFactor'], FACTORS, {});
  const [open, setOpen] = useState<
    | 'add'
    | 'disable'
    | { readonly id: string; readonly name: string }
    | { readonly secret: string; readonly uri: string }
  >();
  const changed = [['secondFactor'], ['sessions'], ['pendingWork']];
  const add = useAction(async (input: { name: string; password: string }) => {
    const { proposePasskey } = await run(PROPOSE_PASSKEY, {});
    const response = await makePasskey(proposePasskey);
    const { name, password } = input;
    await run(ADD_PASSKEY, { input: { name, response, ...(password === '' ? {} : { password }) } });
  }, changed);
  const remove = useAction((id: string) => run(REMOVE_PASSKEY, { id }), changed);
  const propose = useAction(() => run(PROPOSE_TOTP, {}));
  const enable = useAction((input: { password: string; secret: string; totp: string }) =>
    run(ENABLE_TOTP, { input }),
  );
  const disable = useAction((input: { password: string; totp: string }) => run(DISABLE_TOTP, { input }));
  const signInAgain = useSignInAgain();
  const cannot = whyNoPasskeys();
  const close = () => {
    setOpen(undefined);
    for (const action of [add, remove, enable, disable]) action.reset();
  };
  return (
    <Card title={words.title}>
      <Await reading={reading}>
        {({ data: { secondFactor, passkeys } }) => (
          <>
            {secondFactor.required && secondFactor.provenAt === null && (
              <Notice tone="warn">{words.required}</Notice>
            )}
            <h3>{words.passkeys}</h3>
            {passkeys.length === 0 ? (
              <p>{words.noPasskey}</p>
            ) : (
              <ul className="list" aria-label={words.passkeys}>
                {passkeys.map((passkey) => (
                  <li key={passkey.id} className="item">
                    <div>
                      <p>
                        <strong>{passkey.name}</strong>
                      </p>
                      <p className="soft">
                        {words.added} <Time at={passkey.createdAt} />
                        {passkey.lastUsedAt !== null && (
                          <>
                            , {words.used} <Time at={passkey.lastUsedAt} />
                          </>
                        )}
                      </p>
                    </div>
                    <Button label={`${words.remove} ${passkey.name}`} onPress={() => setOpen(passkey)}>
                      {words.remove}
                    </Button>
                  </li>
                ))}
              </ul>
            )}
            {cannot !== undefined && <p>{cannot}</p>}
            <div>
              <Button onPress={() => setOpen('add')}>{words.add}</Button>
            </div>
            <h3>{words.totp}</h3>
            <p>{secondFactor.totp ? words.totpOn : words.totpOff}</p>
            {propose.problem && <Problem problem={propose.problem} />}
            <div>
              {secondFactor.totp ? (
                <Button onPress={() => setOpen('disable')}>{words.disable}</Button>
              ) : (
                <Button
                  busy={propose.isRunning && words.proposing}
                  onPress={() => void propose.run(undefined, ({ proposeTotp }) => setOpen(proposeTotp))}
                >
                  {words.enable}
                </Button>
              )}
            </div>
            <RecoveryCodes
              count={secondFactor.recoveryCodes}
              hasFactor={secondFactor.totp || passkeys.length > 0}
            />
          </>
        )}
      </Await>
      {open === 'add' && (
        <FormLayer
          title={words.addAction}
          action={words.addAction}
          busy={words.adding}
          state={add}
          onClose={close}
          onSubmit={(values) =>
            void add.run({ name: values.text('name'), password: values.password('password') }, close)
          }
        >
          <p>{words.addText}</p>
          <Username email={viewer.user?.email} />
          <Field name="name" label={words.name} isRequired maxLength={64} />
          <Field
            name="password"
            type="password"
            label={words.password}
            hint={words.passwordHint}
            autoComplete="current-password"
          />
        </FormLayer>
      )}
      {typeof open === 'object' && 'id' in open && (
        <Confirm
          title={words.removeTitle(open.name)}
          action={words.removeAction}
          busy={words.removing}
          isDanger
          state={remove}
          onClose={close}
          onConfirm={() => void remove.run(open.id, close)}
        >
          <p>{words.removeText}</p>
        </Confirm>
      )}
      {typeof open === 'object' && 'secret' in open && (
        <FormLayer
          title={words.totp}
          action={words.enableAction}
          busy={words.saving}
          state={enable}
          onClose={close}
          onSubmit={(values) =>
            void enable.run(
              {
                secret: open.secret,
                password: values.password('password'),
                totp: values.text('totp'),
              },
              signInAgain,
            )
          }
        >
          <p>{words.enableText}</p>
          <QrPicture text={open.uri} label={words.qr} />
          <p>
            {words.secret} <code className="mono">{open.secret}</code>{' '}
            <Copy value={open.secret} what={words.theSecret} />
          </p>
          <p>
            <a href={open.uri}>{words.open}</a>
          </p>
          <Username email={viewer.user?.email} />
          <Field name="totp" label={words.code} isRequired inputMode="numeric" autoComplete="one-time-code" />
          <Field name="password" type="password" label={words.password} autoComplete="current-password" />
        </FormLayer>
      )}
      {open === 'disable' && (
        <FormLayer
          title={words.totp}
          action={words.disableAction}
          busy={words.saving}
          state={disable}
          onClose={close}
          onSubmit={(values) =>
            void disable.run(
              { password: values.password('password'), totp: values.text('totp') },
              signInAgain,
            )
          }
        >
          <p>{words.disableText}</p>
          <Username email={viewer.user?.email} />
          <Field name="totp" label={words.code} isRequired inputMode="numeric" autoComplete="one-time-code" />
          <Field name="password" type="password" label={words.password} autoComplete="current-password" />
        </FormLayer>
      )}
    </Card>
  );
}
