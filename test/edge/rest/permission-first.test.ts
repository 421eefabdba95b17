import { describe, expect, it } from '@jest/globals';
import { eventually } from '../../kit/eventually.js';
import { forFile } from '../../kit/for-file.js';
import { seedMember } from '../../kit/seed.js';
import { startTestApp } from '../../kit/app.js';
import { callRest, type RestCall } from './server/rest-server.js';

const BASE = '/api/applications/payments';

const app = forFile(await startTestApp());
const member = await seedMember(app.application.foundation, app.organization.organization.id);
const cookie = `lucarne=${member.sessionToken}`;

describe('a caller without the permission', () => {
  const status = async (method: string, path: string, call: RestCall) =>
    (await callRest(`${app.url}${path}`, method, call)).status;
  const owner = () => `lucarne=${app.organization.owner.sessionToken}`;

  it.each([
    ['an unknown member in the body', 'POST', `${BASE}/cases`, { body: { color: 'red' } }],
    ['a body that is no JSON', 'POST', `${BASE}/cases`, { body: '{' }],
    [
      'a body of another type',
      'POST',
      `${BASE}/cases`,
      { body: 'a=1', headers: { 'content-type': 'text/plain' } },
    ],
    ['a reason that is no text', 'POST', `${BASE}/case-requests/x/approve`, { body: { reason: 5 } }],
    ['no body', 'POST', `${BASE}/case-reports`, {}],
    ['a page size of nonsense', 'GET', `${BASE}/cases?limit=many`, {}],
    ['an unknown filter', 'GET', '/api/auditors-log?color=red', {}],
    ['a format that does not exist', 'POST', '/api/auditors-log/reports', { body: { format: 'docx' } }],
  ])('is told that, and not that the request has %s', async (_, method, path, call) => {
    expect(await status(method, path, { ...call, cookie })).toBe(403);
    expect(await status(method, path, call)).toBe(401);
  });

  it('is told about errors in the request once the permission is granted', async () => {
    expect(await status('GET', '/api/auditors-log?color=red', { cookie: owner() })).toBe(400);
    expect(await status('GET', '/api/auditors-log?user_id=nope', { cookie: owner() })).toBe(400);
    expect(
      await status('POST', '/api/auditors-log/reports', { cookie: owner(), body: { format: 'docx' } }),
    ).toBe(400);
    expect(await status('GET', '/api/auditors-log', { cookie: owner() })).toBe(200);
  });

  it('is told that about the log of a case, for any body, if one of two permissions is missing', async () => {
    const path = `${BASE}/cases/cas_01kaj8f7w5fmxvb2c8n4q6t1yr/auditors-log/reports`;
    const holding = async (...auditor: string[]) => {
      const applications = [{ foreignId: 'payments', auditor }];
      const { sessionToken } = await seedMember(
        app.application.foundation,
        app.organization.organization.id,
        { applications },
      );
      return `lucarne=${sessionToken}`;
    };
    const [create, view] = ['reports:create', 'reports:view_transactions'] as const;
    for (const body of [{}, { format: 'docx' }, '{']) {
      for (const held of [create, view])
        expect(await status('POST', path, { cookie: await holding(held), body })).toBe(403);
    }
    const both = await holding(create, view);
    expect(await status('POST', path, { cookie: both, body: {} })).toBe(404);
    expect(await status('POST', path, { cookie: both, body: { color: 'red' } })).toBe(400);
  });

  it('gets the same response for an unknown application', async () => {
    const path = '/api/applications/nowhere/cases';
    expect(await status('POST', path, { cookie: owner(), body: { color: 'red' } })).toBe(403);
  });

  it('causes a refusal in the security log of the owners', async () => {
    const ask = async () => {
      const response = await fetch(`${app.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie: owner(), origin: app.url },
        body: JSON.stringify({ query: '{ securityEvents { nodes { event operation } } }' }),
      });
      return JSON.stringify(await response.json());
    };
    await status('POST', `${BASE}/case-reports`, { cookie, body: '{' });
    await eventually(ask, (events) =>
      events.includes('{"event":"permission.refused","operation":"createCaseReport"}'),
    );
  });
});
