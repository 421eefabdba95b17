import { expect, it } from '@jest/globals';
import { startTestApp } from '../../kit/app.js';
import { eventually } from '../../kit/eventually.js';

it('a gateway sweeps every table whose rows are no longer needed after a time', async () => {
  await using app = await startTestApp();
  const swept = async () => {
    const metrics = await (await fetch(`${app.url}/metrics`)).text();
    return [...metrics.matchAll(/^lucarne_swept_rows_total\{table="(\w+)"\}/gm)]
      .map(([, table]) => table!)
      .sort();
  };
  const tables = [
    ...[
      'activity_entries',
      'disclosures',
      'erasures',
      'idempotency_keys',
      'indexer_workers',
      'invitations',
      'rate_windows',
    ],
    ...['relay_requests', 'report_files', 'security_events', 'sessions', 'users'],
  ];
  expect(await eventually(swept, ({ length }) => length >= tables.length)).toEqual(tables);
});
