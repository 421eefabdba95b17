import { all, sql, type Reader } from '../database/index.js';
import type { Id } from '../kernel/ids.js';
import type { JsonObject } from '../kernel/json.js';
import type { DisclosureFormat } from './disclosure-rules.js';
import type { DisclosureDecision, DisclosureStatus } from './disclosure-state.js';

/** A disclosure without its result, which is opened apart. */
export interface Disclosure {
  readonly id: Id<'dsc'>;
  readonly organizationId: Id<'org'>;
  readonly assetId: Id<'ast'>;
  /** The application that the asset is linked to. */
  readonly applicationId: Id<'app'> | null;
  readonly purpose: string;
  /** As `scopeToJson` writes it. */
  readonly scope: JsonObject;
  readonly format: DisclosureFormat;
  readonly status: DisclosureStatus;
  readonly externalReference: string | null;
  readonly policyId: Id<'dpl'> | null;
  readonly requestedAt: Date;
  readonly decision: DisclosureDecision | null;
  /** The user who decided, or null when the policy did. */
  readonly decidedBy: string | null;
  readonly decisionReason: string | null;
  readonly decidedAt: Date | null;
  readonly asOfPosition: number | null;
  readonly resolvedAt: Date | null;
  readonly receiptId: Id<'rcp'> | null;
}

export interface DisclosureSelection {
  readonly organizationId: Id<'org'>;
  /** Only those of assets linked to one of these applications. */
  readonly applicationIds?: readonly string[] | undefined;
  readonly id?: Id<'dsc'>;
  readonly status?: DisclosureStatus | undefined;
  readonly assetId?: Id<'ast'> | undefined;
  /** Ids below this one: listings go from the newest to the oldest. */
  readonly before?: string | undefined;
  readonly limit?: number;
}

/** The organization's disclosures, newest first. */
export function selectDisclosures(reader: Reader, selection: DisclosureSelection): Promise<Disclosure[]> {
  const { id, applicationIds, status, assetId, before } = selection;
  return reader.rows(sql<Disclosure>`
    select disclosures.id, disclosures.organization_id as "organizationId", asset_id as "assetId",
      assets.application_id as "applicationId", purpose, scope, format, disclosures.status,
      external_reference as "externalReference", policy_id as "policyId", requested_at as "requestedAt", decision,
      decided_by as "decidedBy", decision_reason as "decisionReason", decided_at as "decidedAt",
      as_of_position as "asOfPosition", resolved_at as "resolvedAt", receipt_id as "receiptId"
    from disclosures join assets on assets.id = disclosures.asset_id
    where ${all([
      sql`disclosures.organization_id = ${selection.organizationId}`,
      id === undefined ? undefined : sql`disclosures.id = ${id}`,
      applicationIds === undefined
        ? undefined
        : sql`assets.application_id = any(${[...applicationIds]}::text[])`,
      status === undefined ? undefined : sql`disclosures.status = ${status}`,
      assetId === undefined ? undefined : sql`disclosures.asset_id = ${assetId}`,
      before === undefined ? undefined : sql`disclosures.id < ${before}`,
    ])}
    order by disclosures.id desc limit ${selection.limit ?? 1}`);
}
