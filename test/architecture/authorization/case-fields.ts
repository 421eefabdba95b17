import {
  CASE_READERS,
  NOT_YOURS,
  UNKNOWN_CASE,
  UNKNOWN_REPORT,
  UNKNOWN_REQUEST,
  type FieldRow,
} from './rows.js';

const REQUEST_READERS = [
  'administrator cases:approve_creation',
  'auditor cases:create',
  'auditor cases:withdraw_pending_request',
] as const;
const OF_AN_UNKNOWN_REPORT = { outcome: 404, given: `id: "${UNKNOWN_REPORT}"`, stranger: 404 } as const;
const OF_AN_APPLICATION = { given: 'foreignId: "{application}"', ...NOT_YOURS } as const;
const OF_AN_UNKNOWN_REQUEST = {
  outcome: 404,
  given: `foreignId: "{application}", id: "${UNKNOWN_REQUEST}"`,
  ...NOT_YOURS,
} as const;
const DECIDING_AN_UNKNOWN_REQUEST = {
  ...OF_AN_UNKNOWN_REQUEST,
  given: `input: { ${OF_AN_UNKNOWN_REQUEST.given} }`,
} as const;

export const CASE_FIELDS: readonly FieldRow[] = [
  // Cases. The tests of cases cover who owns a request or a case. Here, none of the callers does.
  {
    field: 'query caseRequests',
    of: 'an application',
    may: REQUEST_READERS,
    ...OF_AN_APPLICATION,
  },
  {
    field: 'query disclosureRegistry',
    of: 'an application',
    may: ['administrator cases:approve_creation'],
    ...OF_AN_APPLICATION,
  },
  {
    field: 'query caseRequest',
    may: REQUEST_READERS,
    outcome: 404,
    given: `id: "${UNKNOWN_REQUEST}"`,
  },
  {
    field: 'query caseRequest',
    of: 'an application',
    may: REQUEST_READERS,
    ...OF_AN_UNKNOWN_REQUEST,
  },
  {
    field: 'query auditorCandidates',
    may: ['auditor cases:create', 'administrator cases:approve_creation'],
    ...OF_AN_APPLICATION,
  },
  {
    field: 'query caseAssets',
    may: ['auditor cases:create', 'administrator cases:approve_creation'],
    ...OF_AN_APPLICATION,
  },
  {
    field: 'mutation createCaseRequest',
    may: ['auditor cases:create'],
    outcome: 'answered',
    given:
      'input: { foreignId: "{application}", reason: "Audit", periodFrom: "2026-01-01", periodTo: "2026-01-31", ' +
      'accessDays: 1, disclosureFlags: {}, auditorIds: ["{auditor}"] }',
    ...NOT_YOURS,
  },
  {
    field: 'mutation withdrawCaseRequest',
    may: ['auditor cases:withdraw_pending_request'],
    ...DECIDING_AN_UNKNOWN_REQUEST,
  },
  {
    field: 'mutation approveCaseRequest',
    may: ['administrator cases:approve_creation'],
    ...DECIDING_AN_UNKNOWN_REQUEST,
  },
  {
    field: 'mutation closeCaseRequest',
    may: ['administrator cases:approve_creation'],
    ...DECIDING_AN_UNKNOWN_REQUEST,
  },
  { field: 'query cases', of: 'an application', may: CASE_READERS, ...OF_AN_APPLICATION },
  { field: 'query case', may: CASE_READERS, outcome: 404, given: `id: "${UNKNOWN_CASE}"` },
  {
    field: 'query case',
    of: 'an application',
    may: CASE_READERS,
    outcome: 404,
    given: `foreignId: "{application}", id: "${UNKNOWN_CASE}"`,
    ...NOT_YOURS,
  },
  { field: 'query caseRequests', may: REQUEST_READERS, neighbour: 'answered' },
  {
    field: 'query disclosureRegistry',
    may: ['administrator cases:approve_creation'],
    neighbour: 'answered',
  },
  ...['endCase', 'addCaseAuditor', 'removeCaseAuditor'].map((name) => ({
    field: `mutation ${name}`,
    may: ['administrator cases:approve_creation'] as const,
    outcome: 404 as const,
    given:
      `input: { foreignId: "{application}", id: "${UNKNOWN_CASE}", reason: "No need" ` +
      `${name === 'endCase' ? '' : 'auditorId: "{auditor}" '}}`,
    ...NOT_YOURS,
  })),
  { field: 'query cases', may: CASE_READERS, neighbour: 'answered' },
  {
    field: 'subscription caseTransactionAdded',
    may: ['auditor reports:view_transactions'],
    outcome: 404,
    given: `foreignId: "{application}", id: "${UNKNOWN_CASE}"`,
    ...NOT_YOURS,
  },
  { field: 'subscription caseRequestChanged', may: REQUEST_READERS, neighbour: 'answered' },
  { field: 'subscription caseChanged', may: CASE_READERS, neighbour: 'answered' },
  {
    field: 'subscription caseRequestChanged',
    of: 'an application',
    may: REQUEST_READERS,
    ...OF_AN_APPLICATION,
  },
  { field: 'subscription caseChanged', of: 'an application', may: CASE_READERS, ...OF_AN_APPLICATION },

  // Reports. The tests of reports cover what needs two permissions, and who owns a report.
  { field: 'query reports', may: ['owner reports:list'] },
  {
    field: 'query reports',
    of: 'an application',
    may: ['auditor reports:list', 'administrator reports:list'],
    ...OF_AN_APPLICATION,
  },
  {
    field: 'query report',
    may: ['owner reports:list', 'auditor reports:list', 'administrator reports:list'],
    ...OF_AN_UNKNOWN_REPORT,
  },
  { field: 'query reportGenerations', may: ['owner reports:create', 'auditor reports:create'] },
  {
    field: 'query reportGenerations',
    of: 'an application',
    may: ['auditor reports:create'],
    ...OF_AN_APPLICATION,
  },
  { field: 'query reportGeneration', may: ['owner reports:create'], ...OF_AN_UNKNOWN_REPORT },
  { field: 'subscription reportProgress', may: ['owner reports:create'], ...OF_AN_UNKNOWN_REPORT },
  { field: 'query reportFile', may: ['owner reports:download'], ...OF_AN_UNKNOWN_REPORT },
  {
    field: 'query caseActivityLog',
    may: ['auditor reports:view_transactions'],
    outcome: 404,
    given: `foreignId: "{application}", caseId: "${UNKNOWN_CASE}"`,
    ...NOT_YOURS,
  },
  {
    field: 'mutation generateCaseReport',
    may: ['auditor reports:create'],
    outcome: 404,
    given: `input: { foreignId: "{application}", caseId: "${UNKNOWN_CASE}", reportType: transaction_detail }`,
    ...NOT_YOURS,
  },
  { field: 'mutation generateLogReport', may: ['owner reports:create'] },
];
