import { type Foundation, sql } from '../../../src/platform/database/index.js';
import {
  createDisclosurePolicy,
  createFulfilment,
  decideDisclosure,
  type DisclosureResult,
  ResultReader,
  requestDisclosure,
  type RequestDisclosureInput,
} from '../../../src/domain/disclosures/index.js';
import type { DisclosurePolicyInput } from '../../../src/domain/disclosures/policies/disclosure-policy.js';
import type { VisibleDisclosure } from '../../../src/domain/disclosures/disclosure-access.js';
import { PROOF_DESCRIPTION } from '../../../src/domain/disclosures/results/disclosure-result.js';
import { readReceipt } from '../../../src/domain/disclosures/results/receipt.js';
import { timestamp } from '../../../src/platform/kernel/clock.js';
import { newId, type Id } from '../../../src/platform/kernel/ids.js';
import type { Principal } from '../../../src/domain/access/index.js';
import {
  auditorCiphertexts,
  seedAsset,
  type SeededAsset,
  seedRecords,
} from '../../kit/ledger/confidential-records.js';
import { inlinePool } from '../../kit/ledger/inline-pool.js';
import type { SeededOrganization } from '../../kit/seed.js';

export const AUTHORIZE_ALL: DisclosurePolicyInput = {
  key: 'open',
  name: 'Everything at once',
  allowedFields: ['amount', 'fee'],
  allowedFormats: ['json', 'csv'],
  inside: 'authorize',
  outside: 'reject',
};

/** The operations of disclosures on one foundation, with the real arithmetic in this thread. */
export function disclosureDesk(foundation: Foundation) {
  const pool = inlinePool();
  const fulfilment = createFulfilment(foundation, pool);
  const results = new ResultReader(foundation);
  return {
    pool,
    fulfilment,
    request: (principal: Principal | undefined, input: RequestDisclosureInput, answerWithin?: number) =>
      requestDisclosure(foundation, fulfilment, principal, input, answerWithin),
    decide: (principal: Principal | undefined, id: string, decision: string, reason?: string) =>
      decideDisclosure(foundation, fulfilment, principal, { id, decision, reason }),
    policy: (principal: Principal | undefined, input: Partial<DisclosurePolicyInput> = {}) =>
      createDisclosurePolicy(foundation, principal, { ...AUTHORIZE_ALL, ...input }),
    /** The result as its readers receive it. Reading it is logged. */
    result: async (
      disclosure: VisibleDisclosure,
      principal: Principal = readerOf(disclosure),
    ): Promise<DisclosureResult> => {
      const result = results.result({ principal }, disclosure);
      if (!result) throw new Error(`The disclosure is ${disclosure.status} and has no result.`);
      const { format, generatedAt, receiptId } = result;
      const opened = await result.open();
      if (!opened) throw new Error('The result was deleted.');
      const { salt, records } = opened;
      const content = await opened.content();
      const receipt = await readReceipt(foundation.database, disclosure.organizationId, receiptId);
      const members = { format, generatedAt: timestamp(generatedAt), receiptId, records, content };
      return { ...members, proof: PROOF_DESCRIPTION, salt, receipt: receipt! };
    },
  };
}

const readerOf = ({ organizationId }: VisibleDisclosure): Principal => ({
  kind: 'api_key',
  organizationId,
  apiKeyId: newId('key'),
  name: 'Reader',
  scopes: new Set(['disclosures:read']),
});

/** The file that a caller saves of an answered disclosure: the members of GraphQL and REST, as JSON. */
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

/** An asset whose disclosures are decided by the policy with that name, with one transfer of each amount. */
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

/** The types of the log entries about a disclosure, in order. */
export async function logOf({ database }: Foundation, disclosureId: string): Promise<string[]> {
  const rows = await database.rows(sql<{ type: string }>`
    select event_type as type from activity_entries
    where entry -> 'object' ->> 'id' = ${disclosureId} order by sequence`);
  return rows.map(({ type }) => type);
}
