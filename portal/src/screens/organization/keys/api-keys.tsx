import { useState } from 'react';
import { holdsOwner, PLACE_NAMES } from '../../../app/places.ts';
import { useViewer } from '../../../app/session';
import { Button } from '../../../design/button';
import type { Received } from '../../../design/time-left.ts';
import { Confirm, Layer } from '../../../design/dialog';
import { Checkbox, Choices, Field } from '../../../design/fields';
import { Listing } from '../../../design/states';
import { Badge, Copy, Time } from '../../../design/values';
import { useAction, usePages } from '../../../graphql/hooks';
import { gatewayTime } from '../../../graphql/gateway-time.ts';
import { request as run } from '../../../graphql/request';
import { texts } from '../../../texts.ts';
import { API_KEYS, CREATE_KEY, REVOKE_KEY } from '../documents';
import { SecondPersonNote } from '../../second-person-note';
import { PageHead } from '../page';
import { SCOPE_TEXTS } from './api-key-scopes.ts';

const words = texts(
  {
    create: 'Create a key…',
    about: 'A backend sends its key as a bearer token. What it may do depends on the scopes of the key.',
    reference: 'API reference',
    label: 'API keys, oldest first',
    empty: 'There is no API key. A backend needs one to call the Asset API.',
    revoked: 'revoked',
    active: 'active',
    expired: 'expired',
    used: 'last used',
    never: 'never used',
    expires: 'ends',
    ended: 'ended',
    by: (name: string) => `created by ${name}`,
    byOperator: 'created by the operator',
    revoke: 'Revoke…',
    title: 'This creates an API key.',
    text: 'Anyone who has its secret can do what its scopes allow. The secret is shown once.',
    name: 'Name',
    scopes: 'Scopes',
    noScope: 'Choose at least one scope.',
    lastDay: 'Last day (UTC)',
    lastDayHint: 'Without one, the key never expires.',
    action: 'Create the key',
    busy: 'Creating…',
    secretTitle: 'Store the secret now',
    secretText: 'It is shown only once: the gateway stores only its hash.',
    stored: 'I have stored it',
    theSecret: 'the secret',
    revokeTitle: (name: string) => `This revokes the key “${name}”.`,
    revokeText: 'Every request with it is refused from now on. This cannot be undone.',
    revokeAction: 'Revoke the key',
    revoking: 'Revoking…',
  },
  {
    fr: {
      create: 'Créer une clé…',
      about:
        'Un service envoie sa clé comme jeton porteur. Ce qu’il peut faire dépend des portées de la clé.',
      reference: 'Référence de l’API',
      label: 'Clés d’API, la plus ancienne d’abord',
      empty: 'Il n’y a pas de clé d’API. Un service en a besoin pour appeler l’API des actifs.',
      revoked: 'révoquée',
      active: 'active',
      expired: 'expirée',
      used: 'dernier usage',
      never: 'jamais utilisée',
      expires: 'expire le',
      ended: 'a expiré le',
      by: (name: string) => `créée par ${name}`,
      byOperator: 'créée par l’opérateur',
      revoke: 'Révoquer…',
      title: 'Ceci crée une clé d’API.',
      text: 'Qui a son secret peut faire ce que ses portées permettent. Le secret est montré une seule fois.',
      name: 'Nom',
      scopes: 'Portées',
      noScope: 'Choisissez au moins une portée.',
      lastDay: 'Dernier jour (UTC)',
      lastDayHint: 'Sans dernier jour, la clé n’expire jamais.',
      action: 'Créer la clé',
      busy: 'Création…',
      secretTitle: 'Conservez le secret maintenant',
      secretText: 'Il n’est montré qu’une fois : la passerelle n’en garde que l’empreinte.',
      stored: 'Je l’ai conservé',
      theSecret: 'le secret',
      revokeTitle: (name: string) => `Ceci révoque la clé « ${name} ».`,
      revokeText: 'Toute requête faite avec elle est refusée dès maintenant. C’est irréversible.',
      revokeAction: 'Révoquer la clé',
      revoking: 'Révocation…',
    },
  },
);

/** As of when the list was read, by the gateway's clock. */
const hasExpired = ({
  expiresAt,
  received,
}: {
  readonly expiresAt: string | null;
  readonly received: Received;
}): boolean => expiresAt !== null && Date.parse(expiresAt) <= gatewayTime(received.wall);

export function Keys() {
  const { permissions } = useViewer();
  const [open, setOpen] = useState<'create' | { readonly id: string; readonly name: string }>();
  const [secret, setSecret] = useState<string>();
  const [lacksScope, setLacksScope] = useState(false);
  const pages = usePages(['apiKeys'], API_KEYS, {}, ({ apiKeys }) => apiKeys);
  const create = useAction(
    (input: { name: string; scopes: string[]; expiresAt?: string }) => run(CREATE_KEY, { input }),
    [['apiKeys']],
  );
  const revoke = useAction((id: string) => run(REVOKE_KEY, { id }), [['apiKeys']]);
  const close = () => {
    setOpen(undefined);
    setLacksScope(false);
    create.reset();
    revoke.reset();
  };
  return (
    <>
      <PageHead
        title={PLACE_NAMES.keys}
        action={
          holdsOwner(permissions, 'api_keys:manage') && (
            <Button variant="primary" onPress={() => setOpen('create')}>
              {words.create}
            </Button>
          )
        }
      />
      <p className="soft">
        {words.about} <a href="/docs">{words.reference}</a>
      </p>
      <Listing pages={pages} empty={words.empty}>
        {(nodes) => (
          <ul className="list" aria-label={words.label}>
            {nodes.map((key) => (
              <li key={key.id} className="item">
                <div>
                  <p>
                    <strong>{key.name}</strong> <code>{key.displayPrefix}…</code>
                  </p>
                  <p className="soft">
                    {key.scopes.join(', ')} ·{' '}
                    {key.creator === null ? words.byOperator : words.by(key.creator.name)} ·{' '}
                    {key.lastUsedAt === null ? (
                      words.never
                    ) : (
                      <>
                        {words.used} <Time at={key.lastUsedAt} />
                      </>
                    )}
                    {key.expiresAt !== null && (
                      <>
                        {' '}
                        · {hasExpired(key) ? words.ended : words.expires} <Time at={key.expiresAt} />
                      </>
                    )}
                  </p>
                </div>
                <div className="row">
                  {key.revokedAt === null ? (
                    <>
                      {hasExpired(key) ? (
                        <Badge tone="warn">{words.expired}</Badge>
                      ) : (
                        <Badge tone="good">{words.active}</Badge>
                      )}
                      <Button label={`${words.revoke} ${key.name}`} onPress={() => setOpen(key)}>
                        {words.revoke}
                      </Button>
                    </>
                  ) : (
                    <Badge>{words.revoked}</Badge>
                  )}
                </div>
              </li>
            ))}
          </ul>
        )}
      </Listing>
      {open === 'create' && (
        <Confirm
          title={words.title}
          action={words.action}
          busy={words.busy}
          state={create}
          onClose={close}
          onConfirm={(values) => {
            const scopes = values.all('scopes');
            if (scopes.length === 0) {
              setLacksScope(true);
              document.getElementsByName('scopes')[0]?.focus();
              return;
            }
            const lastDay = values.text('expiresAt');
            void create.run(
              {
                name: values.text('name'),
                scopes,
                ...(lastDay === '' ? {} : { expiresAt: `${lastDay}T23:59:59.999Z` }),
              },
              ({ createApiKey }) => {
                close();
                setSecret(createApiKey.secret);
              },
            );
          }}
        >
          <p>{words.text}</p>
          <SecondPersonNote />
          <Field name="name" label={words.name} isRequired maxLength={128} />
          <Field
            name="expiresAt"
            type="date"
            label={words.lastDay}
            hint={words.lastDayHint}
            min={new Date().toISOString().slice(0, 10)}
          />
          <Choices legend={words.scopes} problem={lacksScope ? words.noScope : undefined}>
            {Object.entries(SCOPE_TEXTS).map(([scope, allows]) => (
              <Checkbox
                key={scope}
                name="scopes"
                value={scope}
                label={scope}
                hint={allows}
                onChange={() => setLacksScope(false)}
              />
            ))}
          </Choices>
        </Confirm>
      )}
      {typeof open === 'object' && (
        <Confirm
          title={words.revokeTitle(open.name)}
          action={words.revokeAction}
          busy={words.revoking}
          isDanger
          state={revoke}
          onClose={close}
          onConfirm={() => void revoke.run(open.id, close)}
        >
          <p>{words.revokeText}</p>
        </Confirm>
      )}
      {secret !== undefined && (
        // Nothing but its button closes it: a secret that slipped away is lost.
        <Layer title={words.secretTitle} isAlert isDismissable={false} onClose={() => undefined}>
          <p>{words.secretText}</p>
          <p className="mono" aria-label={words.theSecret} role="group">
            {secret}
          </p>
          <div className="row end">
            <Copy value={secret} what={words.theSecret} />
            <Button variant="primary" onPress={() => setSecret(undefined)}>
              {words.stored}
            </Button>
          </div>
        </Layer>
      )}
    </>
  );
}
