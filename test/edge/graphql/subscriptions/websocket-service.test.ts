import { beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { eventually } from '../../../kit/eventually.js';
import { graphql, startTestApp, type TestApp } from '../../../kit/app.js';
import { forFile } from '../../../kit/for-file.js';
import { seedAsset } from '../../../kit/ledger/confidential-records.js';
import { seedMember } from '../../../kit/seed.js';
import { FOLLOW, PROTOCOL, ask, connect, openRaw } from './websocket-client.js';

const app = forFile(await startTestApp({ LUCARNE_TRUST_PROXY: '1' }));

describe('GraphQL over WebSocket behind a proxy', () => {
  const from = async (address: string) =>
    (await openRaw(app, { headers: { 'x-forwarded-for': address } })).init();

  it('is refused to an anonymous client that has a hundred connections from one address', async () => {
    const connections = await Promise.all(Array.from({ length: 100 }, () => from('192.0.2.1')));
    const refused = await openRaw(app, { headers: { 'x-forwarded-for': '192.0.2.1' } });
    refused.send({ type: 'connection_init' });
    expect(await refused.closed).toEqual({ code: 4429, reason: 'Too many connections' });
    // Addresses that a client writes before the one that the proxy saw have no effect.
    const forged = await openRaw(app, { headers: { 'x-forwarded-for': '203.0.113.7, 192.0.2.1' } });
    forged.send({ type: 'connection_init' });
    expect(await forged.closed).toMatchObject({ code: 4429 });
    await from('192.0.2.2');
    connections[0]!.socket.close();
    await connections[0]!.closed;
    await from('192.0.2.1');
  });

  it('is recorded in the security log with the address from the proxy', async () => {
    const { sessionToken } = app.organization.owner;
    const member = await seedMember(app.application.foundation, app.organization.organization.id);
    const socket = await openRaw(app, {
      headers: { 'x-forwarded-for': '192.0.2.9', cookie: `lucarne=${member.sessionToken}` },
    });
    await socket.init();
    socket.subscribe('1', { query: '{ ...F } fragment F on Query { me: members { nodes { id } } }' });
    expect(await socket.receive()).toMatchObject({
      payload: { errors: [{ extensions: { code: 'FORBIDDEN' } }] },
    });
    const events = async () =>
      (
        await graphql(app, '{ securityEvents { nodes { event operation subjectId clientAddress } } }', {
          headers: { cookie: `lucarne=${sessionToken}`, origin: app.url },
        })
      ).data?.['securityEvents'] as { nodes: object[] };
    const { nodes } = await eventually(events, (shown) => shown.nodes.length > 0);
    expect(nodes).toEqual([
      {
        event: 'permission.refused',
        operation: 'members',
        subjectId: member.principal.userId,
        clientAddress: '192.0.2.9',
      },
    ]);
  });
});

describe('GraphQL over WebSocket in production', () => {
  it('refuses introspection, and suggests no names', async () => {
    await using app = await startTestApp({ NODE_ENV: 'production' });
    const client = connect(app, { key: app.organization.apiKey.secret });
    const introspection = await ask(client, { query: '{ __schema { queryType { name } } }' });
    expect(introspection.errors?.[0]?.extensions).toEqual({ code: 'GRAPHQL_VALIDATION_FAILED' });
    const misspelt = await ask(client, { query: '{ asset(id: "ast") { id symbl } }' });
    expect(misspelt.errors?.[0]?.message).toContain('symbl');
    expect(JSON.stringify(misspelt)).not.toContain('Did you mean');
    await client.dispose();
  }, 480_000);
});

describe('a gateway that stops', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
  }, 480_000);

  it('notifies its WebSocket clients, and does not wait for one that does not answer', async () => {
    const client = await (await openRaw(app)).init(app.organization.apiKey.secret);
    const asset = await seedAsset(app.application.foundation, app.organization.organization.id);
    client.subscribe('1', { query: FOLLOW, variables: { assetId: asset.id } });
    const { port } = new URL(app.url);
    const deaf = connectTcp(Number(port), '127.0.0.1');
    deaf.write(
      [
        'GET /graphql HTTP/1.1',
        `Host: 127.0.0.1:${port}`,
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`,
        `Sec-WebSocket-Protocol: ${PROTOCOL}`,
        '\r\n',
      ].join('\r\n'),
    );
    await once(deaf, 'data');
    await app[Symbol.asyncDispose]();
    expect(await client.closed).toEqual({ code: 1001, reason: 'Going away' });
    deaf.destroy();
    // A stop has 15 seconds. `ws` alone would wait 30 for a client that does not respond.
  }, 480_000);
});
