import { recordActivity } from '../activity-log/index.js';
import { type Asset, findAssetOf } from '../assets/index.js';
import {
  amendIdempotentAnswer,
  type Foundation,
  query,
  type Transaction,
  valuesOf,
  withIdempotencyKey,
} from '../../platform/database/index.js';
import { parseOneOf } from '../../platform/kernel/enums/enums.js';
import { parseMembers, unavailable } from '../../platform/kernel/errors.js';
import { type Id, newId, parseId } from '../../platform/kernel/ids.js';
import { parseOptionalText, parseText } from '../../platform/kernel/text.js';
import { actorOf, findApplicationById, type Principal, repeatableBy, requireScope } from '../access/index.js';
import { findVisibleDisclosure, type VisibleDisclosure } from './disclosure-access.js';
import { numberChange } from './disclosure-changes.js';
import { type DisclosurePolicy, findPolicy } from './policies/disclosure-policy.js';
import {
  DISCLOSURE_FORMATS,
  type DisclosureFormat,
  judge,
  type PolicyJudgement,
} from './policies/disclosure-rules.js';
import {
  type DisclosureScope,
  type DisclosureScopeInput,
  parseScope,
  scopeToJson,
} from './disclosure-scope.js';
import { type DisclosureDecision, type DisclosureStatus, STATUS_AFTER_DECISION } from './disclosure-state.js';
import { DisclosureEntity } from './disclosure.entity.js';
import type { Fulfilment } from './results/fulfilment.js';
import { newestPosition } from '../transactions/index.js';
import { measureScope } from './results/select-records.js';

export interface RequestDisclosureInput {
  readonly assetId: string;
  readonly purpose: string;
  readonly scope: DisclosureScopeInput;
  readonly format: string;
  readonly externalReference?: string | null | undefined;
  readonly idempotencyKey?: string | null | undefined;
}

/** How long a request waits for its result before the answer is `pending`. */
export const ANSWER_TIMEOUT_MS = 25_000;

/** Maximum number of an organization's authorized disclosures without a result. Further requests of it are refused. */
const MAX_UNFINISHED_DISCLOSURES = 1_000;

/** The answer to the first request with an idempotency key. The status is null until there is an answer. */
interface Answered {
  readonly disclosureId: Id<'dsc'>;
  readonly status: DisclosureStatus | null;
}

/**
 * Requests confidential fields of records. The policy that the asset names decides immediately; without one, a person
 * decides later. The decision is stored with the request. Only then is anything decrypted, outside of any transaction, so
 * that any instance can finish a result later.
 */
export async function requestDisclosure(
  foundation: Foundation,
  fulfilment: Fulfilment,
  principal: Principal | undefined,
  request: RequestDisclosureInput,
  answerTimeoutMs = ANSWER_TIMEOUT_MS,
): Promise<VisibleDisclosure> {
  const caller = requireScope(principal, 'disclosures:write');
  const { organizationId } = caller;
  const { idempotencyKey } = request;
  const input = parseInput(request);

  const first = await foundation.database.transaction((transaction) =>
    withIdempotencyKey<Answered>(
      transaction,
      foundation,
      {
        ...repeatableBy(transaction, caller, 'disclosures:write'),
        ...{ key: idempotencyKey, operation: 'requestDisclosure', request: asJson(input) },
      },
      () => createDisclosure(foundation, transaction, caller, input),
    ),
  );
  const { disclosureId } = first;
  if (first.status === null) await fulfilment.fulfillWithTimeout(disclosureId, answerTimeoutMs);

  const disclosure = await findVisibleDisclosure(foundation, { organizationId, results: true }, disclosureId);
  if (first.status !== null) return asAnswered(disclosure, first.status);
  if (idempotencyKey == null) return disclosure;
  const settled = await foundation.database.transaction((transaction) =>
    amendIdempotentAnswer<Answered>(
      transaction,
      foundation,
      { organizationId, key: idempotencyKey },
      (kept) => (kept?.status == null ? { disclosureId, status: disclosure.status } : kept),
    ),
  );
  return asAnswered(disclosure, settled.status ?? disclosure.status);
}

/** The disclosure as the first answer showed it, without later changes. */
function asAnswered(disclosure: VisibleDisclosure, status: DisclosureStatus): VisibleDisclosure {
  if (status === disclosure.status) return disclosure;
  return { ...disclosure, status, resolvedAt: null, receiptId: null, resultVisible: false };
}

interface ParsedInput {
  readonly assetId: Id<'ast'>;
  readonly purpose: string;
  readonly scope: DisclosureScope;
  readonly format: DisclosureFormat;
  readonly externalReference: string | null;
}

function parseInput(input: RequestDisclosureInput): ParsedInput {
  return parseMembers<ParsedInput>({
    assetId: () => parseId('ast', 'assetId', input.assetId),
    purpose: () => parseText('purpose', input.purpose, 2000),
    scope: () => parseScope(input.scope),
    format: () => parseOneOf('format', DISCLOSURE_FORMATS, input.format),
    externalReference: () => parseOptionalText('externalReference', input.externalReference, 256),
  });
}

const asJson = ({ scope, ...input }: ParsedInput) => ({ ...input, scope: scopeToJson(scope) });

async function createDisclosure(
  foundation: Foundation,
  transaction: Transaction,
  caller: Principal,
  input: ParsedInput,
): Promise<{ resourceId: string; answer: Answered }> {
  const { organizationId } = caller;
  const { scope } = input;
  const asset = await findAssetOf(transaction, organizationId, input.assetId);
  const asOfPosition = await newestPosition(transaction, organizationId, asset.id);
  const measured = await measureScope(transaction, {
    organizationId,
    assetId: asset.id,
    scope,
    asOfPosition,
  });
  const policy = await findPolicy(transaction, organizationId, asset.disclosurePolicyId);
  const judgement =
    policy && judge(policy.rules, { fields: scope.fields, format: input.format, ...measured });
  const decision = judgement && decisionOf(judgement);
  if (decision === 'authorize') await refuseBeyondCapacity(transaction, organizationId);

  const id = newId('dsc');
  const now = foundation.clock.now();
  const status = decision ? STATUS_AFTER_DECISION[decision] : 'pending';
  await transaction.rows(
    query.insertInto('disclosures').values(
      valuesOf(DisclosureEntity, {
        id,
        organizationId,
        assetId: asset.id,
        purpose: input.purpose,
        scope: scopeToJson(scope),
        format: input.format,
        status,
        externalReference: input.externalReference,
        policyId: decision ? policy.id : null,
        reviewPolicyId: decision ? null : (policy?.id ?? null),
        requestedBy: actorOf(caller).id,
        requestedAt: now,
        decision: decision ?? null,
        decidedAt: decision ? now : null,
        asOfPosition: decision === 'authorize' ? asOfPosition : null,
        resolvedAt: status === 'rejected' ? now : null,
      }),
    ),
  );
  await recordRequest(transaction, caller, { id, asset, input, recordCount: measured.recordCount, now });
  if (decision)
    await recordPolicyDecision(transaction, caller, { id, asset, policy, judgement, decision, now });
  await numberChange(foundation, transaction, { organizationId, id });
  return { resourceId: id, answer: { disclosureId: id, status: decision === 'authorize' ? null : status } };
}

function decisionOf({ outcome }: PolicyJudgement): DisclosureDecision | undefined {
  return outcome === 'review' ? undefined : outcome;
}

async function refuseBeyondCapacity(transaction: Transaction, organizationId: Id<'org'>): Promise<void> {
  const rows = await transaction.rows(
    query
      .selectFrom('disclosures')
      .select('id')
      .where('organization_id', '=', organizationId)
      .where('status', '=', 'pending')
      .where('decision', '=', 'authorize')
      .limit(MAX_UNFINISHED_DISCLOSURES),
  );
  if (rows.length >= MAX_UNFINISHED_DISCLOSURES) {
    throw unavailable('Too many disclosures are waiting for their results. Try again in a moment.', {
      retryAfterSeconds: 10,
    });
  }
}

async function recordRequest(
  transaction: Transaction,
  caller: Principal,
  requested: { id: Id<'dsc'>; asset: Asset; input: ParsedInput; recordCount: number; now: Date },
): Promise<void> {
  const { id, asset, input, recordCount, now } = requested;
  await recordActivity(transaction, {
    organizationId: asset.organizationId,
    eventType: 'disclosure.requested',
    actor: actorOf(caller),
    object: { type: 'disclosure', id, asset_id: asset.id },
    details: {
      purpose: input.purpose,
      fields: [...input.scope.fields],
      scope_kind: input.scope.kind,
      format: input.format,
      record_count: recordCount,
      external_reference: input.externalReference,
    },
    application: await findApplicationById(transaction, asset.organizationId, asset.applicationId),
    at: now,
  });
}

async function recordPolicyDecision(
  transaction: Transaction,
  caller: Principal,
  decided: {
    id: Id<'dsc'>;
    asset: Asset;
    policy: DisclosurePolicy;
    judgement: PolicyJudgement;
    decision: DisclosureDecision;
    now: Date;
  },
): Promise<void> {
  const { id, asset, policy, judgement, decision, now } = decided;
  await recordActivity(transaction, {
    organizationId: asset.organizationId,
    eventType: 'disclosure.decided',
    actor: actorOf(caller),
    object: { type: 'disclosure', id, asset_id: asset.id },
    details: {
      decision,
      decided_by: 'policy',
      policy_id: policy.id,
      policy_key: policy.key,
      exceeded: [...judgement.exceeded],
    },
    application: await findApplicationById(transaction, asset.organizationId, asset.applicationId),
    at: now,
  });
}
