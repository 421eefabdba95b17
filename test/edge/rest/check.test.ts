import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { sanctionsXml, sha256Hex } from '../../domain/checks/kit.js';
import { eventually } from '../../kit/eventually.js';
import { listen } from '../../kit/process/local-server.js';
import { graphql, sessionOf, startTestApp, type TestApp } from '../../kit/app.js';
import { randomAddress } from '../../kit/ledger/confidential-records.js';
import { callRest, type RestAnswer } from './server/rest-server.js';

const PER_CLIENT = 40;
const sanctioned = randomAddress();
const flagged = randomAddress();
const xml = sanctionsXml({ addresses: { 'Digital Currency Address - USDT': [sanctioned] } });

let app: TestApp;
let directory: string;
let service: Server;
let serviceStatus = 200;
let client = 1;

beforeAll(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'lucarne-check-'));
  const file = path.join(directory, 'sdn.xml');
  await writeFile(file, xml);
  service = createServer((request, response) => {
    const identifications = request.url!.endsWith(flagged)
      ? [
          {
            category: 'sanctions',
            name: 'A party',
            description: 'Named elsewhere',
            url: 'https://list.example',
          },
        ]
      : [];
    response.writeHead(serviceStatus, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ identifications }));
  });
  app = await startTestApp({
    LUCARNE_SANCTIONS_FILE: file,
    LUCARNE_SCREENING_URL: `http://127.0.0.1:${await listen(service)}`,
    LUCARNE_SCREENING_API_KEY: 'hush-hush',
    LUCARNE_CHECK_PER_CLIENT: String(PER_CLIENT),
    LUCARNE_TRUST_PROXY: 'loopback',
  });
  await eventually(
    () => reasonOf(sanctioned),
    (reason) => reason === 'sanctioned',
  );
}, 480_000);

afterAll(async () => {
  await app[Symbol.asyncDispose]();
  service.close();
  await rm(directory, { recursive: true });
});

const check = (body: unknown, headers: Record<string, string> = {}): Promise<RestAnswer> =>
  // Each from a different client, so that no story uses up the limit of another.
  callRest(`${app.url}/check`, 'POST', {
    body,
    headers: { 'x-forwarded-for': `198.51.100.${client++ % 250}`, ...headers },
  });
const subject = (address: string) => ({
  network: 'solana',
  address,
  applicationId: app.organization.application.checkApplicationId,
});
const reasonOf = async (address: string) =>
  ((await check(subject(address))).body as { reason: string }).reason;
const manage = (mutation: string) =>
  graphql(app, `mutation { ${mutation} }`, { headers: sessionOf(app, app.organization.owner.sessionToken) });

describe('POST /check', () => {
  it('answers without credentials what the application and the screening decide', async () => {
    const address = randomAddress();
    const answer = await check(subject(address));
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(answer.body).toEqual({
      approved: false,
      checkId: expect.stringMatching(/^chk_/),
      metadataHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      reason: 'not_approved',
    });
    for (const named of [address, sanctioned, flagged]) {
      const { data } = await manage(
        `approveAddress(input: { foreignId: "payments", network: solana, address: "${named}", reason: "Ours" }) { status }`,
      );
      expect(data).toEqual({ approveAddress: { status: 'approved' } });
    }
    expect([await reasonOf(address), await reasonOf(sanctioned), await reasonOf(flagged)]).toEqual([
      'approved',
      'sanctioned',
      'sanctioned',
    ]);
    const unknown = await check({
      ...subject(address),
      applicationId: app.organization.application.foreignId,
    });
    expect(unknown.body).toMatchObject({ approved: false, reason: 'unknown_application' });
    expect(unknown.status).toBe(200);
  });

  it('approves nothing while the screening service fails', async () => {
    const address = randomAddress();
    await manage(
      `approveAddress(input: { foreignId: "payments", network: solana, address: "${address}", reason: "Ours" }) { status }`,
    );
    serviceStatus = 429;
    expect(await reasonOf(address)).toBe('screening_unavailable');
    serviceStatus = 200;
    expect(await reasonOf(address)).toBe('approved');
  });

  it('returns an id under which administrators can read everything that its hash covers', async () => {
    const answer = (await check(subject(randomAddress()))).body as { checkId: string; metadataHash: string };
    const { data } = await graphql(
      app,
      `
        query ($id: ID!) {
          addressCheck(id: $id) {
            network
            address
            applicationId: checkApplicationId
            approved
            reason
            policyVersion
            listVersion
            checkedAt
            metadataHash
            decidedBy
          }
        }
      `,
      {
        variables: { id: answer.checkId },
        headers: sessionOf(app, app.organization.owner.sessionToken),
      },
    );
    const { metadataHash, decidedBy, ...members } = data!['addressCheck'] as Record<string, unknown>;
    // Another implementation of the canonical form: sorted names, and only plain strings, numbers, booleans and null as values.
    const canonical = `{${Object.keys(members)
      .sort()
      .map((name) => `${JSON.stringify(name)}:${JSON.stringify(members[name])}`)
      .join(',')}}`;
    expect(createHash('sha256').update(canonical).digest('hex')).toBe(answer.metadataHash);
    expect([metadataHash, decidedBy]).toEqual([answer.metadataHash, 'default']);
    expect(members['listVersion']).toBe(`2026-11-03/${sha256Hex(xml)}`);
  });

  it.each<[object | string, string]>([
    [{ network: 'ethereum' }, 'invalid_network'],
    [{ network: 'Solana' }, 'invalid_network'],
    [{ address: '0x00000000219ab540356cBB839Cbe05303d7705Fa' }, 'invalid_address'],
    [{ address: '1'.repeat(31) }, 'invalid_address'],
    [{ address: '' }, 'invalid_address'],
    [{ applicationId: ' ' }, 'invalid_request'],
    [{ applicationId: 'nul\u0000' }, 'invalid_request'],
    [{ address: 7 }, 'invalid_request'],
    [{ adress: 'x' }, 'invalid_request'],
    [{ applicationId: undefined }, 'invalid_request'],
    ['{', 'invalid_request'],
    ['', 'invalid_request'],
  ])('refuses %j as %s', async (change, reason) => {
    const answer = await check(
      typeof change === 'string' ? change : { ...subject(randomAddress()), ...change },
    );
    expect(answer.body).toEqual({
      statusCode: 400,
      error: 'Bad Request',
      message: expect.any(String),
      reason,
    });
    expect(answer.status).toBe(400);
  });

  it('refuses another content type, and a body that is too large', async () => {
    const form = await check('network=solana', { 'content-type': 'application/x-www-form-urlencoded' });
    expect(form.body).toMatchObject({ statusCode: 415, reason: 'unsupported_media_type' });
    const large = await check({ ...subject(randomAddress()), address: 'x'.repeat(70_000) });
    expect(large.body).toMatchObject({ statusCode: 413, reason: 'payload_too_large' });
  });

  it('counts invalid checks, and REST and GraphQL checks of a client together', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    const wrong = { ...subject(randomAddress()), address: 'nowhere' };
    const query = `mutation ($n: Network!, $a: String!, $i: ID!) {
      checkAddress(input: { network: $n, address: $a, checkApplicationId: $i }) { reason } }`;
    const variables = { n: wrong.network, a: wrong.address, i: wrong.applicationId };
    // The limit of two windows plus one, because a minute may end in between.
    let refused: RestAnswer | undefined;
    for (let request = 0; request <= 2 * PER_CLIENT && !refused; request += 1) {
      const answer = await check(wrong, headers);
      if (answer.status === 429) refused = answer;
    }
    expect(refused?.body).toMatchObject({ statusCode: 429, reason: 'rate_limited' });
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    for (let request = 0; request <= PER_CLIENT; request += 1) {
      const answer = await graphql(app, query, { variables, headers });
      if (answer.errors?.[0]?.extensions['code'] === 'TOO_MANY_REQUESTS') return;
    }
    throw new Error('GraphQL counts apart.');
  });

  it('updates the metrics: reasons, and the list in use', async () => {
    const metrics = await (await fetch(`${app.url}/metrics`)).text();
    expect(metrics).toContain('lucarne_checks_total{reason="sanctioned"}');
    expect(metrics).toContain(`lucarne_sanctions_list_info{version="2026-11-03/${sha256Hex(xml)}"} 1`);
    expect(metrics).toMatch(/^lucarne_sanctions_list_entries 1$/m);
    expect(metrics).toMatch(/^lucarne_sanctions_list_age_seconds \d+/m);
    expect(metrics).toMatch(/^lucarne_screening_failures_total\{step="screening_service"\} \d+$/m);
    expect(app.logged()).not.toContain('hush');
  });
});
