// Who may do what, written down by hand: nothing here is derived from the code under test. Add a row for each new field
// of the schema and each new route; the matrix says which is missing.

/** One permission that is enough: a name of a bucket, or a scope of an API key. */
export type Permission =
  | `owner ${string}`
  | `common ${string}`
  | `administrator ${string}`
  | `auditor ${string}`
  | `scope ${string}`;

/** `anybody`: without credentials too; `caller`: who has any; `member`: who has a session. */
export type May = Permission | 'anybody' | 'caller' | 'member';

/** `past`: let through, whatever becomes of arguments that are nonsense. */
export type Outcome = 'answered' | 'past' | 401 | 403 | 404;

interface Expectation {
  /** Any one of these is enough. Everyone else with credentials gets 403, and who has none 401. */
  readonly may: readonly May[];
  /** What those get who may; otherwise: an answer to a reading, `past` for a mutation, whose arguments are then nonsense. */
  readonly outcome?: Outcome;
  /**
   * What a caller of another organization gets who may do everything there, asking for the same thing. A row that names a
   * thing says it.
   */
  readonly stranger?: Outcome;
  /** The same of a member of this organization who may do everything, but in another application. */
  readonly neighbour?: Outcome;
}

/** `{asset}` and the like stand for things of the organization: see `seedThings`. */
export interface FieldRow extends Expectation {
  /** `query name`, `mutation name` or `subscription name`; a second row of one field says of what. */
  readonly field: string;
  readonly of?: string;
  /** Arguments of the thing that is asked for; the least that the types allow when absent. */
  readonly given?: string;
}

export interface RouteRow extends Expectation {
  readonly route: string;
  /** Which credentials count. The others are none. */
  readonly by: 'key' | 'session';
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: object;
}

const NOT_THERE = { stranger: 404, neighbour: 404 } as const;
const NOT_YOURS = { stranger: 403, neighbour: 403 } as const;

const REQUEST_READERS = [
  'administrator cases:approve_creation',
  'auditor cases:create',
  'auditor cases:withdraw_pending_request',
] as const;
const CASE_READERS = [
  'administrator cases:approve_creation',
  'administrator cases:list',
  'auditor reports:view_transactions',
] as const;
const UNKNOWN_REQUEST = 'crq_01kaj8c4q2ez8bt7v5m1s9y3wd';
const UNKNOWN_CASE = 'cas_01kaj8f7w5fmxvb2c8n4q6t1yr';
const UNKNOWN_REPORT = 'rpt_01kaj9f3n6ez8bq4v7k9s2y6wd';
const OF_AN_UNKNOWN_REPORT = { outcome: 404, given: `id: "${UNKNOWN_REPORT}"`, stranger: 404 } as const;
const OF_AN_APPLICATION = { given: 'application: "{application}"', ...NOT_YOURS } as const;
const OF_AN_UNKNOWN_REQUEST = {
  outcome: 404,
  given: `application: "{application}", id: "${UNKNOWN_REQUEST}"`,
  ...NOT_YOURS,
} as const;

const ADDRESS_MANAGERS = ['owner addresses:manage', 'administrator addresses:manage'] as const;
// An owner is told what the organization does not have; an administrator of another application is refused.
const ADDRESSES = { may: ADDRESS_MANAGERS, outcome: 'answered', stranger: 404, neighbour: 403 } as const;
const ONE_ADDRESS =
  'application: "{application}", network: "solana", address: "{mint}", reason: "A customer of ours"';
const OF_AN_UNKNOWN_CHECK = {
  may: ADDRESS_MANAGERS,
  outcome: 404,
  given: 'id: "chk_01kaj8c4q2ez8bt7v5m1s9y3wd"',
  ...NOT_THERE,
} as const;

const UNKNOWN_RELAY = 'rly_5r8kq2m0v4e1atjb7x9nw3h6cz';
const OF_AN_UNKNOWN_RELAY = {
  may: ['anybody'],
  outcome: 404,
  given: `id: "${UNKNOWN_RELAY}"`,
  ...NOT_THERE,
} as const;

export const FIELDS: readonly FieldRow[] = [
  // Session
  { field: 'mutation signIn', may: ['anybody'], outcome: 401 },
  { field: 'mutation signOut', may: ['anybody'] },
  { field: 'mutation startOidcSignIn', may: ['anybody'], outcome: 404 },
  { field: 'mutation completeOidcSignIn', may: ['anybody'], outcome: 404 },
  { field: 'query me', may: ['caller'] },
  { field: 'query sessions', may: ['member'] },
  { field: 'mutation revokeSession', may: ['member'], given: 'id: "{session}"', ...NOT_THERE },
  { field: 'mutation revokeOtherSessions', may: ['member'] },
  { field: 'mutation changePassword', may: ['member'] },
  { field: 'mutation proposeTotp', may: ['member'] },
  { field: 'mutation enableTotp', may: ['member'] },
  { field: 'mutation disableTotp', may: ['member'] },

  // Organization
  { field: 'query permissionTable', may: ['caller'] },
  { field: 'query applications', may: ['member', 'scope assets:read'] },
  { field: 'mutation createApplication', may: ['owner applications:create'] },
  { field: 'mutation updateOrganization', may: ['owner policies:manage'] },
  { field: 'query members', may: ['owner members:manage'] },
  { field: 'query securityEvents', may: ['owner members:manage'] },
  { field: 'mutation addMember', may: ['owner members:manage'] },
  {
    field: 'mutation removeMember',
    may: ['owner members:manage'],
    given: 'memberId: "{member}"',
    stranger: 404,
  },
  {
    field: 'mutation setPermissions',
    may: ['owner members:manage'],
    given: 'memberId: "{member}", permissions: {}',
    stranger: 404,
  },
  {
    field: 'mutation endMemberSessions',
    may: ['owner members:manage'],
    given: 'memberId: "{member}"',
    stranger: 404,
  },
  {
    field: 'mutation erasePersonalValues',
    may: ['owner members:manage'],
    given: 'userId: "{member}"',
    stranger: 404,
  },
  { field: 'query apiKeys', may: ['owner api_keys:manage'] },
  { field: 'mutation createApiKey', may: ['owner api_keys:manage'] },
  { field: 'mutation revokeApiKey', may: ['owner api_keys:manage'], given: 'id: "{key}"', stranger: 404 },

  // Activity log
  { field: 'query activityLog', may: ['owner logs:view_activity'] },
  {
    field: 'query activityLog',
    of: 'an application',
    may: ['common logs:view_activity'],
    given: 'application: "{application}"',
    ...NOT_YOURS,
  },
  { field: 'subscription activityAdded', may: ['owner logs:view_activity'] },
  {
    field: 'subscription activityAdded',
    of: 'an application',
    may: ['common logs:view_activity'],
    given: 'application: "{application}"',
    ...NOT_YOURS,
  },
  { field: 'query logCheckpoint', may: ['owner logs:view_activity'] },
  { field: 'query logVerifierKey', may: ['owner logs:view_activity'] },
  {
    field: 'query logInclusionProof',
    may: ['owner logs:view_activity'],
    given: 'index: 0',
    stranger: 'answered',
  },
  {
    field: 'query logConsistencyProof',
    may: ['owner logs:view_activity'],
    given: 'from: 1',
    stranger: 'answered',
  },
  { field: 'mutation exportActivityLog', may: ['owner logs:view_activity'] },
  {
    field: 'mutation exportActivityLog',
    of: 'an application',
    may: ['common logs:view_activity'],
    outcome: 'answered',
    given: 'application: "{application}"',
    ...NOT_YOURS,
  },

  // Assets and their transactions
  { field: 'query assets', may: ['scope assets:read', 'owner applications:read'] },
  {
    field: 'query asset',
    may: ['scope assets:read', 'owner applications:read'],
    given: 'id: "{asset}"',
    stranger: 404,
  },
  { field: 'mutation createAsset', may: ['scope assets:write', 'owner applications:create'] },
  {
    field: 'mutation bindMint',
    may: ['scope assets:write', 'owner applications:create'],
    given: 'assetId: "{asset}", mintAddress: "{mint}"',
    stranger: 404,
  },
  {
    field: 'mutation assignAsset',
    may: ['owner applications:create'],
    given: 'assetId: "{asset}", foreignId: "{application}"',
    stranger: 404,
  },
  {
    field: 'query transactions',
    may: ['scope transactions:read', 'owner applications:read'],
    given: 'assetId: "{asset}"',
    stranger: 404,
  },
  {
    field: 'query transaction',
    may: ['scope transactions:read', 'owner applications:read'],
    given: 'id: "{transaction}"',
    stranger: 404,
  },
  {
    field: 'subscription transactionAdded',
    may: ['scope transactions:read', 'owner applications:read'],
    given: 'assetId: "{asset}"',
    stranger: 404,
  },

  // Disclosures
  {
    field: 'query disclosures',
    may: ['scope disclosures:read', 'owner disclosures:decide', 'administrator disclosures:decide'],
    neighbour: 'answered',
  },
  {
    field: 'query disclosure',
    may: ['scope disclosures:read', 'owner disclosures:decide', 'administrator disclosures:decide'],
    given: 'id: "{disclosure}"',
    ...NOT_THERE,
  },
  {
    field: 'mutation requestDisclosure',
    may: ['scope disclosures:write', 'owner disclosures:decide'],
    given:
      'input: { assetId: "{asset}", purpose: "Audit", format: json, scope: { transactionIds: ["{transaction}"], fields: [amount] } }',
    stranger: 404,
  },
  {
    field: 'mutation decideDisclosure',
    may: ['owner disclosures:decide', 'administrator disclosures:decide'],
    given: 'id: "{disclosure}", decision: reject',
    ...NOT_THERE,
  },
  {
    field: 'query receipt',
    may: ['scope disclosures:read', 'owner disclosures:decide'],
    given: 'id: "{receipt}"',
    stranger: 404,
  },
  { field: 'query disclosurePolicies', may: ['owner policies:manage'] },
  { field: 'mutation createDisclosurePolicy', may: ['owner policies:manage'] },

  // Address checks
  { field: 'mutation checkAddress', may: ['anybody'] },
  { field: 'query addressCheck', ...OF_AN_UNKNOWN_CHECK },
  { field: 'query addresses', ...ADDRESSES, given: 'application: "{application}"' },
  { field: 'query addressPolicy', ...ADDRESSES, given: 'application: "{application}"' },
  { field: 'mutation approveAddress', ...ADDRESSES, given: ONE_ADDRESS },
  { field: 'mutation revokeAddress', ...ADDRESSES, given: ONE_ADDRESS },
  {
    field: 'mutation setAddressDefault',
    ...ADDRESSES,
    given: 'application: "{application}", approvedByDefault: true, reason: "Open"',
  },

  // Relays
  { field: 'mutation submitRelayRequest', may: ['anybody'] },
  { field: 'query relayRequest', ...OF_AN_UNKNOWN_RELAY },
  { field: 'mutation retryRelayRequest', ...OF_AN_UNKNOWN_RELAY },
  {
    field: 'subscription relayStatus',
    ...OF_AN_UNKNOWN_RELAY,
    given: `relayRequestId: "${UNKNOWN_RELAY}"`,
  },
  { field: 'query relays', may: ['owner relays:read'] },
  {
    field: 'query relayHistory',
    may: ['owner relays:read'],
    outcome: 404,
    given: `id: "${UNKNOWN_RELAY}"`,
    stranger: 404,
  },

  // Cases. Whose a request or a case is, is told by the stories of the room; here nobody has it.
  {
    field: 'query caseRequests',
    may: REQUEST_READERS,
    ...OF_AN_APPLICATION,
  },
  {
    field: 'query disclosureRegistry',
    may: ['administrator cases:approve_creation'],
    ...OF_AN_APPLICATION,
  },
  {
    field: 'query caseRequest',
    may: REQUEST_READERS,
    ...OF_AN_UNKNOWN_REQUEST,
  },
  { field: 'query auditorCandidates', may: ['auditor cases:create'], ...OF_AN_APPLICATION },
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
      'application: "{application}", input: { reason: "Audit", periodFrom: "2026-01-01", periodTo: "2026-01-31", ' +
      'accessDays: 1, disclosureFlags: {}, auditorIds: ["{auditor}"] }',
    ...NOT_YOURS,
  },
  {
    field: 'mutation withdrawCaseRequest',
    may: ['auditor cases:withdraw_pending_request'],
    ...OF_AN_UNKNOWN_REQUEST,
  },
  {
    field: 'mutation approveCaseRequest',
    may: ['administrator cases:approve_creation'],
    ...OF_AN_UNKNOWN_REQUEST,
  },
  {
    field: 'mutation closeCaseRequest',
    may: ['administrator cases:approve_creation'],
    ...OF_AN_UNKNOWN_REQUEST,
  },
  { field: 'query cases', may: CASE_READERS, ...OF_AN_APPLICATION },
  {
    field: 'query case',
    may: CASE_READERS,
    outcome: 404,
    given: `application: "{application}", id: "${UNKNOWN_CASE}"`,
    ...NOT_YOURS,
  },
  {
    field: 'subscription caseRequestChanged',
    may: REQUEST_READERS,
    ...OF_AN_APPLICATION,
  },
  { field: 'subscription caseChanged', may: CASE_READERS, ...OF_AN_APPLICATION },

  // Reports. What needs two permissions, and whose a report is, is told by the stories of the room.
  { field: 'query reports', may: ['owner reports:list'] },
  {
    field: 'query reports',
    of: 'an application',
    may: ['auditor reports:list', 'administrator reports:list'],
    ...OF_AN_APPLICATION,
  },
  { field: 'query reportGeneration', may: ['owner reports:create'], ...OF_AN_UNKNOWN_REPORT },
  { field: 'subscription reportProgress', may: ['owner reports:create'], ...OF_AN_UNKNOWN_REPORT },
  { field: 'query reportFile', may: ['owner reports:download'], ...OF_AN_UNKNOWN_REPORT },
  {
    field: 'query caseActivityLog',
    may: ['auditor reports:view_transactions'],
    outcome: 404,
    given: `application: "{application}", caseId: "${UNKNOWN_CASE}"`,
    ...NOT_YOURS,
  },
  {
    field: 'mutation generateCaseReport',
    may: ['auditor reports:create'],
    outcome: 404,
    given: `application: "{application}", caseId: "${UNKNOWN_CASE}", reportType: transaction_detail`,
    ...NOT_YOURS,
  },
  { field: 'mutation generateLogReport', may: ['owner reports:create'] },
];

const OF_AN_ASSET = { by: 'key', params: { id: '{asset}' }, stranger: 404 } as const;

const IN_AN_APPLICATION = { by: 'session', params: { foreignId: '{application}' }, ...NOT_YOURS } as const;
const BY_AN_UNKNOWN_REQUEST = {
  ...IN_AN_APPLICATION,
  params: { foreignId: '{application}', id: UNKNOWN_REQUEST },
  outcome: 404,
} as const;

const OF_AN_UNKNOWN_RELAY_ROUTE = {
  may: ['anybody'],
  outcome: 404,
  params: { relayRequestId: UNKNOWN_RELAY },
  ...NOT_THERE,
} as const;

export const ROUTES: readonly RouteRow[] = [
  // Session
  {
    route: 'POST /auth/sign-in',
    by: 'session',
    may: ['anybody'],
    outcome: 401,
    body: { email: '{unique}@example.test', password: 'not the password' },
  },
  { route: 'POST /auth/sign-out', by: 'session', may: ['anybody'] },
  { route: 'GET /auth/oidc/start', by: 'session', may: ['anybody'], outcome: 404 },
  {
    route: 'GET /auth/oidc/callback',
    by: 'session',
    may: ['anybody'],
    outcome: 404,
    query: '?state=s&code=c',
  },
  { route: 'GET /auth/me', by: 'session', may: ['member'] },

  // Activity log
  { route: 'GET /api/auditors-log', by: 'session', may: ['owner logs:view_activity'] },
  { route: 'GET /api/auditors-log/checkpoint', by: 'session', may: ['owner logs:view_activity'] },
  { route: 'GET /api/auditors-log/key', by: 'session', may: ['owner logs:view_activity'] },
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

  // Reports. Two permissions of two buckets are more than one bucket gives.
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
  { route: 'POST /api/applications/{foreignId}/auditors-log/reports', may: [], ...IN_AN_APPLICATION },
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
    outcome: 404,
    ...IN_AN_APPLICATION,
    params: { foreignId: '{application}', caseId: UNKNOWN_CASE },
  },

  // Address checks
  {
    route: 'POST /check',
    by: 'session',
    may: ['anybody'],
    outcome: 'answered',
    body: { network: 'solana', address: '{mint}', applicationId: 'check_nobodys' },
  },

  // Relays
  {
    route: 'POST /api/relay-requests',
    by: 'session',
    may: ['anybody'],
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
