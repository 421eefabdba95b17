import { describe, expect, it } from '@jest/globals';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** Which code reads what from replicas. No access decision depends on it: permissions are read from the primary first. */
const READERS = {
  'activity-log/exporting/export-parts.ts': 'the entries of a part of an export, with their proofs',
  'activity-log/reading/list-activity.ts': 'the entries of a page; their proofs are of the primary',
  'cases/records/case-transaction-pages.ts': 'the records of a report or of totals',
  'reports/content/case-report-content.ts': 'how many records a report will have',
  'reports/content/log-report-content.ts': 'the entries of a report, with their proofs',
  'transactions/list-transactions.ts': 'the records of a page',
  'transactions/transaction-lines.ts': 'the same as lines',
};

const DOMAIN = path.resolve(import.meta.dirname, '../../src/domain');

describe('reads that may go to replicas', () => {
  it('are those of this list', async () => {
    const files = await readdir(DOMAIN, { recursive: true });
    const found: string[] = [];
    for (const file of files.filter((name) => name.endsWith('.ts')))
      if (
        /foundation\.reads\b|\breads\b[^;{}]*\} = foundation\b|'reads'/.test(
          await readFile(path.join(DOMAIN, file), 'utf8'),
        )
      )
        found.push(file);
    expect(found.toSorted()).toEqual(Object.keys(READERS));
  });
});
