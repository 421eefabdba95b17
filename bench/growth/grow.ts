import {
  type ApiKeyPrincipal,
  API_KEY_SCOPES,
  EVERY_OWNER_PERMISSION,
  type UserPrincipal,
} from '#lucarne/domain/access/index.js';
import { claimMints, type MintLease } from '#lucarne/domain/indexer/mint-lease.js';
import { type Foundation, sql } from '#lucarne/platform/database/index.js';
import { base58 } from '#lucarne/platform/kernel/encoding/bytes.js';
import { newId, type Id } from '#lucarne/platform/kernel/ids.js';
import type { Conditions } from '../kit/benchmark.ts';
import { openFoundation } from '../kit/foundation.ts';
import { seedAsset } from '../kit/seed-records.ts';

/** The second of the first record. One record follows each second. */
export const BEGIN = 1_767_225_600;
const address = (byte: number) => base58.encode(new Uint8Array(32).fill(byte));
/** An account with a tenth of the records, and one with the last twenty. */
export const [WHALE, NEWCOMER] = [address(1), address(2)];
/** Records for each relay. */
export const RECORDS_OF_A_RELAY = 10;
/** Number of the oldest relays, which failed. The others succeeded. */
export const FAILED_RELAYS = 20;
/** Rows per insert. */
const STEP = 100_000;

/** A database with the same shape for any number of rows. */
export interface Grown {
  readonly foundation: Foundation;
  readonly principal: ApiKeyPrincipal;
  readonly owner: UserPrincipal;
  readonly organizationId: Id<'org'>;
  readonly applicationId: Id<'app'>;
  readonly assetId: Id<'ast'>;
  readonly lease: MintLease;
  readonly rows: number;
}

/** Creates this number of records and log entries, and a tenth as many relays. */
export async function grow(conditions: Conditions, rows: number): Promise<Grown> {
  const foundation = await openFoundation(conditions);
  const { database } = foundation;
  const { organizationId, application, assetId, apiKey } = await seedAsset(foundation);
  const account = (seed: string) => sql.raw(`substr(repeat(md5((${seed})::text), 2), 1, 44)`);
  for (let from = 1; from <= rows; from += STEP) {
    const until = Math.min(rows, from + STEP - 1);
    await database.rows(sql`
      insert into transactions (id, asset_id, position, signature, path, type, slot, block_time, signer,
        source_account, destination_account, public_data, ciphertexts, indexed_at)
      select 'txn_' || lpad(n::text, 26, '0'), ${assetId}, n, substr(repeat(md5(n::text), 3), 1, 88), '{3,0,0}',
        case when n % 10 <> 3 and n % 20 = 0 then 'confidential_burn' else 'confidential_transfer' end, n,
        ${BEGIN}::integer + n, ${account('n % 977')},
        case when n % 10 = 3 then ${WHALE} when n > ${rows}::integer - 22 then ${NEWCOMER}
          else ${account('n % 99991')} end,
        ${account('n % 99983')}, jsonb_build_object('authority', ${account('n % 977')}),
        jsonb_build_object('auditor', jsonb_build_object('lo', md5(n::text), 'hi', md5((-n)::text))),
        to_timestamp(${BEGIN}::integer + n)
      from generate_series(${from}::integer, ${until}::integer) as n`);
    await database.rows(sql`
      insert into activity_entries (id, organization_id, application_id, event_type, actor_id, entry, salts,
        created_at, leaf_hash, log_index)
      select 'log_' || lpad(n::text, 26, '0'), ${organizationId}, ${application.id}, 'case.viewed',
        'usr_' || lpad((n % 20)::text, 26, '0'),
        jsonb_build_object('user', 'Somebody', 'object', jsonb_build_object('type', 'case'), 'details', '{}'::jsonb),
        '{}', to_timestamp(${BEGIN}::integer + n), sha256(n::text::bytea), n
      from generate_series(${from}::integer, ${until}::integer) as n`);
    await insertRelays(foundation, organizationId, from, until);
    if (until % 1_000_000 === 0) conditions.tell(`${until.toLocaleString('en-US')} rows`);
  }
  const lease = await bindMint(foundation, assetId, rows);
  await database.rows(sql`vacuum (analyze)`);
  const principal: ApiKeyPrincipal = {
    ...{ kind: 'api_key', organizationId, apiKeyId: apiKey.id, name: apiKey.name },
    scopes: new Set(Object.keys(API_KEY_SCOPES) as (keyof typeof API_KEY_SCOPES)[]),
  };
  const owner = ownerOf(organizationId);
  return {
    foundation,
    principal,
    owner,
    organizationId,
    applicationId: application.id,
    assetId,
    lease,
    rows,
  };
}

/** One relay for every tenth record from `from` to `until`. */
async function insertRelays(
  { database }: Foundation,
  organizationId: Id<'org'>,
  from: number,
  until: number,
): Promise<void> {
  await database.rows(sql`
    with accepted as (
      insert into relay_requests (id, pool_selector, program_id, package_digest, sealed_package, status, reason,
        sequence, created_at, updated_at)
      select 'rly_' || lpad(n::text, 26, '0'), 'main', 'program', sha256(n::text::bytea), 'sealed',
        case when n <= ${FAILED_RELAYS} then 'failed' else 'succeeded' end,
        case when n <= ${FAILED_RELAYS} then 'expired' end, 5, to_timestamp(${BEGIN}::integer + n),
        to_timestamp(${BEGIN}::integer + n)
      from generate_series(${Math.ceil(from / RECORDS_OF_A_RELAY)}::integer,
        ${Math.floor(until / RECORDS_OF_A_RELAY)}::integer) as n
      returning id, created_at, pool_selector, status)
    insert into relay_organizations (organization_id, request_id, accepted_at, pool_selector, status)
    select ${organizationId}, id, created_at, pool_selector, status from accepted`);
}

/** The lease to write more records of the asset, as the indexer has it. */
async function bindMint({ database }: Foundation, assetId: Id<'ast'>, rows: number): Promise<MintLease> {
  await database.rows(sql`
    insert into indexed_mints (asset_id, mint_address, status, verified, verified_slot, record_count,
      last_indexed_at, next_attempt_at)
    values (${assetId}, ${address(3)}, 'active', true, 0, ${rows}::bigint, to_timestamp(${BEGIN + rows}::bigint), now())`);
  const [lease] = await claimMints(database, { owner: 'measured', durationMs: 86_400_000 }, 1);
  return lease!;
}

/** A signed-in user with every owner permission. */
function ownerOf(organizationId: Id<'org'>): UserPrincipal {
  const now = new Date();
  return {
    ...{ kind: 'user', organizationId, organizationName: 'Measured', userId: newId('usr') },
    ...{ accountId: newId('acc'), sessionId: newId('ses'), signedInAt: now, factorAt: now },
    ...{ isFactorRequired: false, name: 'Owner', email: 'owner@example.test' },
    grants: { owner: new Set(EVERY_OWNER_PERMISSION.owner), applications: new Map() },
    applications: new Map(),
  };
}
