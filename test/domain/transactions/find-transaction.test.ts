import { describe, expect, it } from '@jest/globals';
import { newId } from '../../../src/platform/kernel/ids.js';
import { createTransactionReader } from '../../../src/domain/transactions/index.js';
import { randomSignature, seedAsset, seedRecords } from '../../kit/ledger/confidential-records.js';
import { seedApiKey } from '../../kit/seed.js';
import { openTwoOrganizations } from '../../kit/two-organizations.js';

const { database, foundation, acme, other } = await openTwoOrganizations();
const asset = await seedAsset(foundation, acme.organization.id);

describe('the reader of single transactions', () => {
  let queries: number;
  const reader = createTransactionReader({
    database: {
      ...database,
      rows: (query) => {
        queries += 1;
        return database.rows(query);
      },
    },
  });

  const find = (name: string, organization = acme) => reader.find(organization.apiKey.principal, name);

  it('finds a record by its id and by its signature', async () => {
    const [seeded] = await seedRecords(foundation, asset, [{}]);
    const byId = await find(seeded!.id);
    expect(byId).toMatchObject({ id: seeded!.id, networkTransactionId: seeded!.signature });
    expect(await find(seeded!.signature)).toEqual(byId);
  });

  it('finds the first record in instruction order if a signature has several', async () => {
    const signature = randomSignature();
    const seeded = await seedRecords(foundation, asset, [
      { signature, path: [10, 0, 0] },
      { signature, path: [2, 0, 3] },
      { signature, path: [2, 1, 0] },
    ]);
    expect((await find(signature)).id).toBe(seeded[1]!.id);
  });

  it('gives each organization its own record of one ledger transaction', async () => {
    const signature = randomSignature();
    const theirs = await seedAsset(foundation, other.organization.id);
    const [mine] = await seedRecords(foundation, asset, [{ signature }]);
    const [their] = await seedRecords(foundation, theirs, [{ signature }]);
    const found = await Promise.all([find(signature), find(signature, other)]);
    expect(found.map(({ id }) => id)).toEqual([mine!.id, their!.id]);
  });

  it('gives the same response for another organization’s record, an unknown one and a malformed name', async () => {
    const [seeded] = await seedRecords(foundation, asset, [{}]);
    const answers = await Promise.all(
      [
        find(seeded!.id, other),
        find(seeded!.signature, other),
        find(newId('txn')),
        find(randomSignature()),
        find('txn_nonsense'),
        find(''),
      ].map((answer) => answer.then(undefined, (thrown: unknown) => thrown)),
    );
    for (const answer of answers) {
      expect(answer).toMatchObject({ code: 'NOT_FOUND', message: 'No such transaction.' });
    }
  });

  it('reads concurrent requests with one query', async () => {
    const seeded = await seedRecords(
      foundation,
      asset,
      Array.from({ length: 40 }, () => ({})),
    );
    queries = 0;
    const wanted = [...seeded, ...seeded, { id: newId('txn') }];
    const found = await Promise.allSettled(wanted.map(({ id }) => find(id)));
    expect(queries).toBe(1);
    expect(found.map((answer) => (answer.status === 'fulfilled' ? answer.value.id : answer.status))).toEqual([
      ...seeded.map(({ id }) => id),
      ...seeded.map(({ id }) => id),
      'rejected',
    ]);
  });

  it('caches nothing: a record that is added later is found', async () => {
    const signature = randomSignature();
    await expect(find(signature)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await seedRecords(foundation, asset, [{ signature }]);
    expect(await find(signature)).toMatchObject({ networkTransactionId: signature });
  });

  it('requires the scope transactions:read', async () => {
    const { principal } = await seedApiKey(foundation, acme.organization.id, ['assets:read']);
    await expect(reader.find(principal, newId('txn'))).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});
