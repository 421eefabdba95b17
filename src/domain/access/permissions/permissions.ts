import type { OwnerPermission } from '../../../platform/database/index.js';

/** The definition of one permission. */
export interface PermissionRule {
  /** What its holder may do, as a sentence without a subject. Documents, schemas and the portal show it. */
  readonly allows: string;
  /**
   * Whether its holder decides, makes others decide, or requests and receives what another decides: if the organization
   * requires a second person, one person cannot grant it alone. The last kind is included because an approver of cases could
   * request them with a second account, and an owner could reset an auditor's sign-in and download reports.
   */
  readonly isDeciding: boolean;
}

const OWNER = {
  'applications:read': {
    allows: 'List applications; read assets and transactions.',
    isDeciding: false,
  },
  'applications:create': {
    allows: 'Create applications; register, bind, unbind, assign and disable assets.',
    isDeciding: true,
  },
  'members:manage': {
    allows:
      'Invite, remove and reset members, grant permissions, end sessions, erase personal values, read refused requests.',
    isDeciding: true,
  },
  'api_keys:manage': { allows: 'List, create and revoke API keys.', isDeciding: true },
  'disclosures:decide': { allows: 'Request, read, approve and reject disclosures.', isDeciding: true },
  'policies:manage': {
    allows:
      'List and create disclosure policies; change the organization and what it requires; import, rotate ' +
      'and export auditor keys; rotate the signing key, and declare it compromised or lost; set retention ' +
      'and legal holds.',
    isDeciding: true,
  },
  'addresses:manage': {
    allows: 'Approve and revoke addresses of every application, set its default, read recorded checks.',
    isDeciding: true,
  },
  'relays:read': { allows: 'Read the history of relays for the applications.', isDeciding: false },
  'reports:list': { allows: 'List all reports of the organization.', isDeciding: false },
  'reports:download': { allows: 'Download every report of the organization.', isDeciding: true },
  'reports:create': {
    allows: 'Generate reports of the activity log of the organization.',
    isDeciding: false,
  },
  'logs:view_activity': {
    allows: 'Read and export the activity log of the organization.',
    isDeciding: false,
  },
} as const satisfies Readonly<Record<OwnerPermission, PermissionRule>>;

/**
 * The permission table: every bucket, every name that can be granted in it, and what each allows. Nothing else can be
 * granted. The owner's names come from the migrations, in the order in which they were introduced.
 */
export const PERMISSION_TABLE = {
  owner: OWNER,
  common: {
    'logs:view_activity': {
      allows: 'Read and export the activity log of the application.',
      isDeciding: false,
    },
  },
  administrator: {
    'cases:approve_creation': {
      allows:
        'Read all case requests and cases, approve and close requests, end cases, change their auditors.',
      isDeciding: true,
    },
    'cases:list': { allows: 'List cases.', isDeciding: false },
    'reports:list': { allows: 'List the reports of the application.', isDeciding: false },
    'addresses:manage': {
      allows: 'Approve and revoke addresses, set the default, read recorded checks.',
      isDeciding: true,
    },
    'disclosures:decide': {
      allows: 'Read what disclosures ask for, approve and reject them.',
      isDeciding: true,
    },
  },
  auditor: {
    'reports:view_transactions': {
      allows: 'Read the transactions of assigned cases while they are open.',
      isDeciding: true,
    },
    'cases:create': { allows: 'File case requests; read the requests they filed.', isDeciding: true },
    'cases:withdraw_pending_request': { allows: 'Withdraw pending requests they filed.', isDeciding: false },
    'reports:create': {
      allows: 'Generate reports of assigned cases and of activity logs they may read.',
      isDeciding: true,
    },
    'reports:list': { allows: 'List the reports of the application.', isDeciding: false },
    'reports:download': {
      allows: 'Download reports of the application; those of a case while they are assigned to it.',
      isDeciding: true,
    },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, PermissionRule>>>>;

export type Bucket = keyof typeof PERMISSION_TABLE;
export type ApplicationBucket = Exclude<Bucket, 'owner'>;
export type Permission<B extends Bucket = Bucket> = {
  [K in Bucket]: keyof (typeof PERMISSION_TABLE)[K] & string;
}[B];
export const APPLICATION_BUCKETS = ['common', 'administrator', 'auditor'] as const;
export const BUCKETS = Object.keys(PERMISSION_TABLE) as Bucket[];

const namesIn = <B extends Bucket>(bucket: B) => Object.keys(PERMISSION_TABLE[bucket]) as Permission<B>[];

/** The names in each bucket, in the order of the table. */
export const PERMISSIONS: { readonly [B in Bucket]: readonly Permission<B>[] } = {
  owner: namesIn('owner'),
  common: namesIn('common'),
  administrator: namesIn('administrator'),
  auditor: namesIn('auditor'),
};

/** Whether one person cannot grant it alone if the organization requires a second person. */
export function isDecidingPermission(bucket: Bucket, name: string): boolean {
  const rules: Readonly<Record<string, PermissionRule>> = PERMISSION_TABLE[bucket];
  return Object.hasOwn(rules, name) && rules[name]!.isDeciding;
}

/**
 * The scopes of API keys, each with the owner permission that allows the same to a portal session. `assets:write` creates and
 * binds; `disclosures:write` requests a disclosure, and its caller may receive plaintext.
 */
export const API_KEY_SCOPES = {
  'assets:read': 'applications:read',
  'assets:write': 'applications:create',
  'transactions:read': 'applications:read',
  'disclosures:read': 'disclosures:decide',
  'disclosures:write': 'disclosures:decide',
} as const satisfies Record<string, Permission<'owner'>>;

export type ApiKeyScope = keyof typeof API_KEY_SCOPES;

/** What an operation with `requireScope` needs, as a sentence of its description. */
export const needsScope = (scope: ApiKeyScope): string =>
  `Needs the scope \`${scope}\` or the owner permission \`${API_KEY_SCOPES[scope]}\`.`;

export function isPermissionOf(bucket: Bucket, name: string): name is Permission {
  return (PERMISSIONS[bucket] as readonly string[]).includes(name);
}

export function isApiKeyScope(name: string): name is ApiKeyScope {
  return Object.hasOwn(API_KEY_SCOPES, name);
}

/** The permissions of one user: owner permissions, and for each application a set for each bucket. */
export interface Grants {
  readonly owner: ReadonlySet<string>;
  readonly applications: ReadonlyMap<string, Readonly<Record<ApplicationBucket, ReadonlySet<string>>>>;
}
