import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  acrossOrganizations,
  actingFor,
  connectDatabase,
  type Database,
  piecewise,
  prepared,
  sql,
} from '../../../src/platform/database/index.js';
import { type Id, newId } from '../../../src/platform/kernel/ids.js';
import { entities } from '../../../src/app/storage/entities.js';
import { createTestDatabase, SERVING_ROLE } from '../../kit/database/database.js';
import { describeOnPostgresql } from '../../kit/database/on-postgresql.js';

const NAMES = sql<{ name: string }>`select name from organizations order by name`;
const preparedNames = prepared<{ name: string }>(
  'names_of_organizations',
  'select name from organizations where name <> $1 order by name',
);

describeOnPostgresql('a statement sets the organization that it runs for', () => {
  let owner: Database & { readonly url?: string };
  let serving: Database;
  const ids: Id<'org'>[] = [];
  beforeAll(async () => {
    owner = await createTestDatabase();
    for (const name of ['A', 'B', 'C']) {
      const id = newId('org');
      ids.push(id);
      await owner.rows(sql`insert into organizations (id, name, created_at) values (${id}, ${name}, now())`);
    }
    const url = new URL(owner.url!);
    url.username = SERVING_ROLE;
    // Few connections, so that each is used for several organizations in turn.
    serving = await connectDatabase({ entities, target: { url: url.href, poolSize: 2 } });
  });
  afterAll(async () => {
    await serving[Symbol.asyncDispose]();
    await owner[Symbol.asyncDispose]();
  });

  const names = async () => (await serving.rows(NAMES)).map(({ name }) => name);
  const namesByPrepared = async () => (await serving.rows(preparedNames('X'))).map(({ name }) => name);
  const namesInTransaction = async () =>
    serving.transaction(async (transaction) => (await transaction.rows(NAMES)).map(({ name }) => name));
  const WAYS = { names, namesByPrepared, namesInTransaction };

  it.each(Object.entries(WAYS))(
    'a statement sees the rows of exactly the organizations that it runs for (%s)',
    async (_, read) => {
      expect(await actingFor([ids[0]!], read)).toEqual(['A']);
      expect(await actingFor([ids[0]!, ids[2]!], read)).toEqual(['A', 'C']);
      expect(await actingFor([], read)).toEqual([]);
      expect(await acrossOrganizations(read)).toEqual(['A', 'B', 'C']);
      expect(await actingFor([ids[1]!], () => acrossOrganizations(read))).toEqual(['A', 'B', 'C']);
      expect(await acrossOrganizations(() => actingFor([ids[1]!], read))).toEqual(['B']);
    },
  );

  it.each(Object.entries(WAYS))(
    'a statement sees nothing if it does not name an organization (%s)',
    async (_, read) => {
      await acrossOrganizations(async () => Promise.all(Array.from({ length: 8 }, read)));
      expect(await Promise.all(Array.from({ length: 8 }, read))).toEqual(Array(8).fill([]));
    },
  );

  it('a statement sees its own organization regardless of the previous use of the connection', async () => {
    const fails = async () => {
      await expect(serving.rows(sql`select 1 / (select 0 from organizations limit 1)`)).rejects.toThrow(
        /zero/,
      );
      await expect(serving.rows(sql`select nonsense from organizations`)).rejects.toThrow(/nonsense/);
      await expect(
        serving.transaction((transaction) => transaction.rows(sql`select nonsense from organizations`)),
      ).rejects.toThrow(/nonsense/);
    };
    const asked = Array.from({ length: 200 }, async (_, index) => {
      const place = index % 3;
      const read = Object.values(WAYS)[Math.floor(index / 3) % 3]!;
      if (index % 7 === 0) await acrossOrganizations(fails);
      expect(await actingFor([ids[place]!], read)).toEqual(['ABC'[place]]);
    });
    await Promise.all(asked);
    expect(await names()).toEqual([]);
  });

  it('a prepared statement returns its columns correctly each time, even after they have changed', async () => {
    await owner.rows(sql`create table numbered (n integer, at timestamptz, big bigint)`);
    await owner.rows(sql`grant select on numbered to ${sql.id(SERVING_ROLE)}`);
    const url = new URL(owner.url!);
    url.username = SERVING_ROLE;
    await using one = await connectDatabase({ entities, target: { url: url.href, poolSize: 1 } });
    const numbered = prepared('numbered', 'select n, at, big from numbered where n::text = $1');
    const read = () => actingFor([ids[0]!], () => one.rows(numbered('7')));

    expect(await read()).toEqual([]);
    await owner.rows(sql`insert into numbered values (7, '2026-01-02 03:04:05.006Z', 8)`);
    const row = { n: 7, at: new Date('2026-01-02T03:04:05.006Z'), big: 8 };
    expect(await read()).toEqual([row]);
    expect(await actingFor([ids[0]!], () => one.rows(NAMES))).toEqual([{ name: 'A' }]);
    expect(await read()).toEqual([row]);
    await owner.rows(sql`alter table numbered alter column n type text`);
    // As for any change of this kind: the next statement fails, and the one after it gets another connection.
    await expect(read()).rejects.toThrow('cached plan must not change result type');
    expect(await read()).toEqual([{ ...row, n: '7' }]);
  });

  it('a statement sees no rows for an invalid organization id', async () => {
    const hostile = [
      `x', true); select set_config('lucarne.acting_for', '*`,
      `${ids[0]},*`,
      '*,',
    ] as Id<'org'>[];
    for (const text of hostile)
      for (const read of Object.values(WAYS)) expect(await actingFor([text], read)).not.toContain('B');
  });

  it('each chunk of a stream is read for the stream’s organization, even if other code reads it', async () => {
    async function* read() {
      yield await names();
      yield await namesInTransaction();
    }
    const pieces = piecewise((work) => actingFor([ids[1]!], work), read);
    const seen: string[][] = [];
    for await (const piece of pieces) seen.push(piece);
    expect(seen).toEqual([['B'], ['B']]);
  });
});
