import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import { isLucarneError } from '../../../../src/platform/kernel/errors.js';
import { systemClock } from '../../../../src/platform/kernel/clock.js';
import { silentLog } from '../../../../src/platform/kernel/log.js';
import { completeOidcSignIn } from '../../../../src/domain/organizations/oidc/complete-oidc-sign-in.js';
import { createOpenIdProvider, type OpenIdProvider } from '../../../../src/domain/organizations/index.js';
import { newAttempt, sealAttempt } from '../../../../src/domain/organizations/oidc/sign-in-attempt.js';
import { withinOneMinute } from '../../../kit/database/within-one-minute.js';
import { listen } from '../../../kit/process/local-server.js';
import { openTestFoundation } from '../../../kit/seed.js';

const { database, foundation } = await openTestFoundation();

/** A provider that never issued a code, and counts requests for tokens. */
describe('a flood of invented authorization codes', () => {
  let server: Server;
  let provider: OpenIdProvider;
  let asked = 0;

  beforeAll(async () => {
    let issuer = '';
    server = createServer((request, response) => {
      const isDiscovery = request.url?.startsWith('/.well-known/') === true;
      if (!isDiscovery) asked += 1;
      response
        .writeHead(isDiscovery ? 200 : 400, { 'content-type': 'application/json' })
        .end(
          JSON.stringify(
            isDiscovery
              ? { issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` }
              : { error: 'invalid_grant' },
          ),
        );
    });
    issuer = `http://127.0.0.1:${await listen(server)}`;
    provider = createOpenIdProvider({
      issuer: new URL(issuer),
      ...{ clientId: 'lucarne', clientSecret: 'secret', clock: systemClock, log: silentLog },
      redirectUri: () => 'http://127.0.0.1:1/auth/oidc/callback',
    });
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Starts an attempt, as anyone can, and answers it with a code that the provider never issued. */
  async function answer(client: string): Promise<unknown> {
    const attempt = newAttempt(foundation, '/');
    const cookies = { attempt: sealAttempt(foundation, attempt), session: undefined };
    const response = { state: attempt.state, code: 'made up' };
    return completeOidcSignIn(foundation, provider, response, cookies, client).then(
      () => 'LET_THROUGH',
      (thrown: unknown) => (isLucarneError(thrown) ? thrown.code : thrown),
    );
  }

  it('reaches the provider sixty times a minute at most, and blocks no one else', async () => {
    let client = 1;
    const { codes, reached } = await withinOneMinute(database, async () => {
      client += 1;
      const before = asked;
      const codes: unknown[] = [];
      for (let at = 0; at < 62; at += 1) codes.push(await answer(`198.51.100.${client}`));
      return { codes, reached: asked - before };
    });
    expect(codes.slice(0, 60)).toEqual(Array(60).fill('UNAUTHENTICATED'));
    expect(codes.slice(60)).toEqual(['TOO_MANY_REQUESTS', 'TOO_MANY_REQUESTS']);
    expect(reached).toBe(60);
    expect(await answer('203.0.113.7')).toBe('UNAUTHENTICATED');
  });
});
