import { describe, expect, it } from '@jest/globals';
import type { IncomingMessage } from 'node:http';
import { fc } from '../../kit/properties.js';
import { fastify } from 'fastify';
import fastifyCookie from '@fastify/cookie';
import { createAdmission, createContextFactory } from '../../../src/edge/graphql/index.js';
import { systemClock } from '../../../src/platform/kernel/clock.js';
import { unauthenticated } from '../../../src/platform/kernel/errors.js';
import type { RefusedRequest } from '../../../src/domain/organizations/security-log/security-log.js';
import { clientAddressReader, type TrustProxy } from '../../../src/edge/graphql/client-address.js';

const address = fc.oneof(
  fc.ipV4(),
  fc.ipV6(),
  fc.constantFrom('127.0.0.1', '::1', '10.1.2.3', '192.168.0.9', '172.20.0.1', '::ffff:10.0.0.7', 'unknown'),
);
const trust = fc.oneof(
  fc.constantFrom<TrustProxy>(
    true,
    false,
    'loopback',
    'loopback, uniquelocal',
    '10.0.0.0/8,::1',
    '127.0.0.1',
  ),
  fc.nat({ max: 3 }).map(
    (most): TrustProxy =>
      (_address, hop) =>
        hop < most,
  ),
);

describe('the client address', () => {
  it('is the same for a WebSocket as Fastify’s for a request', async () => {
    await fc.assert(
      fc.asyncProperty(trust, fc.array(address, { maxLength: 4 }), async (trustProxy, forwarded) => {
        const app = fastify({ trustProxy });
        const seen = new Promise<{ ip: string; raw: IncomingMessage }>((resolve) => {
          app.get('/', (request) => {
            resolve({ ip: request.ip, raw: request.raw });
            return '';
          });
        });
        const headers = forwarded.length === 0 ? {} : { 'x-forwarded-for': forwarded.join(', ') };
        await app.inject({ url: '/', headers, remoteAddress: '127.0.0.1' });
        const { ip, raw } = await seen;
        await app.close();
        expect(clientAddressReader(trustProxy)(raw)).toBe(ip);
      }),
      { numRuns: 150 },
    );
  });

  it('is known for a request whose connection closed while its credentials were read', async () => {
    const app = fastify();
    await app.register(fastifyCookie);
    const refused = new Promise<RefusedRequest>((resolve) => {
      app.get('/', (request, reply) => {
        const authenticate = () => {
          request.raw.socket.destroy();
          return Promise.reject(unauthenticated('No.', { denial: { event: 'api_key.refused' } }));
        };
        const contextFor = createContextFactory({
          authenticator: {
            authenticate,
            identify: authenticate,
            [Symbol.asyncDispose]: () => Promise.resolve(),
          },
          admission: createAdmission({ clock: systemClock }),
          publicUrl: undefined,
          port: () => 0,
          started: () => true,
          securityLog: { refused: (_error, caller) => resolve(caller) },
        });
        return contextFor(request, reply, 'any', 'read');
      });
    });
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    await expect(fetch(url)).rejects.toThrow();
    expect((await refused).clientAddress).toBe('127.0.0.1');
    await app.close();
  });
});
