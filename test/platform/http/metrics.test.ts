import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createAsset, bindMint } from '../../../src/domain/assets/index.js';
import { createIndexerMetrics } from '../../../src/domain/indexer/index.js';
import { createRegistry } from '../../../src/platform/http/index.js';
import { bearer, graphql, startTestApp, type TestApp } from '../../kit/app.js';
import { randomAddress } from '../../kit/ledger/confidential-records.js';

interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** The samples of Prometheus' text format. */
function parseSamples(text: string): Series[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = ''] = /^([a-z_]\w*)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
      return { name, labels: Object.fromEntries(pairs.map(([, label = '', value = '']) => [label, value])) };
    });
}

describe('the metrics', () => {
  let app: TestApp;
  let text: string;
  let samples: Series[];
  const mint = randomAddress();
  let assetId: string;

  beforeAll(async () => {
    app = await startTestApp();
    const { principal, secret } = app.organization.apiKey;
    const input = { name: 'Euro', symbol: 'CEUR', decimals: 2 };
    assetId = (await createAsset(app.application.foundation, principal, input)).id;
    await bindMint(app.application.foundation, principal, { assetId, mintAddress: mint });
    await fetch(`${app.url}/v1/assets/${assetId}?account=${mint}`, { headers: bearer(secret) });
    await fetch(`${app.url}/nowhere/${assetId}`, { headers: bearer(secret) });
    await graphql(app, `query Named { asset(id: "${assetId}") { id } }`, { headers: bearer(secret) });
    const answer = await fetch(`${app.url}/metrics`);
    expect(answer.headers.get('content-type')).toContain('text/plain');
    text = await answer.text();
    samples = parseSamples(text);
  }, 480_000);
  afterAll(async () => app[Symbol.asyncDispose]());

  it.each([
    'lucarne_http_request_duration_seconds',
    'lucarne_ledger_calls_total',
    'lucarne_ledger_call_duration_seconds',
    'lucarne_indexer_records_total',
    'lucarne_indexer_failures_total',
    'lucarne_indexer_transactions_total',
    'lucarne_indexer_write_duration_seconds',
    'lucarne_indexer_mints',
    'lucarne_indexer_mint_places',
    'lucarne_indexer_slots_behind',
    'lucarne_decryption_unfinished',
    'lucarne_log_entries_sequenced_total',
    'lucarne_log_sequencing_failures_total',
    'lucarne_relay_submissions_total',
    'lucarne_relay_changes_total',
    'lucarne_relay_failed_looks_total',
    'lucarne_relay_provider_lies_total',
    'lucarne_relay_disagreements_total',
    'lucarne_relay_hints_total',
    'lucarne_relays_under_way',
    'lucarne_reports_begun_total',
    'lucarne_reports_ended_total',
    'lucarne_report_duration_seconds',
    'lucarne_report_records_total',
    'lucarne_reports_running',
    'lucarne_log_longest_wait_seconds',
    'lucarne_relays_waiting',
    'lucarne_relays_reconciling',
    'lucarne_checks_total',
    'lucarne_screening_failures_total',
    'lucarne_sanctions_load_failures_total',
    'lucarne_sanctions_list_info',
    'lucarne_sanctions_list_age_seconds',
    'lucarne_sanctions_list_entries',
    'lucarne_process_cpu_seconds_total',
    'lucarne_nodejs_eventloop_lag_seconds',
  ])('have %s, with its help and type', (name) => {
    expect(text).toMatch(new RegExp(`^# HELP ${name} \\S`, 'm'));
    expect(text).toMatch(new RegExp(`^# TYPE ${name} (counter|gauge|histogram)$`, 'm'));
  });

  it('name a request by its route, never by its path', () => {
    const requests = samples
      .filter(({ name }) => name === 'lucarne_http_request_duration_seconds_count')
      .map(({ labels }) => labels);
    expect(requests).toEqual(
      expect.arrayContaining([
        { route: expect.stringMatching(/^\/v1\/assets\/[:{]/), method: 'GET', status: '400' },
        { route: 'none', method: 'GET', status: '404' },
        { route: '/graphql', method: 'POST', status: '200' },
      ]),
    );
  });

  it('have only labels of closed lists, and contain no id, address, name or credential', () => {
    const labels = new Set(samples.flatMap((sample) => Object.keys(sample.labels)));
    const ofNode = ['le', 'kind', 'space', 'type', 'version', 'major', 'minor', 'patch'];
    const own = ['route', 'method', 'status', 'provider', 'outcome', 'reason', 'step', 'format', 'table'];
    expect([...labels].filter((label) => ![...own, ...ofNode].includes(label))).toEqual([]);
    const { organization, owner, application, apiKey } = app.organization;
    const identifying = [
      ...[mint, assetId, organization.id, owner.principal.userId, owner.email, owner.principal.name],
      ...[
        application.id,
        application.foreignId,
        apiKey.apiKey.id,
        apiKey.secret,
        apiKey.apiKey.displayPrefix,
      ],
    ];
    for (const value of identifying) expect(text).not.toContain(value);
  });

  it('count wrong answers of each provider from 0, so that the first one is visible as an increase', () => {
    expect(text).toMatch(/^lucarne_relay_provider_lies_total\{provider="[^"]+"\} 0$/m);
  });

  it('belong to one instance each', async () => {
    const [one, two] = [createRegistry(), createRegistry()];
    const [counting] = [createIndexerMetrics(one), createIndexerMetrics(two)];
    counting.recordsIndexed(7);
    expect(await one.metrics()).toContain('lucarne_indexer_records_total 7');
    expect(await two.metrics()).toContain('lucarne_indexer_records_total 0');
  });
});
