import { expect, it } from '@jest/globals';
import { graphql } from 'graphql';
import { assetResolvers } from '../../../src/domain/assets/index.js';
import { disclosureResolvers, retainedResults } from '../../../src/domain/disclosures/index.js';
import { sweepRetention } from '../../../src/domain/organizations/index.js';
import { transactionResolvers } from '../../../src/domain/transactions/index.js';
import { executableSchema } from '../../../src/edge/graphql/index.js';
import { acrossOrganizations, type Database } from '../../../src/platform/database/index.js';
import { textOf } from '../../../src/platform/database/statement.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { forFile } from '../../kit/for-file.js';
import { seedOrganization, testFoundation } from '../../kit/seed.js';
import { ageResult, discloseAmount } from '../organizations/retention/retention-kit.js';
import { disclosureDesk, logOf } from './kit.js';

const database = forFile(await createTestDatabase());

it('a result that is deleted after its row was read and before it is decrypted is answered as deleted', async () => {
  const foundation = testFoundation(database);
  const desk = disclosureDesk(foundation);
  const seed = await seedOrganization(foundation);
  const { id } = await discloseAmount(foundation, desk, seed);
  await ageResult(database, id);

  let deleted = 0;
  const raced: Database = {
    ...database,
    async rows(statement) {
      if (/^select .*"sealed_result"/.test(textOf(statement).text))
        deleted += await acrossOrganizations(() => sweepRetention(foundation, retainedResults).sweep(10));
      return database.rows(statement);
    },
  };
  const gateway = { ...foundation, database: raced };
  const schema = executableSchema([
    ...assetResolvers.map((Resolver) => new Resolver(gateway)),
    ...transactionResolvers(gateway),
    ...disclosureResolvers(gateway, desk.fulfilment),
  ]);
  const log = await logOf(foundation, id);
  const { data, errors } = await graphql({
    schema,
    source: `query ($id: ID!) { disclosure(id: $id) {
      result { deletedAt receiptId records { transactionId } content salt again: deletedAt } } }`,
    contextValue: { principal: seed.apiKey.principal, requestId: 'test', clientAddress: '192.0.2.1' },
    variableValues: { id },
  });
  expect({ errors, deleted }).toEqual({ errors: undefined, deleted: 1 });
  const { result } = (JSON.parse(JSON.stringify(data)) as { disclosure: { result: Record<string, unknown> } })
    .disclosure;
  expect(result).toMatchObject({ records: null, content: null, salt: null });
  expect(result).toMatchObject({
    deletedAt: expect.stringMatching(/^20\d\d-/),
    again: result['deletedAt'],
    receiptId: expect.stringMatching(/^rcp_/),
  });
  expect(await logOf(foundation, id)).toEqual(log);
});
