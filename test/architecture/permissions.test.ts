import { describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import {
  API_KEY_SCOPES,
  PERMISSION_TABLE,
  PERMISSIONS,
  type PermissionRule,
} from '../../src/domain/access/permissions/permissions.js';
import { packageRoot } from '../../src/platform/kernel/package.js';
import { REQUIRED_PERMISSIONS } from './authorization/table.js';

const required = new Set<string>(REQUIRED_PERMISSIONS);
const grantable = Object.entries(PERMISSIONS).flatMap(([bucket, names]) =>
  names.map((name) => `${bucket} ${name}`),
);
const scopes = Object.keys(API_KEY_SCOPES).map((scope) => `scope ${scope}`);

describe('the permission table', () => {
  it('grants only what a field or a route requires', () => {
    expect([...grantable, ...scopes].filter((permission) => !required.has(permission))).toEqual([]);
  });

  it('can grant everything that a field or a route requires', () => {
    const known = new Set([...grantable, ...scopes]);
    expect([...required].filter((permission) => !known.has(permission))).toEqual([]);
  });

  it('matches the table in docs/security.md', async () => {
    const document = await readFile(new URL('docs/security.md', packageRoot), 'utf8');
    const section = document.split(/^## /m).find((part) => part.startsWith('Permissions\n'));
    const rows = section!
      .split('\n')
      .filter((line) => /^\| \w/.test(line) && !line.startsWith('| Bucket'))
      .map((line) => line.split('|').map((cell) => cell.trim()));
    const expected = Object.entries<Readonly<Record<string, PermissionRule>>>(PERMISSION_TABLE).flatMap(
      ([bucket, rules]) =>
        Object.entries(rules).map(([name, { allows, isDeciding }]) => [
          ...['', bucket, `\`${name}\``, allows, isDeciding ? 'yes' : 'no', ''],
        ]),
    );
    expect(rows).toEqual(expected);
  });
});
