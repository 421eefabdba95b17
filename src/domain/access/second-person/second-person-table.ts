import type { Permission } from '../permissions/permissions.js';

/**
 * How the second-person rule applies to an operation, in an organization that requires a second person:
 * - `decider`: the person who decides must not be the requester.
 * - `two persons`: the first call with an input proposes the operation; it takes effect when another person calls it with
 *   the same input within 72 hours.
 * - `grants`: the operation grants permissions. Members cannot grant themselves permissions, and a grant of a deciding
 *   permission takes effect when another person confirms it.
 */
export type SecondPersonRule = 'decider' | 'two persons' | 'grants';

/** Every operation that the rule applies to. A test compares it with the mutations of the schema. */
export const UNDER_SECOND_PERSON_RULE = {
  approveCaseRequest: 'decider',
  decideDisclosure: 'decider',
  confirmPermissionGrant: 'decider',
  createDisclosurePolicy: 'two persons',
  approveAddress: 'two persons',
  setAddressDefault: 'two persons',
  createApiKey: 'two persons',
  updateOrganization: 'two persons',
  addCaseAuditor: 'two persons',
  assignAsset: 'two persons',
  unbindMint: 'two persons',
  rotateAuditorKey: 'two persons',
  exportAuditorKey: 'two persons',
  importAuditorKey: 'two persons',
  rotateSigningKey: 'two persons',
  declareSigningKeyCompromised: 'two persons',
  declareSigningKeyLost: 'two persons',
  setRetention: 'two persons',
  releaseLegalHold: 'two persons',
  erasePersonalValues: 'two persons',
  inviteMember: 'grants',
  setPermissions: 'grants',
  resetMemberSignIn: 'grants',
} as const satisfies Record<string, SecondPersonRule>;

export type OperationUnderRule = keyof typeof UNDER_SECOND_PERSON_RULE;

/** The operations that one person proposes and another person must repeat. */
export type ProposedOperation = {
  [O in OperationUnderRule]: (typeof UNDER_SECOND_PERSON_RULE)[O] extends 'two persons' ? O : never;
}[OperationUnderRule];

export const PROPOSED_OPERATIONS = (Object.keys(UNDER_SECOND_PERSON_RULE) as OperationUnderRule[]).filter(
  isProposed,
);

function isProposed(operation: OperationUnderRule): operation is ProposedOperation {
  return UNDER_SECOND_PERSON_RULE[operation] === 'two persons';
}

/**
 * The permission that both persons need, as an owner or as an administrator of the application: when they call, and still
 * when the operation takes effect.
 */
export const PERMISSION_OF_PROPOSED = {
  createDisclosurePolicy: { owner: 'policies:manage' },
  approveAddress: { owner: 'addresses:manage', administrator: 'addresses:manage' },
  setAddressDefault: { owner: 'addresses:manage', administrator: 'addresses:manage' },
  createApiKey: { owner: 'api_keys:manage' },
  updateOrganization: { owner: 'policies:manage' },
  addCaseAuditor: { administrator: 'cases:approve_creation' },
  assignAsset: { owner: 'applications:create' },
  unbindMint: { owner: 'applications:create' },
  rotateAuditorKey: { owner: 'policies:manage' },
  exportAuditorKey: { owner: 'policies:manage' },
  importAuditorKey: { owner: 'policies:manage' },
  rotateSigningKey: { owner: 'policies:manage' },
  declareSigningKeyCompromised: { owner: 'policies:manage' },
  declareSigningKeyLost: { owner: 'policies:manage' },
  setRetention: { owner: 'policies:manage' },
  releaseLegalHold: { owner: 'policies:manage' },
  erasePersonalValues: { owner: 'members:manage' },
} as const satisfies Record<ProposedOperation, PermissionOfProposed>;

/**
 * How long after the proposal another person may make the same call; immediately if it is not here. Such a proposal cannot be
 * withdrawn: withdrawn and made again, it would let the others wait without end.
 */
export const WAIT_OF_PROPOSED_MS: Readonly<Partial<Record<ProposedOperation, number>>> = {
  // A temporary outage of a store loses nothing: the key must fail to sign at the proposal, and again this much later.
  declareSigningKeyLost: 60 * 60_000,
};

/** The proposed operations that only owners may call. */
export type OwnersOperation = {
  [O in ProposedOperation]: 'administrator' extends keyof (typeof PERMISSION_OF_PROPOSED)[O] ? never : O;
}[ProposedOperation];

export interface PermissionOfProposed {
  readonly owner?: Permission<'owner'>;
  readonly administrator?: Permission<'administrator'>;
}
