const caseId = 'cas_01kaj8q2v7e5trwb4x9nm3c6hd';
const assetId = 'ast_01kaj6m0v2e0stvb5x8nq3w4hy';

const caseReport = {
  id: 'rpt_01kaj9f3n6ez8bq4v7k9s2y6wd',
  organization_id: 'org_01kaj5zz3xfjtb8wq2m7v4c9ye',
  application_id: 'app_01kaj5zz40g7rwb8m3n6v9c2xe',
  report_type: 'transaction_detail',
  format: 'csv',
  metadata: {
    case_id: caseId,
    period_from: '2026-01-01',
    period_to: '2026-01-31',
    disclosure_flags: { full_tx_ids: true, sender_information: false, withdrawal_details: true },
    asset_ids: [assetId],
    record_count: 1204,
    sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    size_bytes: 301882,
    log_index: null,
  },
  generated_by: { id: 'usr_01kaj5zz4hgq1rwb8m3n6v9c2x', name: 'Ada Lovelace', email: 'ada@example.com' },
  generated_at: '2026-02-03T09:12:44.310Z',
};

const logReport = {
  ...caseReport,
  id: 'rpt_01kaj9h8c2fv6tq1w4x7n0m5ke',
  report_type: 'activity_log',
  format: 'json',
  metadata: {
    ...caseReport.metadata,
    case_id: null,
    period_from: null,
    period_to: null,
    disclosure_flags: null,
    asset_ids: null,
    record_count: 42,
    size_bytes: 60113,
    log_index: 42,
  },
};

const organizationReport = { ...logReport, application_id: null };

/** The examples of the report routes. */
export const reportExamples = {
  createCaseReport: {
    detail: {
      summary: 'Every transaction, as CSV',
      value: { case_id: caseId, report_type: 'transaction_detail' },
    },
    summary: {
      summary: 'The totals, as a document',
      value: { case_id: caseId, report_type: 'transaction_summary', format: 'pdf' },
    },
  },
  createLogReport: {
    export: { summary: 'With all proofs', value: {} },
    document: { summary: 'For reading', value: { format: 'pdf' } },
  },
  caseReport: { made: { summary: 'Generated, and not in the log yet', value: caseReport } },
  logReport: { made: { summary: 'Of the log of an application', value: logReport } },
  organizationReport: { made: { summary: 'Of the log of the organization', value: organizationReport } },
  reports: {
    page: { summary: 'The newest reports', value: [logReport, caseReport] },
    empty: { summary: 'No reports', value: [] },
  },
  reportFile: {
    csv: {
      summary: 'The first lines of a summary',
      value:
        'asset_id,symbol,decimals,type,flow,count,amount,undecryptable,restricted\r\n' +
        `${assetId},CEUR,6,confidential_deposit,in,311,92250000000,0,0\r\n`,
    },
  },
} as const;
