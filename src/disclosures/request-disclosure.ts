import { recordActivity } from '../activity-log/index.js';
import { locateAsset, type Asset } from '../assets/index.js';
import {
  amendIdempotentAnswer,
  sql,
  withIdempotencyKey,
  type Foundation,
  type Transaction,
} from '../database/index.js';
import { badUserInput, unavailable } from '../kernel/errors.js';
import { newId, parseId, type Id } from '../kernel/ids.js';
import { parseOptionalText, parseText } from '../kernel/text.js';
import { actorOf, findApplicationById, requireScope, type Principal } from '../organizations/index.js';
import { locateDisclosure, type VisibleDisclosure } from './disclosure-access.js';
import { findPolicy, type DisclosurePolicy } from './disclosure-policy.js';
import {
  DISCLOSURE_FORMATS,
  judge,
  type DisclosureFormat,
  type PolicyJudgement,
} from './disclosure-rules.js';
import {
  parseScope,
  scopeToJson,
  type DisclosureScope,
  type DisclosureScopeInput,
} from './disclosure-scope.js';
import { STATUS_AFTER_DECISION, type DisclosureDecision, type DisclosureStatus } from './disclosure-state.js';
import { DisclosureEntity } from './disclosure.entity.js';
import type { Fulfilment } from './fulfilment.js';
import { measureScope, newestPosition } from './select-records.js';

export interface RequestDisclosureInput {
  readonly assetId: string;
  readonly purpose: string;
  readonly scope: DisclosureScopeInput;
  readonly format: string;
  readonly externalReference?: string | null | undefined;
}

/** For how long a request waits for its result before it is answered `pending`. */
export const ANSWER_WITHIN_MILLISECONDS = 25_000;

/** Authorized disclosures that wait for their result, in the whole gateway: past them requests are refused. */
const MOST_UNFINISHED = 1_000;

/** What the first request of an idempotency key was answered; null until it is. */
interface Answered {
  readonly disclosureId: Id<'dsc'>;
  readonly status: DisclosureStatus | null;
}

/**
 * Requests confidential fields of records. The policy that the asset names decides at once, otherwise a person will.
 * The decision is stored with the request; only then is anything decrypted, outside of any transaction, so that a
 * result that was not finished is finished later by whichever instance.
 */
export async function requestDisclosure(
  foundation: Foundation,
  fulfilment: Fulfilment,
  principal: Principal | undefined,
  request: RequestDisclosureInput,
  idempotencyKey?: string | null,
  answerWithin = ANSWER_WITHIN_MILLISECONDS,
): Promise<VisibleDisclosure> {
  const caller = requireScope(principal, 'disclosures:write');
  const { organizationId } = caller;
  const input = parseInput(request);

  const first = await foundation.database.transaction((transaction) =>
    withIdempotencyKey<Answered>(
      transaction,
      foundation,
      { organizationId, key: idempotencyKey, operation: 'requestDisclosure', request: asJson(input) },
      () => createDisclosure(foundation, transaction, caller, input),
    ),
  );
  const { disclosureId } = first;
  if (first.status === null) await fulfilment.fulfilWithin(disclosureId, answerWithin);

  const disclosure = await locateDisclosure(foundation, { organizationId, results: true }, disclosureId);
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

/** The disclosure as it was answered first: what happened since is not shown. */
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
  const format = DISCLOSURE_FORMATS.find((known) => known === input.format);
  if (!format) throw badUserInput(`format must be one of ${DISCLOSURE_FORMATS.join(', ')}.`);
  return {
    assetId: parseId('ast', 'assetId', input.assetId),
    purpose: parseText('purpose', input.purpose, 2000),
    scope: parseScope(input.scope),
    format,
    externalReference: parseOptionalText('externalReference', input.externalReference, 256),
  };
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
  const asset = await locateAsset(transaction, organizationId, input.assetId);
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
  if (decision === 'authorize') await refuseBeyondCapacity(transaction);

  const id = newId('dsc');
  const now = foundation.clock.now();
  const status = decision ? STATUS_AFTER_DECISION[decision] : 'pending';
  await transaction.em.insert(DisclosureEntity, {
    id,
    organizationId,
    assetId: asset.id,
    purpose: input.purpose,
    scope: scopeToJson(scope),
    format: input.format,
    status,
    externalReference: input.externalReference,
    policyId: decision ? policy.id : null,
    requestedBy: actorOf(caller).id,
    requestedAt: now,
    decision: decision ?? null,
    decidedBy: null,
    decisionReason: null,
    decidedAt: decision ? now : null,
    asOfPosition: decision === 'authorize' ? asOfPosition : null,
    resolvedAt: status === 'rejected' ? now : null,
  });
  await recordRequest(transaction, caller, { id, asset, input, recordCount: measured.recordCount, now });
  if (decision)
    await recordPolicyDecision(transaction, caller, { id, asset, policy, judgement, decision, now });
  return { resourceId: id, answer: { disclosureId: id, status: decision === 'authorize' ? null : status } };
}

function decisionOf({ outcome }: PolicyJudgement): DisclosureDecision | undefined {
  return outcome === 'review' ? undefined : outcome;
}

async function refuseBeyondCapacity(transaction: Transaction): Promise<void> {
  const rows = await transaction.rows(sql`
    select 1 from disclosures where status = 'pending' and decision = 'authorize' limit ${MOST_UNFINISHED}`);
  if (rows.length >= MOST_UNFINISHED) {
    throw unavailable('Too many disclosures are being made. Try again in a moment.', {
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
