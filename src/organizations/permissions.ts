/** The permission table: every bucket, and every name that can be granted in it. Nothing else can be granted. */
export const PERMISSIONS = {
  owner: [
    'applications:read',
    'applications:create',
    'members:manage',
    'api_keys:manage',
    'disclosures:decide',
    'policies:manage',
    'addresses:manage',
    'relays:read',
    'reports:list',
    'reports:download',
    'reports:create',
    'logs:view_activity',
  ],
  common: ['logs:view_activity'],
  administrator: [
    'cases:approve_creation',
    'cases:list',
    'reports:list',
    'addresses:manage',
    'disclosures:decide',
  ],
  auditor: [
    'reports:view_transactions',
    'cases:create',
    'cases:withdraw_pending_request',
    'reports:create',
    'reports:list',
    'reports:download',
  ],
} as const satisfies Record<string, readonly string[]>;

export type Bucket = keyof typeof PERMISSIONS;
export type ApplicationBucket = Exclude<Bucket, 'owner'>;
export type Permission<B extends Bucket = Bucket> = (typeof PERMISSIONS)[B][number];
export const BUCKETS = Object.keys(PERMISSIONS) as Bucket[];
export const APPLICATION_BUCKETS = ['common', 'administrator', 'auditor'] as const;

/**
 * What an API key may be limited to, and the owner permission with which a portal session may do the same.
 * `assets:write` creates and binds; `disclosures:write` requests a disclosure and so may receive plaintext.
 */
export const API_KEY_SCOPES = {
  'assets:read': 'applications:read',
  'assets:write': 'applications:create',
  'transactions:read': 'applications:read',
  'disclosures:read': 'disclosures:decide',
  'disclosures:write': 'disclosures:decide',
} as const satisfies Record<string, Permission<'owner'>>;

export type ApiKeyScope = keyof typeof API_KEY_SCOPES;

export function isPermissionOf(bucket: Bucket, name: string): name is Permission {
  return (PERMISSIONS[bucket] as readonly string[]).includes(name);
}

export function isApiKeyScope(name: string): name is ApiKeyScope {
  return Object.hasOwn(API_KEY_SCOPES, name);
}

/** What one user was granted: owner permissions, and per application a set for each bucket. */
export interface Grants {
  readonly owner: ReadonlySet<string>;
  readonly applications: ReadonlyMap<string, Readonly<Record<ApplicationBucket, ReadonlySet<string>>>>;
}
