import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { operatorOf, type UserPrincipal } from '#lucarne/domain/access/index.js';
import { createDecryptionPool } from '#lucarne/platform/crypto/index.js';
import { sql, type Foundation } from '#lucarne/platform/database/index.js';
import { newId, type Id } from '#lucarne/platform/kernel/ids.js';
import { createApplication, createOrganization } from '#lucarne/domain/organizations/index.js';
import { createReporting, readReportBytes, type Reporting } from '#lucarne/domain/reports/index.js';
import { generateCaseReport } from '#lucarne/domain/reports/generation/generate-case-report.js';
import type { Benchmark } from './kit/benchmark.ts';
import { compare, timed } from './kit/compare.ts';
import { openFoundation } from './kit/foundation.ts';
import { openCase } from './kit/open-case.ts';

/** The second of the first record. */
const BEGIN = 1_767_225_600;
const DAY = 86_400;
/** Days of records in the compared report, and in the report whose memory is measured. */
const SHORT = 2;
const LONG = 10;
const APPLICATION = 'measured';
const MEBIBYTE = 2 ** 20;

/**
 * A detail report of a case, made by an auditor, compared with `COPY … TO STDOUT` of the same columns of the same rows in the
 * same order by PostgreSQL. The records are public deposits, so there is no decryption, which has a separate benchmark. Another
 * report with a million records shows the memory use.
 */
export const benchmark: Benchmark = async (conditions) => {
  const { quick, pairs, databaseUrl, parts, tell } = conditions;
  const foundation = await openFoundation(conditions);
  const perDay = quick ? 500 : 100_000;
  const [some, many] = [SHORT * perDay, LONG * perDay];
  const seeded = await seed(foundation, { count: many, perDay });
  tell(`${many} records indexed`);
  const pool = parts.use(createDecryptionPool({ workers: 1, queueLimit: 1_000 }));
  const reporting = parts.use(createReporting(foundation, { pool, publicHost: () => 'lucarne.example' }));
  const { applicationId, assetId, principal } = seeded;
  const { organizationId, userId } = principal;
  const plan = { organizationId, applicationId, assetId, userId, begin: new Date(BEGIN * 1000) };
  const small = await openCase(foundation, { ...plan, days: SHORT });
  const large = await openCase(foundation, { ...plan, days: LONG });

  const comparison = await compare(
    {
      product: () =>
        timed(some, async () => {
          const { recordCount } = await generate(reporting, seeded.principal, small);
          if (recordCount !== some) throw new Error(`The report has ${recordCount} records, not ${some}.`);
        }),
      reference: () => timed(some, () => copy(databaseUrl, seeded.assetId, SHORT)),
    },
    pairs,
  );
  tell('reports of one length compared');

  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let highest = before;
  const watch = setInterval(() => (highest = Math.max(highest, process.memoryUsage.rss())), 50);
  let report!: Awaited<ReturnType<typeof generate>>;
  const { seconds } = await timed(many, async () => {
    report = await generate(reporting, seeded.principal, large);
  });
  clearInterval(watch);
  await expectRecords(foundation, report, many);
  return [
    {
      what: `Report of ${some.toLocaleString('en-US')} records, CSV`,
      unit: 'records',
      reference: '`COPY` of the same query',
      reach: 0.8,
      ...comparison,
      additional: {
        [`${many.toLocaleString('en-US')} records, s`]: seconds,
        'of MiB': (report.sizeBytes ?? 0) / MEBIBYTE,
        'memory rise MiB': (highest - before) / MEBIBYTE,
      },
    },
  ];
};

interface Seeded {
  readonly principal: UserPrincipal;
  readonly applicationId: Id<'app'>;
  readonly assetId: Id<'ast'>;
}

async function seed(
  foundation: Foundation,
  { count, perDay }: { readonly count: number; readonly perDay: number },
): Promise<Seeded> {
  const { database } = foundation;
  const organization = await createOrganization(foundation, {
    name: 'Measured',
    owner: { email: 'owner@example.test', name: 'Owner', password: randomBytes(16).toString('hex') },
  });
  const application = await createApplication(foundation, operatorOf(organization.id), {
    foreignId: APPLICATION,
    name: 'Measured',
  });
  const assetId = newId('ast');
  const userId = organization.owner.id;
  const sessionId = newId('ses');
  await database.rows(sql`
    insert into sessions (id, token_hash, user_id, organization_id, created_at, last_seen_at, expires_at)
    values (${sessionId}, ${randomBytes(32)}, ${userId}, ${organization.id}, now(), now(), now() + interval '12 hours')`);
  await database.rows(sql`
    insert into auditor_keys (organization_id, epoch, public_key, sealed_secret, created_at)
    values (${organization.id}, 1, ${randomBytes(32)}, ${randomBytes(61)}, now())`);
  await database.rows(sql`
    insert into assets (id, organization_id, application_id, name, symbol, decimals, auditor_public_key,
      auditor_key_epoch, status, created_at, updated_at)
    values (${assetId}, ${organization.id}, ${application.id}, 'Measured', 'MSRD', 6, ${randomBytes(32)}, 1, 'active',
      now(), now())`);
  // One part at a time, because a connection that is silent for too long is closed.
  for (let first = 1; first <= count; first += perDay)
    await database.rows(sql`
      insert into transactions (id, asset_id, position, signature, path, type, slot, block_time, signer,
        source_account, destination_account, public_data, ciphertexts, indexed_at)
      select 'txn_' || lpad(n::text, 26, '0'), ${assetId}, n, substr(repeat(md5(n::text), 3), 1, 88), '{0,0,0}',
        'confidential_deposit', n, ${BEGIN}::integer + (n - 1) * ${DAY}::bigint / ${perDay}, substr(repeat(md5((n % 977)::text), 2), 1, 44),
        substr(repeat(md5((n % 991)::text), 2), 1, 44), substr(repeat(md5((n % 991)::text), 2), 1, 44),
        jsonb_build_object('amount', (n * 1000)::text, 'authority', substr(repeat(md5((n % 977)::text), 2), 1, 44)), '{}',
        now()
      from generate_series(${first}::integer, ${first + perDay - 1}::integer) as n`);
  await database.rows(sql`analyze transactions`);
  const buckets = {
    common: new Set<never>(),
    administrator: new Set<never>(),
    auditor: new Set(['reports:create', 'reports:download', 'reports:view_transactions'] as const),
  };
  return {
    applicationId: application.id,
    assetId,
    principal: {
      kind: 'user',
      organizationId: organization.id,
      organizationName: 'Measured',
      userId,
      accountId: newId('acc'),
      sessionId,
      signedInAt: new Date(0),
      factorAt: null,
      isFactorRequired: false,
      name: 'Owner',
      email: 'owner@example.test',
      grants: { owner: new Set(), applications: new Map([[application.id, buckets]]) },
      applications: new Map([[application.id, { foreignId: APPLICATION, name: 'Measured' }]]),
    },
  };
}

async function generate(reporting: Reporting, principal: UserPrincipal, caseId: Id<'cas'>) {
  const input = {
    foreignId: APPLICATION,
    caseId,
    reportType: 'transaction_detail',
    format: 'csv',
    wait: true,
  };
  const { report } = await generateCaseReport(reporting, principal, input);
  if (!report) throw new Error('The report was not made.');
  return report;
}

/** Every record is in the report once, in order. */
async function expectRecords(
  foundation: Foundation,
  report: Awaited<ReturnType<typeof generate>>,
  count: number,
): Promise<void> {
  const bytes = readReportBytes(foundation, report.organizationId, report.id, {
    start: 0,
    end: report.sizeBytes ?? 0,
  });
  let seen = 0;
  for await (const line of createInterface({ input: Readable.from(bytes) })) {
    if (!line.startsWith('txn_')) continue;
    seen += 1;
    if (!line.startsWith(`${recordId(seen)},`))
      throw new Error(`Record ${seen} of the report is another one.`);
  }
  if (seen !== count) throw new Error(`The report has ${seen} records, not ${count}.`);
}

/** Copies the same columns of the same rows in the same order on the server, and discards the output. */
function copy(databaseUrl: string, assetId: Id<'ast'>, days: number): Promise<void> {
  const statement = `copy (
    select transactions.id, signature, type, to_timestamp(block_time), asset_id, assets.symbol, assets.decimals,
      public_data->>'amount', source_account, destination_account, signer, public_data->>'authority', '', ''
    from transactions join assets on assets.id = asset_id
    where asset_id = '${assetId}' and type = any('{confidential_deposit,confidential_withdraw}')
      and block_time >= ${BEGIN} and block_time < ${BEGIN + days * DAY}
    order by block_time, position) to stdout with (format csv, header)`;
  return new Promise((resolve, reject) => {
    const psql = spawn('psql', [databaseUrl, '-qc', statement], { stdio: ['ignore', 'ignore', 'inherit'] });
    psql.once('error', reject);
    psql.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`psql ended with ${code}.`))));
  });
}

const recordId = (n: number) => `txn_${String(n).padStart(26, '0')}`;
