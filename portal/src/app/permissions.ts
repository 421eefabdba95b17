import type table from '../../../schema/permissions.json';

type Table = typeof table;

export type Bucket = Exclude<keyof Table, 'owner'>;

/** What can be granted in a bucket, as the gateway's permission table has it. */
export type Permission<B extends keyof Table> = keyof Table[B] & string;

/** Every permission with its bucket: `owner members:manage`. */
export type PermissionName = { [B in keyof Table]: `${B} ${Permission<B>}` }[keyof Table];
