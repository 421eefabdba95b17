import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Benchmark, Conditions, Result } from '../kit/benchmark.ts';
import { quantile } from '../kit/compare.ts';
import { openEmbeddedFoundation, openFoundation } from '../kit/foundation.ts';
import { startGateway, type Server } from '../kit/gateway.ts';
import type { Heard } from './probe.ts';
import { ACCOUNT, APPLICATION, OWNER, seed, type Seeded, type Sizes } from './seed.ts';

const LARGE: Sizes = { entries: 6_118, deposits: 16_150, transfers: 3_901 };
const SMALL: Sizes = { entries: 40, deposits: 60, transfers: 20 };
const READERS = 8;

/**
 * The longest time for an answer of `/livez` while the gateway does long work: the PDF of a log, a detail report of a case, and
 * several readers of a large disclosure; on PostgreSQL and on the embedded database. The ratio compares its answers during this
 * time with its answers without the work.
 */
export const benchmark: Benchmark = async (conditions) => [
  await measure('PostgreSQL', conditions),
  await measure('the embedded database', conditions),
];

async function measure(kind: string, { quick, databaseUrl, parts, tell }: Conditions): Promise<Result> {
  const sizes = quick ? SMALL : LARGE;
  const records = sizes.deposits + sizes.transfers;
  const masterKey = randomBytes(32);
  const directory = await mkdtemp(path.join(os.tmpdir(), 'lucarne-bench-'));
  parts.defer(() => rm(directory, { recursive: true, force: true }));
  const isEmbedded = kind !== 'PostgreSQL';
  let seeded: Seeded;
  {
    await using seeding = new AsyncDisposableStack();
    const foundation = isEmbedded
      ? await openEmbeddedFoundation(directory, seeding, masterKey)
      : await openFoundation({ databaseUrl, parts: seeding }, masterKey);
    seeded = await seed(foundation, sizes);
  }
  tell(`${kind}: seeded`);
  // Uses all cores, as users do.
  const server = parts.use(
    await startGateway({
      ...(isEmbedded ? {} : { databaseUrl }),
      ...{ core: 'any', masterKey, environment: { LUCARNE_DATA_DIR: directory } },
    }),
  );
  const client = await openClient(server, seeded);
  const disclosureId = await client.disclose(sizes.transfers);
  tell(`${kind}: disclosed`);

  const probe = new Worker(new URL('probe.ts', import.meta.url), {
    workerData: `http://127.0.0.1:${server.port}/livez`,
  });
  parts.defer(async () => {
    await probe.terminate();
  });
  const hear = () =>
    new Promise<readonly number[]>((resolve, reject) => {
      probe.once('error', reject);
      probe.once('message', ({ answersMs }: Heard) => {
        probe.off('error', reject);
        resolve(answersMs);
      });
      probe.postMessage('hear');
    });
  const during = async (work: () => Promise<unknown>) => {
    await hear();
    const began = performance.now();
    await work();
    const seconds = (performance.now() - began) / 1000;
    const answersMs = await hear();
    return { answersMs, seconds, rate: answersMs.length / seconds };
  };
  const alone = await during(() => sleep(quick ? 200 : 5_000));
  const works = {
    [`PDF of ${sizes.entries} entries`]: () => client.logReport(),
    [`detail report of ${records} records`]: () => client.caseReport(records),
    [`${READERS} readers of ${sizes.transfers} disclosed records`]: () =>
      Promise.all(Array.from({ length: READERS }, () => client.read(disclosureId, sizes.transfers))),
  };
  const additional: Record<string, number> = { 'longest ms, alone': Math.max(...alone.answersMs) };
  const answersMs: number[] = [];
  let seconds = 0;
  for (const [what, work] of Object.entries(works)) {
    const watched = await during(work);
    additional[`${what}: longest ms`] = Math.max(...watched.answersMs);
    additional[`${what}: p99 ms`] = quantile(watched.answersMs, 0.99);
    additional[`${what}: s`] = watched.seconds;
    answersMs.push(...watched.answersMs);
    seconds += watched.seconds;
    tell(`${kind}: ${what}`);
  }
  const ratio = answersMs.length / seconds / alone.rate;
  return {
    ...{ what: `\`/livez\` beside long work, ${kind}`, unit: 'answers', reference: 'without' },
    ...{
      productRate: answersMs.length / seconds,
      referenceRate: alone.rate,
      ratio,
      interval: [ratio, ratio],
    },
    ...{ pairs: 1, additional },
  };
}

interface Report {
  readonly id: string;
  readonly recordCount?: number;
}

/** Requests of an owner and of a backend. Each throws if the answer is wrong. */
async function openClient({ port }: Server, { apiKey, assetId, caseId }: Seeded) {
  const base = `http://127.0.0.1:${port}`;
  const send = async (target: string, headers: Record<string, string>, body?: object) => {
    const answer = await fetch(`${base}${target}`, {
      method: body ? 'POST' : 'GET',
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${target} answered ${answer.status}: ${await answer.text()}`);
    return answer;
  };
  const { email, password } = OWNER;
  const signedIn = await send('/auth/sign-in', {}, { email, password });
  const cookie = signedIn.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ');
  const asOwner = { cookie };
  const asBackend = { authorization: `Bearer ${apiKey}` };
  const download = async (target: string, begin: string) => {
    const bytes = Buffer.from(await (await send(target, asOwner)).arrayBuffer());
    if (!bytes.toString('latin1').startsWith(begin)) throw new Error(`${target} is not the file.`);
    return bytes;
  };
  const disclosed = async (id: string) => {
    const answer = await send(`/v1/disclosures/${id}`, asBackend);
    return (await answer.json()) as {
      readonly status: string;
      readonly result: { readonly records: readonly { readonly amount: string | null }[] } | null;
    };
  };
  const read = async (id: string, count: number) => {
    const { result } = await disclosed(id);
    const amounts = result?.records.filter(({ amount }) => amount !== null).length;
    if (amounts !== count) throw new Error(`${amounts} amounts were disclosed, not ${count}.`);
  };
  return {
    read,
    async disclose(count: number): Promise<string> {
      const scope = { account: ACCOUNT, fields: ['amount'] };
      const body = { assetId, purpose: 'Measured', scope, format: 'json' };
      const { id } = (await (await send('/v1/disclosures', asBackend, body)).json()) as {
        readonly id: string;
      };
      while ((await disclosed(id)).status === 'pending') await sleep(100);
      await read(id, count);
      return id;
    },
    async logReport(): Promise<void> {
      const answer = await send('/api/auditors-log/reports', asOwner, { format: 'pdf' });
      const { id } = (await answer.json()) as Report;
      await download(`/api/reports/${id}/download`, '%PDF-');
    },
    async caseReport(count: number): Promise<void> {
      const body = { case_id: caseId, report_type: 'transaction_detail' };
      const answer = await send(`/api/applications/${APPLICATION}/case-reports`, asOwner, body);
      const { id } = (await answer.json()) as Report;
      const file = await download(`/api/applications/${APPLICATION}/reports/${id}/download`, '');
      const records = file.toString().match(/^txn_/gm)?.length;
      if (records !== count) throw new Error(`The report has ${records} records, not ${count}.`);
    },
  };
}
