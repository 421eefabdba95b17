import { invalidMember, invalidMembers, type InvalidMember } from '../../../platform/kernel/errors.js';
import {
  APPLICATION_BUCKETS,
  isPermissionOf,
  PERMISSIONS,
  type ApplicationBucket,
  type Bucket,
  type Grants,
} from './permissions.js';

/** The permissions of one member by name, as in inputs, listings and the activity log. */
export interface PermissionSet {
  readonly owner: readonly string[];
  readonly applications: readonly ApplicationPermissionSet[];
}

export type ApplicationPermissionSet = { readonly foreignId: string } & Readonly<
  Record<ApplicationBucket, readonly string[]>
>;

/** A set as callers send it. An absent bucket is empty. */
export interface PermissionSetInput {
  readonly owner?: readonly string[] | null;
  readonly applications?: readonly ApplicationPermissionSetInput[] | null;
}

export type ApplicationPermissionSetInput = { readonly foreignId: string } & {
  readonly [B in ApplicationBucket]?: readonly string[] | null;
};

const MAX_APPLICATIONS = 1_000;

export const EVERY_OWNER_PERMISSION: PermissionSet = { owner: PERMISSIONS.owner, applications: [] };

/**
 * Names in the table's order, each once. An unknown name, or an application named twice, is `BAD_USER_INPUT`. Members are
 * reported under `prefix`, such as `permissions.`.
 */
export function parsePermissionSet(input: PermissionSetInput, prefix = ''): PermissionSet {
  const applications = input.applications ?? [];
  if (applications.length > MAX_APPLICATIONS) {
    throw invalidMember(`${prefix}applications`, `must name at most ${MAX_APPLICATIONS} applications`);
  }
  const problems: InvalidMember[] = [];
  const names = (member: string, bucket: Bucket, value: readonly string[] | null | undefined) => {
    if (!(value ?? []).every((name) => isPermissionOf(bucket, name))) {
      problems.push({ member, problem: `must name permissions of the bucket ${bucket}` });
    }
    return PERMISSIONS[bucket].filter((name) => value?.includes(name));
  };
  const seen = new Set<string>();
  const set: PermissionSet = {
    owner: names(`${prefix}owner`, 'owner', input.owner),
    applications: applications.map((application, index) => {
      const member = `${prefix}applications[${index}]`;
      if (seen.has(application.foreignId)) {
        problems.push({ member: `${member}.foreignId`, problem: 'must not be named twice' });
      }
      seen.add(application.foreignId);
      return {
        foreignId: application.foreignId,
        common: names(`${member}.common`, 'common', application.common),
        administrator: names(`${member}.administrator`, 'administrator', application.administrator),
        auditor: names(`${member}.auditor`, 'auditor', application.auditor),
      };
    }),
  };
  if (problems.length > 0) throw invalidMembers(problems);
  return set;
}

/** The set of rows of grants: `[bucket, permission, foreignId | null]` each. */
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

/** A permission of the table, and whether it is held. */
export interface PermissionState {
  readonly name: string;
  readonly held: boolean;
}

/** Every permission of the bucket with whether it is held. */
export function permissionStates(bucket: Bucket, held: ReadonlySet<string>): PermissionState[] {
  return PERMISSIONS[bucket].map((name) => ({ name, held: held.has(name) }));
}

/** The grants by id, for the permission checks. */
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
