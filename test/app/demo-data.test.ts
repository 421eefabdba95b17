import { describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { eventually } from '../kit/eventually.js';
import type { DemoFile } from '../../src/demo/index.js';
import { run, startGateway, temporaryDirectory } from './gateway-process.js';

const COUNTS = `{ pendingWork { caseRequests disclosures }
  caseRequests(foreignId: "payments-demo", first: 200) { totalCount nodes { status withdrawn } }
  cases(foreignId: "payments-demo", first: 200) { nodes { status endReason } }
  reports(foreignId: "payments-demo", first: 200) { nodes { id } } }`;
const OWNED = `{ relays(poolSelector: "local-test-pool") { nodes { status publicReason } }
  undeployed: relays(poolSelector: "local-undeployed-pool") { nodes { status publicReason } }
  failing: relays(poolSelector: "local-failing-pool") { nodes { status publicReason retryAllowed } }
  disclosures(first: 200) { nodes { status } }
  assets(first: 200) { nodes { name status indexerStatus { indexedCount } } } }`;

describe('the embedded demo data', () => {
  it('covers every state, and is not created twice', async () => {
    await using directory = await temporaryDirectory();
    const environment = { LUCARNE_DATA_DIR: directory.path };
    // The first start does this in the background, with low priority, and tells the page until it is done.
    await using gateway = await startGateway({ ...environment, LUCARNE_DEMO_DATA: '1' });
    const file = path.join(directory.path, 'demo.json');
    const post = (body: object, cookie = '') =>
      fetch(`${gateway.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: gateway.url, cookie },
        body: JSON.stringify(body),
      });
    const isFilling = async () => {
      const answer = await post({ query: '{ signInOptions { demoFilling } }' });
      return ((await answer.json()) as { data: { signInOptions: { demoFilling: boolean } } }).data
        .signInOptions.demoFilling;
    };
    // Callers without credentials may not ask often: what the process writes tells when to ask.
    const isWritten = (name: string) => () => existsSync(path.join(directory.path, name));
    await eventually(isWritten('demo.json'));
    await eventually(isFilling);
    expect(existsSync(path.join(directory.path, 'demo-data.json'))).toBe(false);
    await eventually(isWritten('demo-data.json'));
    await eventually(isFilling, (is) => !is);
    expect(existsSync(path.join(directory.path, 'demo-data.json'))).toBe(true);
    const demo = JSON.parse(await readFile(file, 'utf8')) as DemoFile;

    // Sign-ins of one client are limited: each user signs in once.
    const cookies = new Map<string, string>();
    const asUser = async (role: string, query: string): Promise<unknown> => {
      const { id } = demo.users.find((user) => user.role === role)!;
      if (!cookies.has(id)) {
        const signedIn = await post({ query: `mutation { signInAsDemoUser(id: "${id}") { user { id } } }` });
        cookies.set(id, signedIn.headers.getSetCookie()[0]!.split(';', 1)[0]!);
      }
      return ((await (await post({ query }, cookies.get(id))).json()) as { data: unknown }).data;
    };
    const decided = await asUser('administrator', COUNTS);
    expect(decided).toMatchObject({
      pendingWork: [{ caseRequests: 2, disclosures: 1 }],
      caseRequests: { totalCount: 7 },
    });
    const { caseRequests, cases, reports } = decided as {
      caseRequests: { nodes: { status: string; withdrawn: boolean }[] };
      cases: { nodes: { status: string }[] };
      reports: { nodes: object[] };
    };
    const states = caseRequests.nodes.map(({ status, withdrawn }) => (withdrawn ? 'withdrawn' : status));
    expect(states.sort()).toEqual([
      ...['approved', 'approved', 'approved', 'closed', 'pending', 'pending', 'withdrawn'],
    ]);
    expect(cases.nodes.map(({ status }) => status).sort()).toEqual(['active', 'active', 'expired']);
    expect(reports.nodes).toHaveLength(5);
    // Its blockhash expires a minute after signing.
    const failing = '{ failing: relays(poolSelector: "local-failing-pool") { nodes { status } } }';
    const statusOf = async () => {
      const { failing: relays } = (await asUser('owner', failing)) as {
        failing: { nodes: { status: string }[] };
      };
      return relays.nodes.map(({ status }) => status).join();
    };
    await eventually(statusOf, (status) => ['failed', 'rejected', 'succeeded'].includes(status));
    const owned = (await asUser('owner', OWNED)) as {
      relays: { nodes: object[] };
      undeployed: { nodes: object[] };
      failing: { nodes: object[] };
      disclosures: { nodes: { status: string }[] };
      assets: { nodes: { status: string; indexerStatus: { indexedCount: number } }[] };
    };
    expect(owned.relays.nodes).toEqual([
      { status: 'rejected', publicReason: 'kyt_rejected' },
      { status: 'succeeded', publicReason: null },
    ]);
    expect(owned.undeployed.nodes).toEqual([{ status: 'rejected', publicReason: 'simulation_failed' }]);
    expect(owned.failing.nodes).toEqual([
      { status: 'failed', publicReason: 'send_failed', retryAllowed: true },
    ]);
    expect(owned.disclosures.nodes.map(({ status }) => status).sort()).toEqual([
      ...['available', 'pending', 'rejected'],
    ]);
    expect(owned.assets.nodes.map(({ status }) => status)).toEqual(['active', 'active']);
    const records = owned.assets.nodes.map(({ indexerStatus }) => indexerStatus.indexedCount);
    expect(records.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(250);

    const again = await run(['demo', 'data', '--file', file], environment);
    expect(again.exitCode).toBe(0);
    expect([await asUser('administrator', COUNTS), await asUser('owner', OWNED)]).toEqual([decided, owned]);
  }, 900_000);
});
