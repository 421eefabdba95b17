import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  examineKept,
  examineLog,
  examinePersonalValues,
  newestCheckpoint,
} from '../../../src/domain/activity-log/index.js';
import { sql, type Reader } from '../../../src/platform/database/index.js';
import { seedOrganization, type SeededOrganization, openTestFoundation } from '../../kit/seed.js';
import { act, sequence } from './kit.js';

const { database, foundation } = await openTestFoundation();

describe('checking a stored log', () => {
  let home: SeededOrganization;
  let size: number;
  beforeEach(async () => {
    home = await seedOrganization(foundation);
    await act(foundation, home.organization.id, 3);
    await sequence(foundation);
    ({ size } = await newestCheckpoint(database, home.organization.id));
  });

  const look = (reader: Reader = database) => examineLog(reader, home.organization.id);
  const entriesOf = (index: number) =>
    sql`organization_id = ${home.organization.id} and log_index = ${index}`;

  it('finds no problem in a log that matches its signed checkpoints', async () => {
    expect(await look()).toBeUndefined();
  });

  it('is not confused by a gateway that signs more entries meanwhile', async () => {
    let isFirst = true;
    const meanwhile: Reader = {
      ...database,
      async rows(statement) {
        const rows = await database.rows(statement);
        if (!isFirst) return rows;
        isFirst = false;
        await act(foundation, home.organization.id, 2);
        await sequence(foundation);
        return rows;
      },
    };
    expect(await look(meanwhile)).toBeUndefined();
  });

  it('names the newest missing entry, at the end of the log and before it', async () => {
    await database.rows(sql`delete from activity_entries where ${entriesOf(size - 2)}`);
    expect(await look()).toBe(`Entry ${size - 2} is missing.`);
    await database.rows(sql`delete from activity_entries where ${entriesOf(size - 1)}`);
    expect(await look()).toContain(`covers ${size} entries`);
  });

  it('finds a name that someone with access to the database replaced, although the signed tree does not hold it', async () => {
    const { id } = home.organization;
    const seen = async () => {
      const problem = await examinePersonalValues(database, id);
      return problem?.replace(/entry \d+ at \/\S+/, 'entry N');
    };
    const change = async (from: string, to: string) => {
      await database.rows(sql`
        update activity_entries set salts = replace(salts::text, ${from}, ${to})::jsonb
        where ${entriesOf(size - 1)}`);
    };
    const OTHER = 'The value of entry N is not the one that was logged.';
    expect(await seen()).toBeUndefined();
    await change('"value": "', '"value": "Someone else, not ');
    expect(await seen()).toBe(OTHER);
    expect(await look()).toBeUndefined();
    await change('"value": "Someone else, not ', '"value": "');
    expect(await seen()).toBeUndefined();
    // A value where the entry has no digest.
    await change('{"/', '{"/details/');
    expect(await seen()).toBe(OTHER);
    // An erased value is none.
    await database.rows(sql`update activity_entries set salts = '{}' where ${entriesOf(size - 1)}`);
    expect(await seen()).toBeUndefined();
  });

  it('reports a missing part of the tree, for a log and for a saved checkpoint', async () => {
    const { note } = await newestCheckpoint(database, home.organization.id);
    await act(foundation, home.organization.id, 1);
    await sequence(foundation);
    expect(await examineKept(database, note)).toBeUndefined();
    await database.rows(sql`delete from log_tiles where organization_id = ${home.organization.id}`);
    expect(await look()).toBe('The root of the stored tiles is not the one that was signed last.');
    expect(await examineKept(database, note)).toMatch(/^A part of the tree of .* is missing\./);
  });
});
