import { ElGamalPubkey } from '@solana/zk-sdk/node';
import { randomBytes } from 'node:crypto';
import { operatorOf } from '#lucarne/domain/access/index.js';
import { recordActivity } from '#lucarne/domain/activity-log/index.js';
import { currentAuditorKey } from '#lucarne/domain/assets/auditor-keys/auditor-keys.js';
import { createApiKey, createApplication, createOrganization } from '#lucarne/domain/organizations/index.js';
import { jsonb, sql, type Foundation } from '#lucarne/platform/database/index.js';
import { newId, type Id } from '#lucarne/platform/kernel/ids.js';
import { openCase } from '../kit/open-case.ts';

export const OWNER = {
  email: 'owner@example.test',
  name: 'Owner',
  password: 'correct horse battery staple 7',
};
export const APPLICATION = 'measured';
/** The account that sends every disclosed transfer. */
export const ACCOUNT = 'A'.repeat(44);
/** The second of the first record. */
const BEGIN = 1_767_225_600;
const CHUNK = 500;

export interface Sizes {
  readonly entries: number;
  readonly deposits: number;
  readonly transfers: number;
}

export interface Seeded {
  readonly apiKey: string;
  readonly caseId: Id<'cas'>;
  readonly assetId: Id<'ast'>;
}

/**
 * An organization with a long log, a case with many public deposits, and transfers with amounts encrypted to its auditor key.
 */
export async function seed(foundation: Foundation, sizes: Sizes): Promise<Seeded> {
  const { database } = foundation;
  const { id: organizationId, owner } = await createOrganization(foundation, {
    name: 'Measured',
    owner: OWNER,
  });
  const operator = operatorOf(organizationId);
  const application = await createApplication(foundation, operator, {
    ...{ foreignId: APPLICATION, name: 'Measured' },
  });
  const { secret } = await createApiKey(foundation, operator, {
    name: 'Measured',
    scopes: ['disclosures:write', 'disclosures:read'],
  });
  const assetId = newId('ast');
  const rules = {
    ...{ allowedFields: ['amount'], allowedFormats: ['json'], accounts: null, types: null },
    ...{ maximumSpanSeconds: null, maximumRecords: null, inside: 'authorize', outside: 'authorize' },
  };
  await database.rows(sql`
    insert into disclosure_policies (id, organization_id, key, name, rules, created_at)
    values (${newId('dpl')}, ${organizationId}, 'open', 'Open', ${jsonb(rules)}, now())`);
  const publicKey = await database.transaction(async (transaction) => {
    const key = await currentAuditorKey(transaction, foundation, organizationId);
    await transaction.rows(sql`
      insert into assets (id, organization_id, application_id, name, symbol, decimals, auditor_public_key,
        auditor_key_epoch, mint_address, disclosure_policy_id, status, created_at, updated_at)
      values (${assetId}, ${organizationId}, ${application.id}, 'Measured', 'MSRD', 6, ${key.publicKey}, ${key.epoch},
        ${'M'.repeat(44)}, 'open', 'active', now(), now())`);
    await transaction.rows(sql`
      insert into indexed_mints (asset_id, mint_address, status, next_attempt_at, record_count)
      values (${assetId}, ${'M'.repeat(44)}, 'active', now() + interval '1 year', ${sizes.deposits + sizes.transfers})`);
    await transaction.rows(sql`
      insert into mint_auditor_keys (asset_id, from_slot, path, public_key, signature)
      values (${assetId}, 0, '{0,0,0}', ${key.publicKey}, ${'S'.repeat(88)})`);
    return key.publicKey;
  });
  for (let from = 1; from <= sizes.deposits; from += CHUNK)
    await database.rows(sql`
      insert into transactions (id, asset_id, position, signature, path, type, slot, block_time, signer,
        source_account, destination_account, public_data, ciphertexts, indexed_at)
      select 'txn_' || lpad(n::text, 26, '0'), ${assetId}, n, substr(repeat(md5(n::text), 3), 1, 88), '{0,0,0}',
        'confidential_deposit', n, ${BEGIN}::integer + n, substr(repeat(md5((n % 977)::text), 2), 1, 44),
        substr(repeat(md5((n % 991)::text), 2), 1, 44), substr(repeat(md5((n % 991)::text), 2), 1, 44),
        jsonb_build_object('amount', (n * 1000)::text), '{}', now()
      from generate_series(${from}::integer, ${Math.min(sizes.deposits, from + CHUNK - 1)}::integer) as n`);
  const key = ElGamalPubkey.fromBytes(publicKey);
  for (let from = 1; from <= sizes.transfers; from += CHUNK) {
    const amounts = Array.from({ length: Math.min(CHUNK, sizes.transfers - from + 1) }, () => {
      const value = BigInt(`0x${randomBytes(6).toString('hex')}`);
      const [lo, hi] = [value & 0xffffn, value >> 16n].map((part) =>
        Buffer.from(key.encryptU64(part).toBytes()).toString('base64'),
      );
      return { auditor: { lo, hi } };
    });
    await database.rows(sql`
      insert into transactions (id, asset_id, position, signature, path, type, slot, block_time, signer,
        source_account, destination_account, public_data, ciphertexts, indexed_at)
      select 'txn_' || lpad(n::text, 26, '0'), ${assetId}, n, substr(repeat(md5(n::text), 3), 1, 88), '{0,0,0}',
        'confidential_transfer', n, ${BEGIN}::integer + n, ${ACCOUNT}, ${ACCOUNT},
        substr(repeat(md5((n % 991)::text), 2), 1, 44), '{"instructionIndex":0,"instructionPath":[0,0,0]}',
        ${JSON.stringify(amounts)}::jsonb -> (n - ${sizes.deposits + from})::integer, now()
      from generate_series(${sizes.deposits + from}::integer,
        ${sizes.deposits + from + amounts.length - 1}::integer) as n`);
  }
  for (let from = 0; from < sizes.entries; from += CHUNK)
    await database.transaction(async (transaction) => {
      for (let n = from; n < Math.min(sizes.entries, from + CHUNK); n += 1)
        await recordActivity(transaction, {
          ...{ organizationId, eventType: 'member.added', at: new Date() },
          actor: { id: owner.id, name: OWNER.name },
          object: { user_id: newId('usr'), name: `Member ${n}` },
          details: { permissions: ['requests:create', 'reports:create'] },
        });
    });
  const caseId = await openCase(foundation, {
    ...{ organizationId, applicationId: application.id, assetId, userId: owner.id },
    ...{ begin: new Date(BEGIN * 1000), days: 31 },
  });
  return { apiKey: secret, assetId, caseId };
}
