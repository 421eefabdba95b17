import {
  CASE_READERS,
  NOT_THERE,
  NOT_YOURS,
  UNKNOWN_CASE,
  UNKNOWN_RELAY,
  UNKNOWN_REPORT,
  UNKNOWN_REQUEST,
  type RouteRow,
} from './rows.js';

const OF_AN_ASSET = { by: 'key', params: { id: '{asset}' }, stranger: 404 } as const;
const IN_AN_APPLICATION = { by: 'session', params: { foreignId: '{application}' }, ...NOT_YOURS } as const;
const BY_AN_UNKNOWN_REQUEST = {
  ...IN_AN_APPLICATION,
  params: { foreignId: '{application}', id: UNKNOWN_REQUEST },
  outcome: 404,
} as const;
const OF_AN_UNKNOWN_RELAY_ROUTE = {
  may: ['anyone'],
  outcome: 404,
  params: { relayRequestId: UNKNOWN_RELAY },
  ...NOT_THERE,
} as const;

export const ROUTES: readonly RouteRow[] = [
  // Session
  {
    route: 'POST /auth/sign-in',
    by: 'session',
    may: ['anyone'],
    outcome: 401,
    body: { email: '{unique}@example.test', password: 'not the password' },
  },
  { route: 'POST /auth/sign-out', by: 'session', may: ['anyone'] },
  { route: 'GET /auth/oidc/start', by: 'session', may: ['anyone'], outcome: 404 },
  {
    route: 'GET /auth/oidc/callback',
    by: 'session',
    may: ['anyone'],
    outcome: 404,
    query: '?state=s&code=c',
  },
  { route: 'GET /auth/me', by: 'session', may: ['member'] },

  // Activity log
  { route: 'GET /api/auditors-log', by: 'session', may: ['owner logs:view_activity'] },
  {
    route: 'GET /api/auditors-log/checkpoint',
    by: 'session',
    may: ['owner logs:view_activity', 'common logs:view_activity', 'auditor reports:view_transactions'],
  },
  {
    route: 'GET /api/auditors-log/key',
    by: 'session',
    may: ['owner logs:view_activity', 'common logs:view_activity', 'auditor reports:view_transactions'],
  },
  {
    route: 'GET /api/auditors-log/{index}/proof',
    by: 'session',
    may: ['owner logs:view_activity'],
    params: { index: '0' },
    stranger: 'answered',
  },
  {
    route: 'GET /api/applications/{foreignId}/auditors-log',
    by: 'session',
    may: ['common logs:view_activity'],
    params: { foreignId: '{application}' },
    ...NOT_YOURS,
  },

  // Cases
  {
    route: 'GET /api/applications/{foreignId}/disclosure-registry',
    may: ['administrator cases:approve_creation'],
    ...IN_AN_APPLICATION,
  },
  { route: 'GET /api/applications/{foreignId}/cases', may: CASE_READERS, ...IN_AN_APPLICATION },
  {
    route: 'POST /api/applications/{foreignId}/cases',
    may: ['auditor cases:create'],
    body: {
      reason: 'Audit',
      period_from: '2026-01-01',
      period_to: '2026-01-31',
      access_days: 1,
      disclosure_flags: {},
      auditor_ids: ['{auditor}'],
    },
    ...IN_AN_APPLICATION,
  },
  {
    route: 'POST /api/applications/{foreignId}/cases/requests/{id}/withdraw',
    may: ['auditor cases:withdraw_pending_request'],
    ...BY_AN_UNKNOWN_REQUEST,
  },
  {
    route: 'POST /api/applications/{foreignId}/case-requests/{id}/approve',
    may: ['administrator cases:approve_creation'],
    ...BY_AN_UNKNOWN_REQUEST,
  },
  {
    route: 'POST /api/applications/{foreignId}/case-requests/{id}/close',
    may: ['administrator cases:approve_creation'],
    ...BY_AN_UNKNOWN_REQUEST,
  },

  // Reports
  {
    route: 'POST /api/applications/{foreignId}/case-reports',
    may: ['auditor reports:create'],
    outcome: 404,
    body: { case_id: UNKNOWN_CASE, report_type: 'transaction_detail' },
    ...IN_AN_APPLICATION,
  },
  {
    route: 'GET /api/applications/{foreignId}/reports',
    may: ['auditor reports:list', 'administrator reports:list'],
    ...IN_AN_APPLICATION,
  },
  {
    route: 'GET /api/applications/{foreignId}/reports/{reportId}/download',
    may: ['auditor reports:download'],
    outcome: 404,
    ...IN_AN_APPLICATION,
    params: { foreignId: '{application}', reportId: UNKNOWN_REPORT },
  },
  { route: 'GET /api/reports', by: 'session', may: ['owner reports:list'] },
  {
    route: 'GET /api/reports/{reportId}/download',
    by: 'session',
    may: ['owner reports:download'],
    outcome: 404,
    params: { reportId: UNKNOWN_REPORT },
    stranger: 404,
  },
  { route: 'POST /api/auditors-log/reports', by: 'session', may: ['owner reports:create'] },
  {
    route: 'POST /api/applications/{foreignId}/auditors-log/reports',
    may: ['auditor reports:create'],
    also: ['common logs:view_activity'],
    ...IN_AN_APPLICATION,
  },
  {
    route: 'GET /api/applications/{foreignId}/cases/{caseId}/auditors-log',
    may: ['auditor reports:view_transactions'],
    outcome: 404,
    ...IN_AN_APPLICATION,
    params: { foreignId: '{application}', caseId: UNKNOWN_CASE },
  },
  {
    route: 'POST /api/applications/{foreignId}/cases/{caseId}/auditors-log/reports',
    may: ['auditor reports:create'],
    also: ['auditor reports:view_transactions'],
    outcome: 404,
    ...IN_AN_APPLICATION,
    params: { foreignId: '{application}', caseId: UNKNOWN_CASE },
  },

  // Address checks
  {
    route: 'POST /check',
    by: 'session',
    may: ['anyone'],
    outcome: 'answered',
    body: { network: 'solana', address: '{mint}', applicationId: 'check_nobodys' },
  },

  // Relays
  {
    route: 'POST /api/relay-requests',
    by: 'session',
    may: ['anyone'],
    outcome: 'past',
    body: { version: 1, poolSelector: 'nobodys' },
  },
  { route: 'GET /api/relay-requests/{relayRequestId}', by: 'session', ...OF_AN_UNKNOWN_RELAY_ROUTE },
  {
    route: 'POST /api/relay-requests/{relayRequestId}/attempts',
    by: 'session',
    ...OF_AN_UNKNOWN_RELAY_ROUTE,
  },

  // Asset API
  {
    route: 'POST /v1/assets',
    by: 'key',
    may: ['scope assets:write'],
    body: { name: 'Euro', symbol: 'EUR', decimals: 6 },
  },
  { route: 'GET /v1/assets/{id}', may: ['scope assets:read'], ...OF_AN_ASSET },
  {
    route: 'PATCH /v1/assets/{id}/mint',
    may: ['scope assets:write'],
    body: { mintAddress: '{mint}' },
    ...OF_AN_ASSET,
  },
  { route: 'GET /v1/assets/{id}/indexer-status', may: ['scope assets:read'], ...OF_AN_ASSET },
  { route: 'GET /v1/assets/{id}/transactions', may: ['scope transactions:read'], ...OF_AN_ASSET },
  {
    route: 'GET /v1/transactions/{transactionId}',
    by: 'key',
    may: ['scope transactions:read'],
    params: { transactionId: '{transaction}' },
    stranger: 404,
  },
  {
    route: 'POST /v1/disclosures',
    by: 'key',
    may: ['scope disclosures:write'],
    body: {
      assetId: '{asset}',
      purpose: 'Audit',
      format: 'json',
      scope: { transactionIds: ['{transaction}'], fields: ['amount'] },
    },
    stranger: 404,
  },
  {
    route: 'GET /v1/disclosures/{disclosureId}',
    by: 'key',
    may: ['scope disclosures:read'],
    params: { disclosureId: '{disclosure}' },
    stranger: 404,
  },
];
