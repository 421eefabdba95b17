import { describe, expect, it } from '@jest/globals';
import { fc } from '../../kit/properties.js';
import { createHttpServer, createLogger, createRegistry } from '../../../src/platform/http/index.js';
import type { HttpServerOptions } from '../../../src/platform/http/http-server.js';
import { sendRefusal } from '../../../src/edge/rest/refusal.js';
import { OrganizationEntity } from '../../../src/domain/organizations/organization.entity.js';
import { query, valuesOf } from '../../../src/platform/database/index.js';
import { createTestDatabase } from '../../kit/database/database.js';

const SECRET = 'hush-4711';

function recorder() {
  const lines: string[] = [];
  const log = createLogger(
    { level: 'debug', instanceId: 'test-1' },
    { write: (line: string) => void lines.push(line) },
  );
  return { log, text: () => lines.join(''), last: () => JSON.parse(lines.at(-1) ?? '') as unknown };
}

describe('the log', () => {
  it('is JSON lines with level, time, instance and message', () => {
    const { log, last } = recorder();
    log.child({ requestId: 'r-1' }).warn({ path: '/v1/assets', tries: 3 }, 'It happened.');
    expect(last()).toEqual({
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      instance: 'test-1',
      requestId: 'r-1',
      path: '/v1/assets',
      tries: 3,
      msg: 'It happened.',
    });
  });

  it('contains no secret, at any depth of any logged value', () => {
    const secretMember = fc.constantFrom(
      ...[
        'authorization',
        'Authorization',
        'cookie',
        'set-cookie',
        'password',
        'passwordHash',
        'totp',
        'token',
      ],
      ...['sessionToken', 'secret', 'clientSecret', 'apiKey', 'api_key', 'masterKey', 'privateKey', 'amount'],
      ...['publicAmount', 'fee', 'proofBytes', 'body'],
    );
    const secretValue = fc.constantFrom<unknown>(SECRET, [SECRET], { of: SECRET }, { of: [{ of: SECRET }] });
    class Input {
      readonly inner: unknown;
      constructor(inner: unknown) {
        this.inner = inner;
      }
    }
    const wrapping = fc.constantFrom<(inner: unknown) => unknown>(
      (inner) => ({ request: inner }),
      (inner) => [7, inner],
      (inner) => new Input(inner),
      (inner) => ({ headers: inner, status: 200 }),
    );
    fc.assert(
      fc.property(
        secretMember,
        secretValue,
        fc.array(wrapping, { maxLength: 12 }),
        fc.boolean(),
        (name, value, wrappings, asBinding) => {
          const { log, text } = recorder();
          const inner = wrappings.reduce<unknown>((wrapped, wrap) => wrap(wrapped), { [name]: value });
          const members = { kept: 'kept', ...(wrappings.length === 0 ? { [name]: value } : { inner }) };
          if (asBinding) log.child(members).info({}, 'It happened.');
          else log.info(members, 'It happened.');
          expect(text()).toContain('"kept":"kept"');
          expect(text()).not.toContain(SECRET);
        },
      ),
    );
  });

  it('shows values whose names only resemble those of secrets', () => {
    const { log, last } = recorder();
    const members = {
      apiKeyId: 'key_1',
      tokenProgram: 'Tokenz',
      at: new Date(0),
      none: null,
      list: [1, 'a'],
    };
    log.info(members, 'It happened.');
    expect(last()).toMatchObject({ ...members, at: '1970-01-01T00:00:00.000Z' });
  });

  it('shows the number of bytes, but not the bytes', () => {
    const { log, last } = recorder();
    log.info({ key: new Uint8Array([1, 2, 3]), deep: { buffer: Buffer.from(SECRET) } }, 'It happened.');
    expect(last()).toMatchObject({ key: '[3 bytes]', deep: { buffer: `[${SECRET.length} bytes]` } });
  });

  it('stops at circular values', () => {
    const { log, text } = recorder();
    const endless: Record<string, unknown> = { password: SECRET };
    endless['self'] = endless;
    log.info({ endless }, 'It happened.');
    expect(text()).toContain('[too deep]');
    expect(text()).not.toContain(SECRET);
  });

  it('shows the cause and stack of an error, and no other members', () => {
    const { log, text, last } = recorder();
    const cause = Object.assign(new Error('below'), { parameters: [SECRET] });
    const error = Object.assign(new TypeError('above', { cause }), { code: 'E1', params: [SECRET] });
    log.error({ err: error, nested: { problem: error } }, 'It broke.');
    const described = {
      type: 'TypeError',
      message: 'above',
      code: 'E1',
      stack: expect.stringMatching(/^ +at .*logger\.test/),
      cause: { type: 'Error', message: 'below' },
    };
    expect(last()).toMatchObject({ err: described, nested: { problem: described } });
    expect(text()).not.toContain(SECRET);
  });

  it('does not contain the row at which the database failed', async () => {
    await using database = await createTestDatabase();
    const { log, text } = recorder();
    const organization = { name: SECRET, requireSecondPerson: false, createdAt: new Date() };
    const insert = (id: string, createdAt: Date | null) =>
      database.transaction((transaction) =>
        transaction.rows(
          query
            .insertInto('organizations')
            .values(valuesOf(OrganizationEntity, { ...organization, id, createdAt } as never)),
        ),
      );
    await insert(SECRET, organization.createdAt);
    for (const failing of [insert(SECRET, organization.createdAt), insert('org_2', null)]) {
      await failing.then(
        () => expect('inserted').toBe('refused'),
        (thrown: unknown) => log.error({ err: thrown, cause: thrown }, 'It broke.'),
      );
    }
    expect(text()).toMatch(/duplicate key value violates unique constraint/);
    expect(text()).toMatch(/null value in column/);
    expect(text()).not.toContain(SECRET);
  });

  it('shows the route and error of a failing request, and no headers or body', async () => {
    const { log, text } = recorder();
    const refuse: HttpServerOptions['refuse'] = (error, request, reply) =>
      void sendRefusal(error, request, reply);
    const server = await createHttpServer({ log, registry: createRegistry(), trustProxy: false, refuse });
    server.post('/break', () => Promise.reject(new Error('It broke.')));
    const answer = await server.inject({
      method: 'POST',
      url: `/break?account=${SECRET}`,
      headers: { authorization: `Bearer ${SECRET}`, cookie: `lucarne=${SECRET}`, 'x-request-id': 'r-1' },
      payload: { password: SECRET },
    });
    await server.close();
    expect(answer.statusCode).toBe(500);
    expect(answer.body).not.toContain('It broke.');
    expect(text()).toContain('"message":"It broke."');
    expect(text()).toContain('"requestId":"r-1"');
    expect(text()).not.toContain(SECRET);
  });
});
