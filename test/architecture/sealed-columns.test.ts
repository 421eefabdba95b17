import { describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { PURPOSES, SEALED_COLUMNS } from '../../src/app/storage/sealed-columns.js';
import { organizationSigner } from '../../src/domain/activity-log/index.js';
import { type Database, sql } from '../../src/platform/database/index.js';
import {
  announceDataKeys,
  reseal,
  retireMasterKey,
  rotateMasterKey,
  withSignatures,
} from '../../src/platform/keys/index.js';
import { ROOT } from '../app/gateway-process.js';
import { createTestDatabase } from '../kit/database/database.js';
import { seedOrganization, testFoundation } from '../kit/seed.js';
import { letSettle, openKeyRoom } from '../platform/keys/key-room.js';
import { seedThings } from './things/seed-things.js';

const nameOf = ({ table, column }: { readonly table: string; readonly column: string }) =>
  `${table}.${column}`;

/** The context of each value. The contexts of stored values never change. */
const CONTEXTS: Readonly<Record<string, (key: readonly (string | number)[]) => string>> = {
  'auditor_keys.sealed_secret': ([organization, epoch]) => `auditor_keys/${organization}/${epoch}`,
  // The first key of an organization.
  'signing_keys.sealed_secret': ([organization]) => `signing_keys/${organization}`,
  // From the time before accounts were separated from users.
  'accounts.sealed_totp_secret': ([id]) => `users/usr_${String(id).slice('acc_'.length)}/sealed_totp_secret`,
  'disclosures.sealed_result': ([id]) => `disclosures/${id}/result`,
  'report_chunks.sealed_bytes': ([content, index]) => `report_chunks/${content}/${index}`,
  'reports.sealed_digest': ([id]) => `report_digests/${id}`,
  'relay_requests.sealed_package': ([id]) => `relay_requests/${id}/sealed_package`,
  'idempotency_keys.sealed_answer': ([organization, key]) => `idempotency_keys/${organization}/${key}`,
};

interface StoredValue {
  readonly context: string;
  readonly sealed: Uint8Array;
}

async function storedValues(database: Database): Promise<StoredValue[]> {
  const found: StoredValue[] = [];
  for (const column of SEALED_COLUMNS) {
    const names = sql.join(column.key.map((name) => sql.id(name)));
    const rows = await database.rows(
      sql<Record<string, unknown>>`select ${names}, ${sql.id(column.column)} as sealed_value
        from ${sql.table(column.table)} where ${sql.id(column.column)} is not null order by ${names}`,
    );
    for (const row of rows)
      found.push({
        context: CONTEXTS[nameOf(column)]!(column.key.map((name) => row[name] as string | number)),
        sealed: row['sealed_value'] as Uint8Array,
      });
  }
  return found;
}

describe('the list of sealed columns', () => {
  it('contains every sealed column of the schema, because retire would lose values that reseal does not know', async () => {
    const schema = await readFile(path.join(ROOT, 'schema', 'database.sql'), 'utf8');
    const sealed: string[] = [];
    for (const [, table, columns] of schema.matchAll(/^create table (\w+) \(\n([^;]*)\n\)/gm))
      for (const [, column] of columns!.matchAll(/^ {2}(sealed_\w+) /gm)) sealed.push(`${table}.${column}`);
    expect(SEALED_COLUMNS.map(nameOf).toSorted()).toEqual(sealed.toSorted());
    expect(Object.keys(CONTEXTS).toSorted()).toEqual(sealed.toSorted());
    expect(new Set(PURPOSES).size).toBe(PURPOSES.length);
  });

  it('is complete: no column loses a value when the master key is rotated, resealed and retired', async () => {
    await using database = await createTestDatabase();
    await using room = await openKeyRoom();
    const { sealer } = await room.gateway(database);
    const foundation = { ...testFoundation(database), sealer };
    const home = await seedOrganization(foundation);
    const { id } = home.organization;
    await seedThings(foundation, home);
    await withSignatures(foundation.signingKeys, (signatures) =>
      database.transaction((transaction) =>
        organizationSigner(transaction, { sealer, signatures }, id, new Date()),
      ),
    );
    const seal = (context: string) => sealer.seal(Buffer.from(`of ${context}`), context);
    const [account] = await database.rows(sql<{ id: string }>`select id from accounts order by id limit 1`);
    await database.rows(sql`update accounts set sealed_totp_secret =
      ${seal(CONTEXTS['accounts.sealed_totp_secret']!([account!.id]))} where id = ${account!.id}`);
    await database.rows(sql`insert into report_chunks (content_id, chunk_index, sealed_bytes)
      values ('content', 3, ${seal('report_chunks/content/3')})`);
    await database.rows(sql`insert into reports (id, organization_id, report_type, format, record_count, content_id,
        sealed_digest, generated_by, generated_at, log_entry_id)
      select 'rpt_1', ${id}, 'activity_log', 'csv', 1, 'content', ${seal('report_digests/rpt_1')},
        ${home.owner.principal.userId}, now(), id from activity_entries where organization_id = ${id} limit 1`);
    await database.rows(sql`insert into relay_requests (id, pool_selector, program_id, package_digest,
        sealed_package, status, sequence, created_at, updated_at)
      values ('rly_1', 'pool', 'program', ${new Uint8Array(32)}, ${seal('relay_requests/rly_1/sealed_package')}, 'succeeded', 1,
        now(), now())`);
    await database.rows(sql`insert into idempotency_keys (organization_id, key, operation, request_hash,
        resource_id, sealed_answer, created_at)
      values (${id}, 'once', 'createApplication', ${new Uint8Array(32)}, 'app_1',
        ${seal(`idempotency_keys/${id}/once`)}, now())`);
    const before = await storedValues(database);
    const columns = new Set(before.map(({ context }) => context.split('/')[0]));
    expect(columns.size).toBe(SEALED_COLUMNS.length);
    const texts = before.map(({ context, sealed }) =>
      Buffer.from(sealer.open(sealed, context)).toString('hex'),
    );

    const operator = room.operator(database);
    await rotateMasterKey(operator);
    await announceDataKeys(operator);
    expect(await reseal({ ...operator, sealer: (await room.gateway(database)).sealer })).toEqual([]);
    await letSettle(database);
    expect(await retireMasterKey(operator, 1)).toBeGreaterThan(0);
    const after = await storedValues(database);
    const later = (await room.gateway(database)).sealer;
    expect(after.map(({ context }) => context)).toEqual(before.map(({ context }) => context));
    expect(
      after.map(({ context, sealed }) => Buffer.from(later.open(sealed, context)).toString('hex')),
    ).toEqual(texts);
  });
});
