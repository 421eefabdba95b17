import { NOT_THERE, UNKNOWN_RELAY, type FieldRow } from './rows.js';

const ADDRESS_MANAGERS = ['owner addresses:manage', 'administrator addresses:manage'] as const;
// An owner gets 404 for an object that the organization does not have. An administrator of another application gets 403.
const ADDRESSES = { may: ADDRESS_MANAGERS, outcome: 'answered', stranger: 404, neighbour: 403 } as const;
const ONE_ADDRESS =
  'input: { foreignId: "{application}", network: solana, address: "{mint}", reason: "A customer of ours" }';
const OF_AN_UNKNOWN_CHECK = {
  may: ADDRESS_MANAGERS,
  outcome: 404,
  given: 'id: "chk_01kaj8c4q2ez8bt7v5m1s9y3wd"',
  ...NOT_THERE,
} as const;
const OF_AN_UNKNOWN_RELAY = {
  may: ['anyone'],
  outcome: 404,
  given: `relayRequestId: "${UNKNOWN_RELAY}"`,
  ...NOT_THERE,
} as const;

export const ASSET_FIELDS: readonly FieldRow[] = [
  // Assets and their transactions
  { field: 'query assets', may: ['scope assets:read', 'owner applications:read'] },
  {
    field: 'query asset',
    may: ['scope assets:read', 'owner applications:read'],
    given: 'id: "{asset}"',
    stranger: 404,
  },
  { field: 'query auditorKeys', may: ['scope assets:read', 'owner applications:read'] },
  { field: 'mutation rotateAuditorKey', may: ['owner policies:manage'] },
  { field: 'mutation prepareAuditorKeyImport', may: ['owner policies:manage'], outcome: 'answered' },
  { field: 'mutation importAuditorKey', may: ['owner policies:manage'] },
  { field: 'mutation exportAuditorKey', may: ['owner policies:manage'] },
  { field: 'mutation createAsset', may: ['scope assets:write', 'owner applications:create'] },
  {
    field: 'mutation bindMint',
    may: ['scope assets:write', 'owner applications:create'],
    given: 'input: { assetId: "{asset}", mintAddress: "{mint}" }',
    stranger: 404,
  },
  {
    field: 'mutation unbindMint',
    may: ['owner applications:create'],
    given: 'input: { assetId: "{asset}", reason: "A mistake" }',
    stranger: 404,
  },
  {
    field: 'mutation disableAsset',
    may: ['owner applications:create'],
    // For an asset that does not exist: the cells of other callers need theirs.
    outcome: 404,
    given: 'input: { assetId: "ast_01kaj8c4q2ez8bt7v5m1s9y3wd", reason: "Retired" }',
    stranger: 404,
  },
  {
    field: 'mutation assignAsset',
    may: ['owner applications:create'],
    given: 'input: { assetId: "{asset}", foreignId: "{application}" }',
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
    field: 'subscription disclosureChanged',
    may: ['scope disclosures:read', 'owner disclosures:decide', 'administrator disclosures:decide'],
    neighbour: 'answered',
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
    given: 'input: { id: "{disclosure}", decision: reject }',
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
  { field: 'mutation checkAddress', may: ['anyone'] },
  { field: 'query addressCheck', ...OF_AN_UNKNOWN_CHECK },
  { field: 'query addressChecks', ...ADDRESSES, given: 'foreignId: "{application}"' },
  { field: 'query addresses', ...ADDRESSES, given: 'foreignId: "{application}"' },
  { field: 'query addressPolicy', ...ADDRESSES, given: 'foreignId: "{application}"' },
  { field: 'mutation approveAddress', ...ADDRESSES, given: ONE_ADDRESS },
  { field: 'mutation revokeAddress', ...ADDRESSES, given: ONE_ADDRESS },
  {
    field: 'mutation setAddressDefault',
    ...ADDRESSES,
    given: 'input: { foreignId: "{application}", approvedByDefault: true, reason: "Open" }',
  },

  // Relays
  { field: 'mutation submitRelayRequest', may: ['anyone'] },
  { field: 'query relayRequest', ...OF_AN_UNKNOWN_RELAY },
  { field: 'mutation retryRelayRequest', ...OF_AN_UNKNOWN_RELAY },
  {
    field: 'subscription relayStatus',
    ...OF_AN_UNKNOWN_RELAY,
    given: `relayRequestId: "${UNKNOWN_RELAY}"`,
  },
  { field: 'query relays', may: ['owner relays:read'] },
  { field: 'query pools', may: ['owner relays:read'] },
  { field: 'subscription relayChanged', may: ['owner relays:read'] },
  {
    field: 'query relayHistory',
    may: ['owner relays:read'],
    outcome: 404,
    given: `relayRequestId: "${UNKNOWN_RELAY}"`,
    stranger: 404,
  },
];
