import { sql, type Foundation } from '../../src/database/index.js';
import {
  createDisclosurePolicy,
  createFulfilment,
  decideDisclosure,
  openResult,
  requestDisclosure,
  type DisclosureResult,
  type RequestDisclosureInput,
} from '../../src/disclosures/index.js';
import type { DisclosurePolicyInput } from '../../src/disclosures/disclosure-policy.js';
import type { VisibleDisclosure } from '../../src/disclosures/disclosure-access.js';
import type { Id } from '../../src/kernel/ids.js';
import type { Principal } from '../../src/organizations/index.js';
import { auditorCiphertexts, seedAsset, seedRecords, type SeededAsset } from '../kit/confidential-records.js';
import { inlinePool } from '../kit/inline-pool.js';
import type { SeededOrganization } from '../kit/seed.js';

export const AUTHORIZE_ALL: DisclosurePolicyInput = {
  key: 'open',
  name: 'Everything at once',
  allowedFields: ['amount', 'fee'],
  allowedFormats: ['json', 'csv'],
  inside: 'authorize',
  outside: 'reject',
};

/** The operations of the room over one foundation, with the real arithmetic in this thread. */
export function disclosureDesk(foundation: Foundation) {
  const pool = inlinePool();
  const fulfilment = createFulfilment(foundation, pool);
  return {
    pool,
    fulfilment,
    request: (
      principal: Principal | undefined,
      input: RequestDisclosureInput,
      idempotencyKey?: string,
      answerWithin?: number,
    ) => requestDisclosure(foundation, fulfilment, principal, input, idempotencyKey, answerWithin),
    decide: (principal: Principal | undefined, id: string, decision: string, reason?: string) =>
      decideDisclosure(foundation, fulfilment, principal, { id, decision, reason }),
    policy: (principal: Principal | undefined, input: Partial<DisclosurePolicyInput> = {}) =>
      createDisclosurePolicy(foundation, principal, { ...AUTHORIZE_ALL, ...input }),
    result: async (disclosure: VisibleDisclosure): Promise<DisclosureResult> => {
      const result = await openResult(foundation, disclosure);
      if (!result) throw new Error(`The disclosure is ${disclosure.status} and has no result.`);
      return result;
    },
  };
}

/** What a caller saves of an answered disclosure: the members that GraphQL and REST show, as JSON. */
export function disclosureFile(disclosure: VisibleDisclosure, result: DisclosureResult): unknown {
  const { id, assetId, purpose, scope, format, status, externalReference, requestedAt, resolvedAt } =
    disclosure;
  const { policyId, decision, decidedAt } = disclosure;
  const requested = {
    id,
    assetId,
    purpose,
    scope,
    format,
    status,
    externalReference,
    requestedAt,
    resolvedAt,
  };
  return JSON.parse(JSON.stringify({ ...requested, policyId, decision, decidedAt, result }));
}

/** An asset whose disclosures the policy of that name decides, with one transfer of each amount. */
export async function seedTransfers(
  foundation: Foundation,
  { organization, application }: Pick<SeededOrganization, 'organization' | 'application'>,
  amounts: readonly bigint[],
  disclosurePolicyId: string | null = null,
): Promise<{ asset: SeededAsset; ids: Id<'txn'>[] }> {
  const asset = await seedAsset(foundation, organization.id, {
    applicationId: application.id,
    disclosurePolicyId,
  });
  const records = await seedRecords(
    foundation,
    asset,
    amounts.map((amount) => ({ ciphertexts: auditorCiphertexts(asset.auditorPublicKey, amount) })),
  );
  return { asset, ids: records.map(({ id }) => id) };
}

/** The kinds of what the log says of a disclosure, in order. */
export async function logOf({ database }: Foundation, disclosureId: string): Promise<string[]> {
  const rows = await database.rows(sql<{ type: string }>`
    select event_type as type from activity_entries
    where entry -> 'object' ->> 'id' = ${disclosureId} order by sequence`);
  return rows.map(({ type }) => type);
}
