import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { generateKeyPairSync } from 'node:crypto';
import Provider, { type Adapter, type AdapterPayload } from 'oidc-provider';
import { listen } from '../../../kit/process/local-server.js';

export interface Person {
  readonly subject: string;
  readonly email: string;
  readonly emailVerified: boolean;
  /** The authentication methods that the provider used (RFC 8176). */
  readonly amr?: readonly string[];
}

export interface TestProvider extends AsyncDisposable {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The next visitor is this person, without a login form. */
  person: Person;
  /** Registers the client when the gateway's URL is known. */
  begin(redirectUri: string): void;
}

/** `oidc-provider`, certified by the OpenID Foundation, on loopback, without login forms. */
export async function startTestProvider(person: Person): Promise<TestProvider> {
  let handle = (_request: IncomingMessage, response: ServerResponse) => void response.writeHead(503).end();
  const server = createServer((request, response) => handle(request, response));
  const issuer = `http://127.0.0.1:${await listen(server)}`;
  const known = { clientId: 'lucarne', clientSecret: 'a secret of the test client' };

  const running: TestProvider = {
    issuer,
    ...known,
    person,
    begin(redirectUri) {
      const provider = makeProvider(issuer, known, redirectUri, () => running.person);
      const callback = provider.callback();
      handle = (request, response) => {
        const uid = /^\/interaction\/([\w-]+)$/.exec(request.url ?? '')?.[1];
        if (uid === undefined) void callback(request, response);
        else void interact(provider, request, response, running.person);
      };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return running;
}

function makeProvider(
  issuer: string,
  { clientId, clientSecret }: { readonly clientId: string; readonly clientSecret: string },
  redirectUri: string,
  person: () => Person,
): Provider {
  const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
  const stored = new Map<string, AdapterPayload>();
  return new Provider(issuer, {
    adapter: (name) => inMemory(stored, name),
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri] }],
    jwks: { keys: [{ ...key, kty: 'RSA', use: 'sig', alg: 'RS256', kid: 'test' }] },
    cookies: { keys: ['a key of the test'] },
    claims: { openid: ['sub', 'amr'], email: ['email', 'email_verified'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      IdToken: 600,
      Interaction: 600,
      Session: 600,
      Grant: 600,
    },
    findAccount: (_context, accountId) => ({
      accountId,
      claims: () => ({ sub: accountId, email: person().email, email_verified: person().emailVerified }),
    }),
  });
}

// The library's adapter in memory prints a warning on standard error.
function inMemory(stored: Map<string, AdapterPayload>, name: string): Adapter {
  const key = (id: string) => `${name}:${id}`;
  const findBy = (member: 'uid' | 'userCode', value: string) =>
    Promise.resolve(
      [...stored].find(([id, payload]) => id.startsWith(`${name}:`) && payload[member] === value)?.[1],
    );
  return {
    upsert: (id, payload) => Promise.resolve(void stored.set(key(id), payload)),
    find: (id) => Promise.resolve(stored.get(key(id))),
    findByUid: (uid) => findBy('uid', uid),
    findByUserCode: (userCode) => findBy('userCode', userCode),
    consume: (id) => Promise.resolve(void Object.assign(stored.get(key(id)) ?? {}, { consumed: true })),
    destroy: (id) => Promise.resolve(void stored.delete(key(id))),
    revokeByGrantId(grantId) {
      for (const [id, payload] of stored) if (payload.grantId === grantId) stored.delete(id);
      return Promise.resolve();
    },
  };
}

/** Signs the person in and grants every request, like a form that is submitted at once. */
async function interact(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
  { subject, amr }: Person,
): Promise<void> {
  const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') {
    await provider.interactionFinished(request, response, {
      login: { accountId: subject, ...(amr && { amr: [...amr] }) },
    });
    return;
  }
  const accountId = session?.accountId ?? subject;
  const grant =
    (grantId === undefined ? undefined : await provider.Grant.find(grantId)) ??
    new provider.Grant({ accountId, clientId: String(params['client_id']) });
  grant.addOIDCScope('openid email');
  await provider.interactionFinished(
    request,
    response,
    { consent: { grantId: await grant.save() } },
    { mergeWithLastSubmission: true },
  );
}
