import { badUserInput } from '../kernel/errors.js';
import {
  APPLICATION_BUCKETS,
  isPermissionOf,
  PERMISSIONS,
  type ApplicationBucket,
  type Bucket,
  type Grants,
} from './permissions.js';

/** What one member holds or shall hold, by names: the form of inputs, listings and the activity log. */
export interface PermissionSet {
  readonly owner: readonly string[];
  readonly applications: readonly ApplicationPermissionSet[];
}

export type ApplicationPermissionSet = { readonly foreignId: string } & Readonly<
  Record<ApplicationBucket, readonly string[]>
>;

/** What callers send: an absent bucket is an empty one. */
export interface PermissionSetInput {
  readonly owner?: readonly string[] | null;
  readonly applications?: readonly ApplicationPermissionSetInput[] | null;
}

export type ApplicationPermissionSetInput = { readonly foreignId: string } & {
  readonly [B in ApplicationBucket]?: readonly string[] | null;
};

const MOST_APPLICATIONS = 1_000;

export const EVERY_OWNER_PERMISSION: PermissionSet = { owner: PERMISSIONS.owner, applications: [] };

/** Names in the table's order, each once. An unknown name, or an application named twice, is `BAD_USER_INPUT`. */
export function parsePermissionSet(input: PermissionSetInput): PermissionSet {
  const applications = input.applications ?? [];
  if (applications.length > MOST_APPLICATIONS) {
    throw badUserInput(`applications must name at most ${MOST_APPLICATIONS} applications.`);
  }
  const seen = new Set<string>();
  return {
    owner: parseNames('owner', 'owner', input.owner),
    applications: applications.map((application, index) => {
      const member = `applications[${index}]`;
      if (seen.has(application.foreignId)) throw badUserInput(`${member}.foreignId is named twice.`);
      seen.add(application.foreignId);
      return {
        foreignId: application.foreignId,
        common: parseNames(`${member}.common`, 'common', application.common),
        administrator: parseNames(`${member}.administrator`, 'administrator', application.administrator),
        auditor: parseNames(`${member}.auditor`, 'auditor', application.auditor),
      };
    }),
  };
}

/** The set that a row of grants stands for: `[bucket, permission, foreignId | null]` each. */
export function permissionSetOf(rows: readonly (readonly [string, string, string | null])[]): PermissionSet {
  const held = (foreignId: string | null, bucket: Bucket) => {
    const names = new Set(
      rows.filter((row) => row[2] === foreignId && row[0] === bucket).map(([, permission]) => permission),
    );
    return PERMISSIONS[bucket].filter((name) => names.has(name));
  };
  const foreignIds = [...new Set(rows.map((row) => row[2]).filter((foreignId) => foreignId !== null))].sort();
  return {
    owner: held(null, 'owner'),
    applications: foreignIds.map((foreignId) => ({
      foreignId,
      common: held(foreignId, 'common'),
      administrator: held(foreignId, 'administrator'),
      auditor: held(foreignId, 'auditor'),
    })),
  };
}

/** `{ name: true | false }` over every name of the bucket. */
export function permissionMap(bucket: Bucket, held: ReadonlySet<string>): Record<string, boolean> {
  return Object.fromEntries(PERMISSIONS[bucket].map((name) => [name, held.has(name)]));
}

/** The grants by id that the checks read. */
export function grantsOf(rows: readonly (readonly [string, string, string | null])[]): Grants {
  const owner = new Set<string>();
  const applications = new Map<string, Record<ApplicationBucket, Set<string>>>();
  for (const [bucket, permission, applicationId] of rows) {
    if (applicationId === null) {
      owner.add(permission);
      continue;
    }
    let buckets = applications.get(applicationId);
    if (!buckets) {
      buckets = { common: new Set(), administrator: new Set(), auditor: new Set() };
      applications.set(applicationId, buckets);
    }
    const known = APPLICATION_BUCKETS.find((name) => name === bucket);
    if (known) buckets[known].add(permission);
  }
  return { owner, applications };
}

function parseNames(
  member: string,
  bucket: Bucket,
  names: readonly string[] | null | undefined,
): readonly string[] {
  for (const name of names ?? []) {
    if (!isPermissionOf(bucket, name)) {
      throw badUserInput(`${member} must name permissions of the bucket ${bucket}.`);
    }
  }
  return PERMISSIONS[bucket].filter((name) => names?.includes(name));
}
