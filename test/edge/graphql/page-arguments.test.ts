import { describe, expect, it } from '@jest/globals';
import { buildSchema, isRequiredArgument } from 'graphql';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { PERMISSIONS } from '../../../src/domain/access/index.js';
import { graphql, sessionOf, startTestApp } from '../../kit/app.js';
import { forFile } from '../../kit/for-file.js';
import { seedAsset } from '../../kit/ledger/confidential-records.js';
import { seedMember } from '../../kit/seed.js';

const app = forFile(await startTestApp());
const { foundation } = app.application;
const organizationId = app.organization.organization.id;
const { owner, administrator, auditor } = PERMISSIONS;
const member = await seedMember(foundation, organizationId, {
  owner,
  applications: [{ foreignId: 'payments', administrator, auditor }],
});
const { id: assetId } = await seedAsset(foundation, organizationId, {});

const schema = buildSchema(
  await readFile(path.resolve(import.meta.dirname, '../../../schema/schema.graphql'), 'utf8'),
);
const VALUES: Readonly<Record<string, string>> = { foreignId: 'payments', assetId };
const LISTS = Object.values(schema.getQueryType()!.getFields()).filter(
  // Needs a case, and is otherwise `activityLog`.
  ({ name, args }) => args.some((argument) => argument.name === 'first') && name !== 'caseActivityLog',
);

const listOf = (name: string, required: readonly string[]) => {
  const values = required.map((argument) => `${argument}: ${JSON.stringify(VALUES[argument])}, `).join('');
  return `${name}(${values}after: "") { nodes { __typename } }`;
};
const QUERIES = [
  ...LISTS.map(({ name, args }) =>
    listOf(
      name,
      args.filter(isRequiredArgument).map((argument) => argument.name),
    ),
  ),
  `applications { nodes { ${listOf('assets', [])} } }`,
  `asset(id: "${assetId}") { ${listOf('auditorKeyCoverage', [])} }`,
];

describe('an empty cursor', () => {
  it.each(QUERIES)('is refused by %s', async (query) => {
    const { errors } = await graphql(app, `{ ${query} }`, { headers: sessionOf(app, member.sessionToken) });
    expect(errors?.map(({ extensions }) => extensions)).toMatchObject([
      { code: 'BAD_USER_INPUT', members: [{ member: 'after' }] },
    ]);
  });
});
