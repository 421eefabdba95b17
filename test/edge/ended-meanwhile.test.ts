import { connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { operatorOf } from '../../src/domain/access/operator.js';
import { revokeApiKey } from '../../src/domain/organizations/keys/revoke-api-key.js';
import { PERMISSIONS } from '../../src/domain/access/index.js';
import { sql } from '../../src/platform/database/index.js';
import { eventually } from '../kit/eventually.js';
import { forFile } from '../kit/for-file.js';
import { bearer, graphql, sessionOf, startTestApp } from '../kit/app.js';
import { seedApiKey, seedMember } from '../kit/seed.js';
import { openRaw } from './graphql/subscriptions/websocket-client.js';

const app = forFile(await startTestApp());

describe('what ends while its client continues', () => {
  const organizationId = () => app.organization.organization.id;
  const owner = (name: string) =>
    seedMember(app.application.foundation, organizationId(), { owner: PERMISSIONS.owner }, name);
  const CREATE_KEY = 'createApiKey(input: { name: "Kept", scopes: ["disclosures:read"] }) { secret }';
  const keptKeys = () => app.database.rows(sql`select id from api_keys where name = 'Kept'`);

  it.each([
    ['whose session ended', () => 'signOut'],
    ['who was removed', (userId: string) => `removeMember(memberId: "${userId}") { id }`],
    [
      'who lost the permissions',
      (userId: string) => `setPermissions(input: {
      memberId: "${userId}", permissions: { owner: [], applications: [] } }) { id }`,
    ],
  ])('an owner %s does nothing more, whatever else the document holds', async (_, end) => {
    const mallory = await owner('Mallory');
    const document = `mutation { ${end(mallory.principal.userId)} ${CREATE_KEY} }`;
    const { data, errors } = await graphql(app, document, { headers: sessionOf(app, mallory.sessionToken) });
    expect(data).toMatchObject({ createApiKey: null });
    expect(errors).toMatchObject([{ path: ['createApiKey'] }]);
    expect(await keptKeys()).toEqual([]);
  });

  it('a key is read again when the body of a request has arrived: a prepared request does not outlive it', async () => {
    const { foundation } = app.application;
    const { apiKey, secret } = await seedApiKey(foundation, organizationId());
    const body = JSON.stringify({ name: 'Late', symbol: 'L', decimals: 2 });
    const { hostname, port } = new URL(app.url);
    const socket = connect(Number(port), hostname);
    const answered = new Promise<string>((resolve) => {
      let text = '';
      socket.on('data', (data: Buffer) => (text += data.toString()));
      socket.on('end', () => resolve(text));
    });
    socket.write(
      [
        'POST /v1/assets HTTP/1.1',
        `host: ${hostname}:${port}`,
        `authorization: ${bearer(secret).authorization}`,
        'content-type: application/json',
        `content-length: ${body.length}`,
        'connection: close\r\n\r\n',
      ].join('\r\n'),
    );
    // Once the gateway knows the key, its use is recorded.
    const isKnown = async () => {
      const rows = await app.database.rows(
        sql`select id from api_keys where id = ${apiKey.id} and last_used_at is not null`,
      );
      return rows.length > 0;
    };
    await eventually(isKnown);
    await revokeApiKey(foundation, operatorOf(organizationId()), apiKey.id);
    socket.write(body);
    expect(await answered).toMatch(/^HTTP\/1\.1 401 /);
    expect(await app.database.rows(sql`select id from assets where name = 'Late'`)).toEqual([]);
  });

  it('mutations that came before the end in their document take effect', async () => {
    const mallory = await owner('Mallory');
    const document = `mutation { ${CREATE_KEY.replace('Kept', 'Before')} signOut }`;
    const { data, errors } = await graphql(app, document, { headers: sessionOf(app, mallory.sessionToken) });
    expect(errors).toBeUndefined();
    expect(data).toMatchObject({ createApiKey: { secret: expect.stringMatching(/^lck_/) }, signOut: true });
  });

  it('a WebSocket connection that was refused executes nothing, although its client ignores that it is closed', async () => {
    const { foundation } = app.application;
    const { secret } = await seedApiKey(foundation, app.organization.organization.id);
    const counted = await Promise.all(
      Array.from({ length: 100 }, async () => (await openRaw(app)).init(secret)),
    );
    const refused = await openRaw(app);
    // What acknowledges the close.
    const closing = new Promise<number | undefined>((resolve) => (refused.socket.close = resolve));
    refused.send({ type: 'connection_init', payload: bearer(secret) });
    expect(await closing).toBe(4429);
    const create = (name: string) => ({
      query: `mutation { createAsset(input: { name: "${name}", symbol: "S", decimals: 0 }) { id } }`,
    });
    refused.subscribe('1', create('Uncounted'));
    while (refused.socket.bufferedAmount > 0) await new Promise(setImmediate);
    counted[0]!.subscribe('1', create('Counted'));
    await counted[0]!.receive();
    const names = await app.database.rows(
      sql<{ name: string }>`select name from assets where name in ('Counted', 'Uncounted')`,
    );
    expect(names).toEqual([{ name: 'Counted' }]);
  });
});
