import { describe, expect, it } from '@jest/globals';
import { sealedPrefix } from '../../../src/platform/crypto/index.js';
import { sql } from '../../../src/platform/database/index.js';
import { eventually } from '../../kit/eventually.js';
import { forFile } from '../../kit/for-file.js';
import { bearer, graphql, startTestApp } from '../../kit/app.js';
import type { SeededOrganization } from '../../kit/seed.js';

const NO_KEY = 4_000_000_000;
const forged = sql`${sealedPrefix(NO_KEY)}::bytea`;

const app = forFile(await startTestApp());

describe('a stored value that names a data key that never existed', () => {
  const register = async ({ apiKey }: SeededOrganization, key: string) => {
    const answer = await fetch(`${app.url}/v1/assets`, {
      method: 'POST',
      headers: { ...bearer(apiKey.secret), 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({ name: 'Euro', symbol: 'EUR', decimals: 2 }),
    });
    return { status: answer.status, body: await answer.text() };
  };
  const indexed = ({ organization }: SeededOrganization) =>
    app.database.rows(sql<{ waiting: number; indexed: number }>`
      select count(*) filter (where log_index is null)::integer as waiting, count(log_index)::integer as indexed
      from activity_entries where organization_id = ${organization.id}`);

  it('causes an internal error whose cause is in the log, while other values stay readable', async () => {
    const [first, other] = [await register(app.organization, 'one'), await register(app.organization, 'two')];
    expect([first.status, other.status]).toEqual([201, 201]);
    await app.database.rows(sql`update idempotency_keys
      set sealed_answer = ${forged} || substring(sealed_answer from 6) where key like '%one%'`);
    const again = await eventually(
      () => register(app.organization, 'one'),
      ({ status }) => status !== 503,
    );
    expect(again).toMatchObject({
      status: 500,
      body: expect.stringContaining('An internal error occurred.'),
    });
    expect(again.body).not.toContain('data key');
    expect(app.logged()).toContain(`it names data key ${NO_KEY}, which never existed in this database`);
    expect(await register(app.organization, 'two')).toEqual(other);
    expect((await register(app.organization, 'three')).status).toBe(201);
  });

  it('gives a GraphQL caller no further details', async () => {
    const answer = await eventually(
      () =>
        graphql(
          app,
          'mutation { createAsset(input: { name: "Euro", symbol: "EUR", decimals: 2, idempotencyKey: "one" }) { id } }',
          { headers: bearer(app.organization.apiKey.secret) },
        ),
      ({ errors }) => errors?.[0]?.extensions['code'] !== 'UNAVAILABLE',
    );
    expect(answer.errors).toMatchObject([
      {
        message: 'An internal error occurred. The gateway’s log has the cause under the request id.',
        extensions: { code: 'INTERNAL_SERVER_ERROR' },
      },
    ]);
  });

  it('stops only the log that it signs, if it is the signing key of a log', async () => {
    const { organization, other } = app;
    await eventually(
      () => indexed(organization),
      ([counts]) => counts!.waiting === 0 && counts!.indexed > 0,
    );
    await app.database.rows(sql`update signing_keys
      set sealed_secret = ${forged} || substring(sealed_secret from 6)
      where organization_id = ${organization.organization.id}`);
    expect((await register(organization, 'four')).status).toBe(201);
    expect((await register(other, 'five')).status).toBe(201);
    await eventually(
      () => indexed(other),
      ([counts]) => counts!.waiting === 0 && counts!.indexed > 0,
    );
    expect((await indexed(organization))[0]!.waiting).toBeGreaterThan(0);
    await eventually(
      () => Promise.resolve(app.logged().split('\n')),
      (lines) =>
        lines.some(
          (line) => line.includes('equenc') && line.includes('which never existed in this database'),
        ),
    );
  });
});
