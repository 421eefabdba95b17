import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Secret, TOTP } from 'otpauth';
import { type Database, sql } from '../../../src/platform/database/index.js';
import { bearer, graphql, sessionOf, startTestApp, type TestApp } from '../../kit/app.js';
import { eventually } from '../../kit/eventually.js';
import { SEED_PASSWORD } from '../../kit/seed.js';
import { type Desk, openDesk } from '../../portal/kit.js';

const AMOUNTS = [842_135_000_017n, 77_123_456_789n];
/** No client has it but the one that fails to sign in. */
const GUESSER = '198.51.100.77';
const PASSWORD = 'a lantern behind the ninth door';

interface Cell {
  readonly place: string;
  readonly text: string;
}

/** Every value of every table, as a dump holds it. */
async function everyCell(database: Database): Promise<Cell[]> {
  const columns = await database.rows(sql<{ table: string; column: string }>`
    select c.relname::text as "table", a.attname::text as "column" from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`);
  const cells: Cell[] = [];
  for (const { table, column } of columns) {
    const rows = await database.rows(
      sql<{
        text: string;
      }>`select ${sql.ref(column)}::text as text from ${sql.ref(table)} where ${sql.ref(column)} is not null`,
    );
    cells.push(...rows.map(({ text }) => ({ place: `${table}.${column}`, text })));
  }
  return cells;
}

const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest();

/** The ways in which a program could have written a text: as it is, or as bytes. */
function writings(text: string): string[] {
  const bytes = Buffer.from(text);
  return [
    text,
    bytes.toString('hex'),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
  ];
}

/** Digests with which a guess is tested: of the value as text, in JSON and in lower case, also when they are cut to 128 bits. */
const digestsOf = (text: string) =>
  [text, JSON.stringify(text), text.toLowerCase(), `${text}\n`].flatMap((form) => {
    const digest = sha256(form).subarray(0, 16);
    return [
      digest.toString('hex'),
      digest.toString('base64').slice(0, 20),
      digest.toString('base64url').slice(0, 20),
    ];
  });

describe('a stolen copy of the database', () => {
  let app: TestApp;
  let desk: Desk;
  let cells: Cell[];
  /** Secrets that were given to people and programs, by what they are. */
  const secrets = new Map<string, string>();
  const reportTexts: string[] = [];

  const placesOf = (needles: readonly string[]) => [
    ...new Set(
      cells.filter(({ text }) => needles.some((needle) => text.includes(needle))).map(({ place }) => place),
    ),
  ];

  beforeAll(async () => {
    app = await startTestApp({ LUCARNE_TRUST_PROXY: '1' });
    desk = await openDesk(app, AMOUNTS);
    const { everything, auditor, administrator } = desk;
    secrets.set('the session of an owner', everything.sessionToken);
    secrets.set('an API key', app.organization.apiKey.secret);
    secrets.set('the password of the members', SEED_PASSWORD);

    const key = await desk.asOwner(
      'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret } }',
      { input: { name: 'backend', scopes: ['disclosures:read'] } },
    );
    secrets.set('another API key', (key as { createApiKey: { secret: string } }).createApiKey.secret);
    const invited = await desk.asOwner(
      'mutation ($input: InviteMemberInput!) { inviteMember(input: $input) { link } }',
      { input: { email: 'new@example.test', name: 'Nina New' } },
    );
    const { link } = (invited as { inviteMember: { link: string } }).inviteMember;
    const token = link.slice(link.indexOf('#') + 1);
    secrets.set('the token of an invitation', token);
    const accepted = await graphql(
      app,
      'mutation ($input: AcceptInvitationInput!) { acceptInvitation(input: $input) { user { id } } }',
      { variables: { input: { token, password: PASSWORD } } },
    );
    expect(accepted.errors).toBeUndefined();
    secrets.set('the password that a person chose', PASSWORD);

    // A second factor, and the codes that replace it.
    const asAdministrator = sessionOf(app, administrator.sessionToken);
    const { data } = await graphql(app, 'mutation { proposeTotp { secret } }', { headers: asAdministrator });
    const { secret } = data!['proposeTotp'] as { secret: string };
    const totp = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
    secrets.set('the secret of an authenticator', secret);
    secrets.set('the bytes of that secret', Buffer.from(Secret.fromBase32(secret).bytes).toString('latin1'));
    const request = await desk.ask('A quarterly look');
    const reviewed = await desk.approve(request);
    await graphql(app, 'mutation ($input: EnableTotpInput!) { enableTotp(input: $input) }', {
      headers: asAdministrator,
      variables: { input: { password: SEED_PASSWORD, secret, totp } },
    });

    // What is decrypted: a page of a case, reports in each format, a disclosure that is read twice under one key.
    const asAuditor = sessionOf(app, auditor.sessionToken);
    const read = await graphql(
      app,
      `
        query ($id: ID!) {
          case(foreignId: "payments", id: $id) {
            transactions(first: 10) {
              nodes {
                amount
              }
            }
          }
        }
      `,
      { headers: asAuditor, variables: { id: reviewed } },
    );
    expect(read.errors).toBeUndefined();
    expect(JSON.stringify(read.data)).toContain(String(AMOUNTS[0]));
    for (const format of ['csv', 'json', 'pdf']) {
      const made = await fetch(`${app.url}/api/applications/payments/case-reports`, {
        method: 'POST',
        headers: { ...asAuditor, 'content-type': 'application/json' },
        body: JSON.stringify({ case_id: reviewed, report_type: 'transaction_detail', format }),
      });
      const report = (await made.json()) as { id: string };
      expect([made.status, report]).toMatchObject([201, {}]);
      const file = await fetch(`${app.url}/api/applications/payments/reports/${report.id}/download`, {
        headers: asAuditor,
      });
      const bytes = Buffer.from(await file.arrayBuffer());
      secrets.set(`the digest of the ${format} report`, sha256(bytes).toString('hex'));
      if (format !== 'pdf') reportTexts.push(bytes.toString());
    }
    const disclosure = await desk.disclose();
    const result = await graphql(
      app,
      'query ($id: ID!) { disclosure(id: $id) { result { content salt } } }',
      { headers: bearer(app.organization.apiKey.secret), variables: { id: disclosure } },
    );
    expect(JSON.stringify(result.data)).toContain(String(AMOUNTS[0]));

    await graphql(app, 'mutation ($input: SignInInput!) { signIn(input: $input) { user { id } } }', {
      headers: { 'x-forwarded-for': GUESSER },
      variables: { input: { email: auditor.email, password: 'not the right password' } },
    });
    // Refusals are written after their answers.
    await eventually(async () => (await app.database.rows(sql`select from security_events`)).length > 0);
    cells = await everyCell(app.database);
  }, 120_000);
  afterAll(async () => {
    await app[Symbol.asyncDispose]();
  });

  it('has names, e-mail addresses and SHA-256 of random tokens, which the search of these stories finds', () => {
    expect(placesOf(writings(desk.auditor.email))).toEqual(
      expect.arrayContaining(['accounts.email', 'users.email']),
    );
    const key = secrets.get('an API key')!;
    const digest = sha256(key).toString('hex');
    expect(placesOf([digest])).toEqual(['api_keys.secret_hash']);
  });

  it('has no amount, in no form', () => {
    for (const amount of AMOUNTS) {
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64LE(amount);
      const forms = [
        ...writings(String(amount)),
        bytes.toString('hex').replace(/(00)+$/, ''),
        Buffer.from(bytes)
          .reverse()
          .toString('hex')
          .replace(/^(00)+/, ''),
        ...digestsOf(String(amount)),
      ];
      expect(placesOf(forms)).toEqual([]);
    }
  });

  it('has no report, also no part of one, and no digest of it', () => {
    for (const report of reportTexts) {
      const part = report.slice(100, 148);
      expect(placesOf([part, Buffer.from(part).toString('hex')])).toEqual([]);
    }
  });

  it('has no password, token, key or secret', () => {
    for (const [what, secret] of secrets) {
      const held = placesOf(writings(secret));
      expect([what, held]).toEqual([what, []]);
    }
  });

  it('has no digest with which a guess of a password, of an address of a client or of an e-mail address can be tested', () => {
    for (const guess of [
      PASSWORD,
      SEED_PASSWORD,
      GUESSER,
      '198.51.100.77/32',
      '127.0.0.1',
      desk.auditor.email,
    ])
      expect([guess, placesOf(digestsOf(guess))]).toEqual([guess, []]);
  });

  it('has the addresses of clients where docs/security.md says so, and nowhere else', () => {
    expect(placesOf(writings(GUESSER))).toEqual(['security_events.client_address']);
  });
});
