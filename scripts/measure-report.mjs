// How long a report of many records takes, and what it holds in memory, beside COPY of the same rows by PostgreSQL.
//   DATABASE_URL=postgres://…/an_empty_database npx node --expose-gc scripts/measure-report.mjs [records] [format]
// The records are public deposits: what is measured is reading, writing, sealing and storing, without decryption.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { clearInterval, setInterval } from 'node:timers';
import 'reflect-metadata';

const [records = '1000000', format = 'csv'] = process.argv.slice(2);
const url = process.env['DATABASE_URL'];
if (url === undefined) throw new Error('DATABASE_URL must name an empty database.');

const dist = (path) => import(new URL(`../dist/${path}`, import.meta.url).href);
const { connectDatabase, inProcessSignals, sql } = await dist('database/index.js');
const { entities } = await dist('entities.js');
const crypto = await dist('crypto/index.js');
const organizations = await dist('organizations/index.js');
const reports = await dist('reports/index.js');
const { generateCaseReport } = await dist('reports/generate-case-report.js');
const { systemClock } = await dist('kernel/clock.js');
const { systemRandom } = await dist('kernel/random.js');
const { silentLog } = await dist('kernel/log.js');
const { newId } = await dist('kernel/ids.js');

await using parts = new AsyncDisposableStack();
const database = parts.use(await connectDatabase({ entities, target: { url } }));
await database.migrate();
const foundation = {
  database,
  signals: parts.use(inProcessSignals()),
  clock: systemClock,
  random: systemRandom,
  sealer: crypto.createSealer(randomBytes(32)),
  log: silentLog,
};

const { principal, caseId, assetId } = await seed(Number(records));
const pool = parts.use(crypto.createDecryptionPool({ workers: 1, queueLimit: 1_000 }));
const reporting = parts.use(
  reports.createReporting(foundation, { pool, publicHost: () => 'lucarne.example' }),
);

for (let round = 1; round <= 3; round += 1) {
  const copySeconds = await timed(copy);
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let highest = before;
  const watch = setInterval(() => (highest = Math.max(highest, process.memoryUsage().rss)), 50);
  let report;
  const cpuBefore = process.cpuUsage();
  const reportSeconds = await timed(async () => {
    const input = { application: 'measured', caseId, reportType: 'transaction_detail', format, wait: true };
    ({ report } = await generateCaseReport(reporting, principal, input));
  });
  clearInterval(watch);
  const cpu = process.cpuUsage(cpuBefore);
  const downloadSeconds = await timed(async () => {
    const range = { start: 0, end: report.sizeBytes };
    for await (const piece of reports.readReportBytes(foundation, report.organizationId, report.id, range))
      void piece;
  });
  process.stdout.write(
    `${JSON.stringify({
      round,
      records: report.recordCount,
      bytes: report.sizeBytes,
      copySeconds,
      reportSeconds,
      // Of this process: the rest of the time is the database's.
      cpuSeconds: round2((cpu.user + cpu.system) / 1e6),
      ratio: round2(reportSeconds / copySeconds),
      downloadSeconds,
      rssBeforeMiB: mib(before),
      rssRiseMiB: mib(highest - before),
    })}\n`,
  );
}

async function seed(count) {
  const organization = await organizations.createOrganization(foundation, {
    name: 'Measured',
    owner: { email: `owner-${newId('usr')}@example.test`, name: 'Owner', password: 'correct horse battery' },
  });
  const application = await organizations.createApplication(
    foundation,
    organizations.operatorOf(organization.id),
    { foreignId: 'measured', name: 'Measured' },
  );
  const userId = organization.owner.id;
  const id = { asset: newId('ast'), request: newId('crq'), case: newId('cas') };
  await database.rows(sql`
    insert into auditor_keys (organization_id, epoch, public_key, sealed_secret, created_at)
    values (${organization.id}, 1, ${randomBytes(32)}, ${randomBytes(61)}, now())`);
  await database.rows(sql`
    insert into assets (id, organization_id, application_id, name, symbol, decimals, auditor_public_key,
      auditor_key_epoch, status, created_at, updated_at)
    values (${id.asset}, ${organization.id}, ${application.id}, 'Measured', 'MSRD', 6, ${randomBytes(32)}, 1, 'active',
      now(), now())`);
  await database.rows(sql`
    insert into transactions (id, asset_id, position, signature, path, type, slot, block_time, signer,
      source_account, destination_account, public_data, ciphertexts, indexed_at)
    select 'txn_' || lpad(n::text, 26, '0'), ${id.asset}, n, substr(repeat(md5(n::text), 3), 1, 88), '{0,0,0}',
      'confidential_deposit', n, 1767225600 + n, substr(repeat(md5((n % 977)::text), 2), 1, 44),
      substr(repeat(md5((n % 991)::text), 2), 1, 44), substr(repeat(md5((n % 991)::text), 2), 1, 44),
      jsonb_build_object('amount', (n * 1000)::text, 'authority', substr(repeat(md5((n % 977)::text), 2), 1, 44)), '{}',
      now()
    from generate_series(1, ${count}::integer) as n`);
  await database.rows(sql`analyze transactions`);
  const flags = JSON.stringify({ fullTxIds: true, senderInformation: true, withdrawalDetails: true });
  const day = (seconds) => new Date(seconds * 1000).toISOString().slice(0, 10);
  const [from, to] = [day(1767225600), day(1767225600 + count)];
  await database.rows(sql`
    insert into case_requests (id, organization_id, application_id, status, reason, requested_by, period_from, period_to,
      access_days, disclosure_flags, auditor_ids, asset_ids, created_at, decided_at, decided_by, case_id, change)
    values (${id.request}, ${organization.id}, ${application.id}, 'approved', 'Measured', ${userId}, ${from}, ${to}, 30,
      ${flags}::jsonb, ${[userId]}, ${[id.asset]}, now(), now(), ${userId}, ${id.case}, 1)`);
  await database.rows(sql`
    insert into cases (id, organization_id, application_id, request_id, reason, period_from, period_to, access_days,
      disclosure_flags, asset_ids, approved_by, created_at, expires_at, change)
    values (${id.case}, ${organization.id}, ${application.id}, ${id.request}, 'Measured', ${from}, ${to}, 30,
      ${flags}::jsonb, ${[id.asset]}, ${userId}, now(), now() + interval '30 days', 2)`);
  await database.rows(sql`insert into case_auditors (case_id, user_id) values (${id.case}, ${userId})`);
  // Asked again of the database when the report is made.
  await database.rows(sql`
    insert into permission_grants (organization_id, user_id, application_id, bucket, permission)
    select ${organization.id}, ${userId}, ${application.id}, 'auditor', permission
    from unnest('{reports:create,reports:view_transactions}'::text[]) as permission`);
  const buckets = {
    common: new Set(),
    administrator: new Set(),
    auditor: new Set(['reports:create', 'reports:view_transactions']),
  };
  const principal = {
    kind: 'user',
    organizationId: organization.id,
    organizationName: 'Measured',
    userId,
    sessionId: newId('ses'),
    name: 'Owner',
    email: 'owner@example.test',
    grants: { owner: new Set(), applications: new Map([[application.id, buckets]]) },
    applications: new Map([[application.id, { foreignId: 'measured', name: 'Measured' }]]),
  };
  return { principal, caseId: id.case, assetId: id.asset };
}

/** The same columns of the same rows in the same order, to nowhere. */
function copy() {
  const statement = `copy (
    select transactions.id, signature, type, to_timestamp(block_time), asset_id, assets.symbol, assets.decimals,
      public_data->>'amount', source_account, destination_account, signer, public_data->>'authority', '', ''
    from transactions join assets on assets.id = asset_id
    where asset_id = '${assetId}' and type = any('{confidential_deposit,confidential_withdraw}') and block_time >= 0
    order by block_time, position) to stdout with (format csv, header)`;
  return new Promise((resolve, reject) => {
    const psql = spawn('psql', [url, '-qc', statement], { stdio: ['ignore', 'ignore', 'inherit'] });
    psql.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`psql ended with ${code}.`))));
  });
}

async function timed(work) {
  const began = performance.now();
  await work();
  return round2((performance.now() - began) / 1000);
}

function round2(value) {
  return Math.round(value * 100) / 100;
}

function mib(bytes) {
  return Math.round(bytes / 1024 / 1024);
}
