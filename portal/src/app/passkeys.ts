import { GatewayError } from '../graphql/gateway-error';
import { texts } from '../texts.ts';

const words = texts(
  {
    refused: 'Your device did not create a passkey, or you canceled. Nothing has changed.',
    unused: 'Your device did not use a passkey, or you canceled.',
    missing:
      'This browser does not offer passkeys at this address. On this machine, open the portal as “localhost”.',
  },
  {
    fr: {
      refused: 'Votre appareil n’a créé aucune clé d’accès, ou vous avez annulé. Rien n’a changé.',
      unused: 'Votre appareil n’a utilisé aucune clé d’accès, ou vous avez annulé.',
      missing:
        'Ce navigateur n’offre pas de clés d’accès à cette adresse. Sur cette machine, ouvrez le portail sous le nom « localhost ».',
    },
  },
);

type Json = Record<string, unknown>;

/** Whether this browser can make and use passkeys on this page. */
const hasPasskeys = (): boolean =>
  typeof PublicKeyCredential === 'function' && 'parseCreationOptionsFromJSON' in PublicKeyCredential;

/** IPv4 in four parts, or IPv6 in brackets. */
const IP_ADDRESS = /^(?:[\d.]+|\[.*\])$/;

/** Why this page cannot make or use a passkey; undefined if it can. A passkey belongs to a name, never to an address. */
export const whyNoPasskeys = (): string | undefined =>
  hasPasskeys() && !IP_ADDRESS.test(location.hostname) ? undefined : words.missing;

/** Makes a passkey by the gateway's options; answers what the gateway takes. */
export async function makePasskey(options: Json): Promise<Json> {
  if (!hasPasskeys()) throw new GatewayError('PASSKEY', words.missing);
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  return answerOf(() => navigator.credentials.create({ publicKey }), words.refused);
}

/** Uses a passkey by the gateway's options; answers what the gateway takes. */
export async function provePasskey(options: Json): Promise<Json> {
  if (!hasPasskeys()) throw new GatewayError('PASSKEY', words.missing);
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  );
  return answerOf(() => navigator.credentials.get({ publicKey }), words.unused);
}

async function answerOf(ask: () => Promise<Credential | null>, refusal: string): Promise<Json> {
  const credential = await ask().catch((thrown: unknown) => {
    // Browsers have none where the host of the page is an address.
    if (thrown instanceof DOMException && thrown.name === 'SecurityError')
      throw new GatewayError('PASSKEY', words.missing);
    return null;
  });
  if (!(credential instanceof PublicKeyCredential)) throw new GatewayError('PASSKEY', refusal);
  return credential.toJSON() as unknown as Json;
}
