import { describe, expect, it } from '@jest/globals';
import { type Client, type SubscribePayload } from 'graphql-ws';
import { endMemberSessions } from '../../../../src/domain/organizations/members/end-member-sessions.js';
import { signOut } from '../../../../src/domain/organizations/sessions/sign-out.js';
import { revokeApiKey } from '../../../../src/domain/organizations/keys/revoke-api-key.js';
import { operatorOf } from '../../../../src/domain/access/operator.js';
import { sql } from '../../../../src/platform/database/index.js';
import { newId } from '../../../../src/platform/kernel/ids.js';
import { cursorsFor } from '../../../../src/platform/kernel/paging/paging.js';
import { eventually } from '../../../kit/eventually.js';
import { forFile } from '../../../kit/for-file.js';
import { bearer, graphql, startTestApp } from '../../../kit/app.js';
import { seedAsset, seedRecords } from '../../../kit/ledger/confidential-records.js';
import { seedApiKey, seedMember, seedSession } from '../../../kit/seed.js';
import { FOLLOW, ask, connect, openRaw, take, upgradeStatus } from './websocket-client.js';

const app = forFile(await startTestApp());
const key = app.organization.apiKey.secret;
const asset = await seedAsset(app.application.foundation, app.organization.organization.id);

describe('GraphQL over WebSocket', () => {
  const add = async (count: number) =>
    (
      await seedRecords(
        app.application.foundation,
        asset,
        Array.from({ length: count }, () => ({})),
      )
    ).map(({ id }) => id);
  /** The end of the list: a subscription from here misses no later record. */
  async function latestCursor(): Promise<string> {
    await add(1);
    const query = `query ($assetId: ID!, $after: String) {
      transactions(assetId: $assetId, first: 200, after: $after) { pageInfo { endCursor } } }`;
    const { data } = await graphql(app, query, { variables: { assetId: asset.id }, headers: bearer(key) });
    return (data as { transactions: { pageInfo: { endCursor: string } } }).transactions.pageInfo.endCursor;
  }
  const follow = (client: Client, after: string) =>
    client.iterate({ query: FOLLOW, variables: { assetId: asset.id, after } });

  describe('a subscription', () => {
    it('delivers what is added, each once and in order, and resumes after a cursor', async () => {
      const after = await latestCursor();
      const client = connect(app, { key });
      const events = follow(client, after);
      const first = take(events, 4);
      const added = [...(await add(1)), ...(await add(3))];
      const seen = await first;
      expect(seen.map(({ transaction }) => transaction.id)).toEqual(added);
      await events.return?.();

      const missed = await add(2);
      const again = follow(connect(app, { key }), seen[2]!.cursor);
      expect((await take(again, 3)).map(({ transaction }) => transaction.id)).toEqual([added[3], ...missed]);
    });

    it('is refused to another organization', async () => {
      const client = connect(app, { key: app.other.apiKey.secret });
      const { errors } = await ask(client, { query: FOLLOW, variables: { assetId: asset.id } });
      expect(errors).toMatchObject([{ message: 'No such asset.', extensions: { code: 'NOT_FOUND' } }]);
    });

    it('is refused without credentials, with an invalid key, and with a key without the scope', async () => {
      const payload = { query: FOLLOW, variables: { assetId: asset.id } };
      const codeOf = async (client: Client) => (await ask(client, payload)).errors?.[0]?.extensions['code'];
      expect(await codeOf(connect(app))).toBe('UNAUTHENTICATED');
      expect(await codeOf(connect(app, { key: 'lck_nonsense' }))).toBe('UNAUTHENTICATED');
      const { foundation } = app.application;
      const narrow = await seedApiKey(foundation, app.organization.organization.id, ['assets:read']);
      expect(await codeOf(connect(app, { key: narrow.secret }))).toBe('FORBIDDEN');
    });

    it('ends with its key: what is added after the revocation is not delivered', async () => {
      const { foundation } = app.application;
      const organizationId = app.organization.organization.id;
      const { apiKey, secret } = await seedApiKey(foundation, organizationId);
      const events = follow(connect(app, { key: secret }), await latestCursor());
      const first = take(events, 1);
      const [id] = await add(1);
      expect((await first)[0]!.transaction.id).toBe(id);
      const next = events.next();
      await revokeApiKey(foundation, operatorOf(organizationId), apiKey.id);
      await add(1);
      await expect(next).rejects.toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
    });

    it('ends with its session, and does not extend it', async () => {
      const { foundation } = app.application;
      const { principal, email } = app.organization.owner;
      const owner = await seedSession(foundation, app.organization.organization.id, {
        id: principal.userId,
        name: principal.name,
        email,
      });
      const after = await latestCursor();
      const session = { cookie: `lucarne=${owner.sessionToken}`, origin: app.url };
      const events = follow(connect(app, { headers: session }), after);
      const first = take(events, 1);
      await add(1);
      await first;
      const used = () =>
        app.database.rows(sql<{ at: Date }>`
          select last_seen_at as at from sessions where id = ${owner.principal.sessionId}`);
      // As if it had last been used long ago: events do not count as use, nor does connecting again.
      const past = new Date(Date.now() - 10 * 60_000);
      await app.database.rows(
        sql`update sessions set last_seen_at = ${past} where id = ${owner.principal.sessionId}`,
      );
      const second = take(events, 1);
      await add(1);
      await second;
      await follow(connect(app, { headers: session }), after).next();
      expect(await used()).toEqual([{ at: past }]);

      const next = events.next();
      await signOut(foundation, owner.principal);
      await add(1);
      await expect(next).rejects.toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
    });

    it('ends when a manager of members ends the user’s sessions', async () => {
      const { foundation } = app.application;
      const { organization } = app.organization;
      const user = await seedMember(foundation, organization.id, { owner: ['applications:read'] });
      const session = { cookie: `lucarne=${user.sessionToken}`, origin: app.url };
      const events = follow(connect(app, { headers: session }), await latestCursor());
      const first = take(events, 1);
      await add(1);
      await first;
      const next = events.next();
      await endMemberSessions(foundation, operatorOf(organization.id), user.principal.userId);
      await add(1);
      await expect(next).rejects.toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
    });

    it('reads nothing more once an idle client has left', async () => {
      const client = await (await openRaw(app)).init(key);
      const after = await latestCursor();
      client.subscribe('1', { query: FOLLOW, variables: { assetId: asset.id, after } });
      const [id] = await add(1);
      expect(await client.receive()).toMatchObject({
        type: 'next',
        payload: { data: { transactionAdded: { transaction: { id } } } },
      });
      client.send({ id: '1', type: 'complete' });
      client.subscribe('2', { query: FOLLOW, variables: { assetId: asset.id, after } });
      expect(await client.receive()).toMatchObject({ id: '2', type: 'next' });
      const [last] = await add(1);
      const next = { type: 'next', payload: { data: { transactionAdded: { transaction: { id: last } } } } };
      expect(await client.receive()).toMatchObject({ id: '2', ...next });
      client.send({ type: 'ping' });
      expect(await client.receive()).toEqual({ type: 'pong' });
    });
  });

  describe('an operation', () => {
    it('may be a query or a mutation, each with one response', async () => {
      const client = connect(app, { key });
      const created = await ask(client, {
        query: 'mutation ($input: CreateAssetInput!) { createAsset(input: $input) { id symbol } }',
        variables: { input: { name: 'Euro', symbol: 'EUR', decimals: 2 } },
      });
      expect(created).toMatchObject({ data: { createAsset: { symbol: 'EUR' } } });
      const { id } = created.data!['createAsset'] as { id: string };
      const query = 'query ($id: ID!) { asset(id: $id) { symbol } }';
      expect(await ask(client, { query, variables: { id } })).toEqual({ data: { asset: { symbol: 'EUR' } } });
    });

    it('is a client error that names the cause if it cannot be executed', async () => {
      const client = connect(app, { key });
      const codeOf = async (payload: SubscribePayload) =>
        (await ask(client, payload)).errors?.map(({ extensions }) => extensions['code']);
      expect(await codeOf({ query: '{ assets(' })).toEqual(['GRAPHQL_PARSE_FAILED']);
      expect(await codeOf({ query: '{ nothing }' })).toEqual(['GRAPHQL_VALIDATION_FAILED']);
      expect(await codeOf({ query: FOLLOW })).toEqual(['BAD_USER_INPUT']);
      expect(await codeOf({ query: FOLLOW, variables: { assetId: [] } })).toEqual(['BAD_USER_INPUT']);
      const several = 'query A { __typename } query B { __typename }';
      expect(await codeOf({ query: several })).toEqual(['OPERATION_RESOLUTION_FAILURE']);
      expect(await codeOf({ query: several, operationName: 'C' })).toEqual(['OPERATION_RESOLUTION_FAILURE']);
      expect(await codeOf({ query: FOLLOW, variables: { assetId: asset.id, after: 'AAAA' } })).toEqual([
        'BAD_USER_INPUT',
      ]);
      expect(app.logged()).not.toContain('A request failed with an internal error.');
    });

    it('is refused before anything is read if it is too expensive', async () => {
      const client = connect(app, { key });
      const refusalOf = async (query: string) => (await ask(client, { query })).errors?.[0]?.message;
      const deep = `{ assets { nodes { ${'indexerStatus { '.repeat(12)} x ${'}'.repeat(12)} } } }`;
      expect(await refusalOf(deep)).toBe('The document has 15 levels of fields; the limit is 10.');
      const aliases = Array.from({ length: 30 }, (_, index) => `a${index}: permissionTable { name }`).join(
        ' ',
      );
      expect(await refusalOf(`{ ${aliases} }`)).toBe('The document has 30 aliases; the limit is 20.');
      expect(await refusalOf(`{ ${'__typename '.repeat(3_000)} }`)).toContain('2000 tokens');
      const fields = 'id name symbol decimals status createdAt updatedAt indexerStatus { assetId status }';
      const pages = Array.from('abcdefghijk').map(
        (name) => `${name}: assets(first: 200) { nodes { ${fields} } }`,
      );
      expect(await refusalOf(`{ ${pages.join(' ')} }`)).toContain('limit is 20000');
    });

    it('is refused while a hundred others run on its connection', async () => {
      const client = await (await openRaw(app)).init(key);
      const variables = { assetId: asset.id, after: await latestCursor() };
      for (let index = 0; index < 100; index += 1)
        client.subscribe(`s${index}`, { query: FOLLOW, variables });
      client.subscribe('one more', { query: '{ __typename }' });
      expect(await client.receive()).toMatchObject({
        id: 'one more',
        type: 'error',
        payload: [{ extensions: { code: 'TOO_MANY_REQUESTS', retryAfterSeconds: 1 } }],
      });
      // All of them run, and one that ends frees its place.
      await add(1);
      const delivered = new Set<string | undefined>();
      while (delivered.size < 100) delivered.add((await client.receive()).id);
      client.send({ id: 's0', type: 'complete' });
      let id: string | undefined;
      do {
        client.subscribe('again', { query: '{ __typename }' });
        const { type } = await client.receive();
        id = type === 'next' ? (await client.receive()).id : undefined;
      } while (id === undefined);
      expect(id).toBe('again');
    });

    it('is refused to a key that runs a thousand others on any connection, but to no one else of its organization', async () => {
      const { organization, apiKey } = app.other;
      const { foundation } = app.application;
      const { sealer } = foundation;
      const colleague = await (
        await openRaw(app)
      ).init((await seedApiKey(foundation, organization.id)).secret);
      // To find the end of the list would take a statement for each of them.
      const after = cursorsFor('disclosureChanges', organization.id, sealer).encode(0);
      const query = 'subscription ($after: String) { disclosureChanged(after: $after) { cursor } }';
      const open = async (secret: string) => (await openRaw(app)).init(secret);
      const crowd = await Promise.all(Array.from({ length: 21 }, () => open(apiKey.secret)));
      const [other, again] = [await open(key), await open(apiKey.secret)];
      for (const client of crowd)
        for (let index = 0; index < 100; index += 1)
          client.subscribe(`s${index}`, { query, variables: { after } });
      // All of them wait for a change, except for those that are refused.
      expect(await Promise.race(crowd.map((client) => client.receive()))).toMatchObject({
        type: 'error',
        payload: [{ extensions: { code: 'TOO_MANY_REQUESTS' } }],
      });
      for (const client of [other, colleague]) {
        client.subscribe('one', { query: '{ __typename }' });
        expect(await client.receive()).toMatchObject({ type: 'next' });
      }

      for (const client of crowd) client.socket.close();
      await Promise.all(crowd.map((client) => client.closed));
      let tries = 0;
      const answer = async () => {
        const id = `again${(tries += 1)}`;
        again.subscribe(id, { query: '{ __typename }' });
        const { type } = await again.receive();
        return type;
      };
      // The gateway notices the closed connections one after another.
      await eventually(answer, (type) => type === 'next');
    });
  });

  describe('a connection', () => {
    it('is refused to pages of other sites', async () => {
      const session = { cookie: `lucarne=${app.organization.owner.sessionToken}` };
      expect(await upgradeStatus(app, { ...session, origin: 'https://evil.example' })).toBe(403);
      expect(await upgradeStatus(app, { ...session, origin: 'null' })).toBe(403);
      expect(await upgradeStatus(app, { ...session, 'sec-fetch-site': 'cross-site' })).toBe(403);
      expect(await upgradeStatus(app, { ...session, origin: app.url })).toBe(101);
      expect(await upgradeStatus(app, {})).toBe(101);
    });

    it('is accepted from wallet pages of any origin, without cookies, and can follow only relays', async () => {
      expect(await upgradeStatus(app, { origin: 'https://wallet.example' })).toBe(101);
      const client = connect(app, { headers: { origin: 'https://wallet.example' } });
      const codesOf = async (query: string) =>
        (await ask(client, { query })).errors?.map(({ extensions }) => extensions['code']);
      const unknown = 'rly_5r8kq2m0v4e1atjb7x9nw3h6cz';
      expect(await codesOf(`subscription { relayStatus(relayRequestId: "${unknown}") { status } }`)).toEqual([
        'NOT_FOUND',
      ]);
      expect(await codesOf('{ me { organization { name } } }')).toEqual(['UNAUTHENTICATED']);
      expect(await codesOf('subscription { activityAdded { cursor } }')).toEqual(['UNAUTHENTICATED']);
    });

    it('is accepted on no other path', async () => {
      expect(await upgradeStatus(app, {}, '/')).toBe(404);
      expect(await upgradeStatus(app, {}, '/graphql/x')).toBe(404);
      expect(await upgradeStatus(app, {}, '/graphql?x=1')).toBe(101);
    });

    it('uses the session of its cookie', async () => {
      const session = { cookie: `lucarne=${app.organization.owner.sessionToken}`, origin: app.url };
      const { data } = await ask(connect(app, { headers: session }), { query: '{ me { user { email } } }' });
      expect(data).toEqual({ me: { user: { email: app.organization.owner.email } } });
    });

    it('accepts a key in its header as in its first message', async () => {
      const { data } = await ask(connect(app, { headers: bearer(key) }), {
        query: 'query ($id: ID!) { asset(id: $id) { id } }',
        variables: { id: asset.id },
      });
      expect(data).toEqual({ asset: { id: asset.id } });
    });

    it('accepts only graphql-transport-ws', async () => {
      const client = await openRaw(app, {}, ['graphql-ws']).catch((thrown: unknown) => String(thrown));
      // The client may refuse a server that chose no subprotocol before the server can explain.
      if (typeof client === 'string') expect(client).toContain('no subprotocol');
      else expect((await client.closed).code).toBe(4406);
    });

    it('ends if it is not initialized, or not correctly', async () => {
      const silent = await openRaw(app);
      const early = await openRaw(app);
      early.subscribe('1', { query: '{ __typename }' });
      expect(await early.closed).toMatchObject({ code: 4401 });
      const twice = await (await openRaw(app)).init();
      twice.send({ type: 'connection_init' });
      expect(await twice.closed).toMatchObject({ code: 4429 });
      const garbled = await openRaw(app);
      garbled.send('{');
      expect(await garbled.closed).toMatchObject({ code: 4400 });
      const doubled = await (await openRaw(app)).init(key);
      const follow = { query: FOLLOW, variables: { assetId: asset.id } };
      doubled.subscribe('é'.repeat(2_000), follow);
      doubled.subscribe('é'.repeat(2_000), follow);
      expect(await doubled.closed).toMatchObject({ code: 4409 });
      expect(await silent.closed).toMatchObject({ code: 4408 });
    });

    it('ends after a message that is too large, without affecting others', async () => {
      const bystander = await (await openRaw(app)).init();
      const client = await (await openRaw(app)).init();
      client.subscribe('1', { query: `{ __typename } # ${'x'.repeat(64 * 1024)}` });
      expect(await client.closed).toMatchObject({ code: 1009 });
      bystander.send({ type: 'ping' });
      expect(await bystander.receive()).toEqual({ type: 'pong' });
    });

    it('ends if its client sends pings but does not read the pongs', async () => {
      const slow = () => app.logged().split('reads too slowly').length;
      const before = slow();
      const { socket, closed } = await (await openRaw(app)).init();
      socket.pause();
      const ping = JSON.stringify({ type: 'ping', payload: { text: 'x'.repeat(60_000) } });
      // Far more than the buffers of both systems can hold.
      for (let count = 0; count < 2_000 && slow() === before; count += 1) {
        socket.send(ping);
        while (socket.bufferedAmount > 0) await new Promise(setImmediate);
      }
      socket.resume();
      expect(await closed).toEqual({ code: 4508, reason: 'Reading too slowly' });
    });

    it('ends if its client does not read what it requests', async () => {
      const { organization, apiKey } = app.other;
      await seedAsset(app.application.foundation, organization.id);
      await app.database.transaction(async (transaction) => {
        const rows = Array.from(
          { length: 200 },
          () =>
            sql`(${newId('ast')}, ${organization.id}, ${'n'.repeat(128)}, 'N', 0, ${new Uint8Array(32)}, 1, 'pending', now(), now())`,
        );
        await transaction.rows(sql`
          insert into assets (id, organization_id, name, symbol, decimals, auditor_public_key, auditor_key_epoch,
            status, created_at, updated_at) values ${sql.join(rows)}`);
      });
      const client = await (await openRaw(app)).init(apiKey.secret);
      client.socket.pause();
      const names = Array.from('abcdefghijklmnopqrst').map((letter) => `${letter}: name`);
      for (let index = 0; index < 40; index += 1) {
        client.subscribe(String(index), { query: `{ assets(first: 200) { nodes { ${names.join(' ')} } } }` });
      }
      await eventually(app.logged, (log) => log.includes('reads too slowly'));
      client.socket.resume();
      expect(await client.closed).toEqual({ code: 4508, reason: 'Reading too slowly' });
    }, 480_000);

    it('is refused to a caller that has a hundred, and to no one else', async () => {
      const { foundation } = app.application;
      const { secret } = await seedApiKey(foundation, app.organization.organization.id);
      const connections = await Promise.all(
        Array.from({ length: 100 }, async () => (await openRaw(app)).init(secret)),
      );
      const refused = await openRaw(app);
      refused.send({ type: 'connection_init', payload: bearer(secret) });
      expect(await refused.closed).toEqual({ code: 4429, reason: 'Too many connections' });
      await (await openRaw(app)).init(key);
      connections[0]!.socket.close();
      await connections[0]!.closed;
      await (await openRaw(app)).init(secret);
    });
  });
});
