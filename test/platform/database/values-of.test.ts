import { describe, expect, it } from '@jest/globals';
import { query, readSetting, sql, valuesOf } from '../../../src/platform/database/index.js';
import { textOf } from '../../../src/platform/database/statement.js';
import { newId } from '../../../src/platform/kernel/ids.js';
import { AssetEntity } from '../../../src/domain/assets/asset.entity.js';
import { CaseAuditorEntity } from '../../../src/domain/cases/case.entity.js';
import { SettingEntity } from '../../../src/platform/database/setting.entity.js';
import { forFile } from '../../kit/for-file.js';
import { createTestDatabase } from '../../kit/database/database.js';

const database = forFile(await createTestDatabase());

describe('the values of a new row', () => {
  it.each([[[1, 2]], ['text'], [{ member: [null] }], [false]])('store %j as JSON', async (value) => {
    const name = JSON.stringify(value);
    await database.rows(query.insertInto('settings').values(valuesOf(SettingEntity, { name, value })));
    expect(await readSetting(database, name)).toEqual(value);
  });

  it('take an expression as it is', async () => {
    const row = { name: 'expression', value: sql`to_jsonb(1 + 1)` };
    await database.rows(query.insertInto('settings').values(valuesOf(SettingEntity, row)));
    expect(await readSetting(database, 'expression')).toBe(2);
  });

  it('name the columns, and are null where a property is null', () => {
    const row = { id: 'ast_1', organizationId: 'org_1', archived: null, movedSlot: null };
    const values = valuesOf(AssetEntity, row as never);
    expect(values).toEqual({ id: 'ast_1', organization_id: 'org_1', archived: null, moved_slot: null });
  });

  it('are refused by the database if they have what the entity does not', async () => {
    const row = { name: 'more', value: 1, moreThanThat: 1 };
    const statement = query.insertInto('settings').values(valuesOf(SettingEntity, row));
    expect(textOf(statement).text).toContain('"more_than_that"');
    await expect(database.rows(statement)).rejects.toThrow('more_than_that');
  });

  it('do not compile without a property that has no default, or with a misspelled one', () => {
    const caseId = newId('cas');
    // @ts-expect-error: `userId` is missing.
    expect(valuesOf(CaseAuditorEntity, { caseId })).toEqual({ case_id: caseId });
    // @ts-expect-error: `user` is no property.
    expect(valuesOf(CaseAuditorEntity, { caseId, user: newId('usr') })).toHaveProperty('user');
  });
});
