import { all, sql, type Reader } from '../database/index.js';
import type { Id } from '../kernel/ids.js';
import type { Address } from '../ledger/index.js';
import { base64 } from '../kernel/bytes.js';
import type { AssetStatus } from './asset-state.js';

/** A confidential asset as its readers see it. Timestamps are `Date`s; unset members are null. */
export interface Asset {
  readonly id: Id<'ast'>;
  readonly organizationId: Id<'org'>;
  readonly applicationId: Id<'app'> | null;
  readonly workspaceId: string | null;
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly creatorAuthority: string | null;
  /** Standard base64 of 32 bytes, as Solana's tools print it. */
  readonly auditorElGamalPubkey: string;
  readonly auditorKeyEpoch: number;
  readonly mintAddress: Address | null;
  readonly deploymentSignature: string | null;
  readonly deploymentStatus: string | null;
  readonly disclosurePolicyId: string | null;
  readonly confidentialMintBurnEnabled: boolean;
  readonly status: AssetStatus;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

type AssetRow = Omit<Asset, 'auditorElGamalPubkey'> & { auditorPublicKey: Uint8Array };

export interface AssetSelection {
  readonly organizationId: Id<'org'>;
  readonly id?: Id<'ast'>;
  /** Ids below this one: listings go from the newest to the oldest. */
  readonly before?: string | undefined;
  readonly limit?: number;
  /** Holds the row for this transaction. */
  readonly forUpdate?: boolean;
}

/** The organization's assets, newest first. */
export async function selectAssets(reader: Reader, selection: AssetSelection): Promise<Asset[]> {
  const rows = await reader.rows(sql<AssetRow>`
    select id, organization_id as "organizationId", application_id as "applicationId", workspace_id as "workspaceId",
      name, symbol, decimals, creator_authority as "creatorAuthority", auditor_public_key as "auditorPublicKey",
      auditor_key_epoch as "auditorKeyEpoch", mint_address as "mintAddress",
      deployment_signature as "deploymentSignature", deployment_status as "deploymentStatus",
      disclosure_policy_id as "disclosurePolicyId", confidential_mint_burn_enabled as "confidentialMintBurnEnabled",
      status, created_at as "createdAt", updated_at as "updatedAt"
    from assets
    where ${all([
      sql`organization_id = ${selection.organizationId}`,
      selection.id === undefined ? undefined : sql`id = ${selection.id}`,
      selection.before === undefined ? undefined : sql`id < ${selection.before}`,
    ])}
    order by id desc limit ${selection.limit ?? 1} ${selection.forUpdate ? sql`for update` : sql``}`);
  return rows.map(({ auditorPublicKey, ...asset }) => ({
    ...asset,
    auditorElGamalPubkey: base64.encode(auditorPublicKey),
  }));
}
