import { randomBytes } from 'node:crypto';
import { operatorOf } from '#lucarne/domain/access/index.js';
import { sql, type Foundation } from '#lucarne/platform/database/index.js';
import { newId, type Id } from '#lucarne/platform/kernel/ids.js';
import { createApiKey, createApplication, createOrganization } from '#lucarne/domain/organizations/index.js';

/** The second of the first record. */
const BEGIN = 1_767_225_600;

export interface SeededRecords {
  readonly assetId: Id<'ast'>;
  /** A key with the scope `transactions:read`. */
  readonly apiKey: string;
  readonly count: number;
}

/** An active asset of an application, and an API key of its organization with the scope `transactions:read`. */
export async function seedAsset(foundation: Foundation) {
  const { id: organizationId } = await createOrganization(foundation, {
    name: 'Measured',
    owner: { email: 'owner@example.test', name: 'Owner', password: randomBytes(16).toString('hex') },
  });
  const operator = operatorOf(organizationId);
  const application = await createApplication(foundation, operator, {
    foreignId: 'measured',
    name: 'Measured',
  });
  const { apiKey, secret } = await createApiKey(foundation, operator, {
    name: 'Measured',
    scopes: ['transactions:read'],
  });
  const assetId = newId('ast');
  await foundation.database.rows(sql`
    insert into auditor_keys (organization_id, epoch, public_key, sealed_secret, created_at)
    values (${organizationId}, 1, ${randomBytes(32)}, ${randomBytes(61)}, now())`);
  await foundation.database.rows(sql`
    insert into assets (id, organization_id, application_id, name, symbol, decimals, auditor_public_key,
      auditor_key_epoch, status, created_at, updated_at)
    values (${assetId}, ${organizationId}, ${application.id}, 'Measured', 'MSRD', 6, ${randomBytes(32)}, 1, 'active',
      now(), now())`);
  return { organizationId, application, assetId, apiKey, secret };
}

/** An asset with confidential transfers, as the indexer writes them. */
export async function seedRecords(foundation: Foundation, count: number): Promise<SeededRecords> {
  const { database } = foundation;
  const { assetId, secret } = await seedAsset(foundation);
  const account = (seed: string) => sql.raw(`substr(repeat(md5((${seed})::text), 2), 1, 44)`);
  const ciphertext = (seed: string) =>
    sql.raw(`translate(encode(sha512((${seed})::text::bytea), 'base64'), E'\\n', '')`);
  await database.rows(sql`
    insert into transactions (id, asset_id, position, signature, path, type, slot, block_time, signer,
      source_account, destination_account, public_data, ciphertexts, indexed_at)
    select 'txn_' || lpad(n::text, 26, '0'), ${assetId}, n, substr(repeat(md5(n::text), 3), 1, 88), '{3,0,0}',
      'confidential_transfer', 391204417 + n, ${BEGIN}::integer + n, ${account('n % 977')}, ${account('n % 991')},
      ${account('n % 983')},
      jsonb_build_object('instructionIndex', 3, 'instructionPath', jsonb_build_array(3, 0, 0),
        'authority', ${account('n % 977')}),
      jsonb_build_object('auditor', jsonb_build_object('lo', ${ciphertext('n')}, 'hi', ${ciphertext('-n')})),
      now()
    from generate_series(1, ${count}::integer) as n`);
  await database.rows(sql`vacuum (analyze) transactions`);
  return { assetId, apiKey: secret, count };
}
