import { Registry } from 'prom-client';
import { randomUUID } from 'node:crypto';
import { recordActivity } from '../../activity-log/index.js';
import {
  type Foundation,
  query,
  type Reader,
  type Transaction,
  valuesOf,
} from '../../../platform/database/index.js';
import { keepLease, LeaseLost, Semaphore } from '../../../platform/jobs/index.js';
import { isLucarneError, unavailable } from '../../../platform/kernel/errors.js';
import { type Id, newId } from '../../../platform/kernel/ids.js';
import { actorOf, requireActingSession, type UserPrincipal } from '../../access/index.js';
import type { Application } from '../../access/index.js';
import {
  failGeneration,
  generationTopic,
  heldGeneration,
  insertGeneration,
  renewGeneration,
} from './generation-rows.js';
import { createReportMetrics, type ReportMetrics, type ReportOutcome } from './report-metrics.js';
import { chunkWriter, requireChunks, type WrittenContent } from './report-chunks.js';
import { contentKeyOf, DIGEST_SALT_BYTES, saltedDigest, sealDigest } from '../report-digest.js';
import { requireRoom, type RecordTotal, type ReportContent, type ReportFacts } from '../report-content.js';
import { EVENT_OF_REPORT, type ReportFormat, type ReportType } from '../report-types.js';
import { type ReportScope } from '../report.js';
import { ReportEntity, ReportFileEntity } from '../report.entity.js';

/** A requested report. */
export interface ReportPlan {
  readonly user: UserPrincipal;
  readonly application: Pick<Application, 'id' | 'foreignId'> | undefined;
  readonly reportType: ReportType;
  readonly format: ReportFormat;
  readonly scope: ReportScope;
  /** Throws unless the requester still has the permission. It is checked at the end, because generating takes time. */
  readonly requireRight: (reader: Reader) => Promise<void>;
  /** Captures the data of the report, outside of any transaction. */
  readonly capture: (made: ReportFacts) => Promise<ReportContent>;
}

/** Generates reports in the background. Disposing of it fails the generations in progress, which leave nothing. */
export interface ReportMaker extends AsyncDisposable {
  /** Begins a generation. @throws `TOO_MANY_REQUESTS` or `UNAVAILABLE` if too many are in progress. */
  begin(plan: ReportPlan): Promise<Id<'rpt'>>;
  /** Resolves when a generation of this instance has created its report, and rejects if it failed. */
  made(id: Id<'rpt'>): Promise<void>;
}

/** Generations that one instance begins. An organization without one can always begin one, whatever others have begun. */
const MAX_INSTANCE_GENERATIONS = 8;
/** Of those that have begun, so many work at a time, because each needs memory. The others wait in order. */
export const MAX_WORKING_GENERATIONS = 16;
const LEASE_RENEWAL_MS = 1_000;

export function createReportMaker(
  foundation: Foundation,
  metrics: ReportMetrics = createReportMetrics(new Registry()),
): ReportMaker {
  const stopping = new AbortController();
  const underWay = new Map<Id<'rpt'>, UnderWay>();
  const places = new Semaphore(MAX_WORKING_GENERATIONS);
  const hasPlaceFor = (organizationId: Id<'org'>) =>
    underWay.size < MAX_INSTANCE_GENERATIONS ||
    ![...underWay.values()].some((other) => other.organizationId === organizationId);

  return {
    async begin(plan) {
      const { organizationId } = plan.user;
      if (stopping.signal.aborted) throw unavailable('The gateway is stopping.', { retryAfterSeconds: 5 });
      if (!hasPlaceFor(organizationId))
        throw unavailable('Too many reports are being generated. Try again later.', {
          retryAfterSeconds: 10,
        });
      const making = { id: newId('rpt'), lease: randomUUID(), generatedAt: foundation.clock.now() };
      const row = {
        id: making.id,
        organizationId,
        applicationId: plan.application?.id ?? null,
        caseId: plan.scope.caseId,
        reportType: plan.reportType,
        requestedBy: plan.user.userId,
        requestedAt: making.generatedAt,
      };
      const inserted = insertGeneration(foundation.database, row, making.lease, async (transaction) => {
        await plan.requireRight(transaction);
        await requireActingSession(transaction, plan.user);
      });
      const work = inserted.then(() =>
        measured(foundation, metrics, plan, { ...making, places, signal: stopping.signal }),
      );
      // Before the insert, so that concurrent generations are counted.
      underWay.set(making.id, { organizationId, work });
      // `made` reports a failure, and it may never be called.
      work.catch(() => undefined).finally(() => underWay.delete(making.id));
      await inserted;
      return making.id;
    },
    made: (id) => underWay.get(id)?.work ?? Promise.resolve(),
    async [Symbol.asyncDispose]() {
      stopping.abort(unavailable('The gateway is stopping.', { retryAfterSeconds: 5 }));
      await Promise.allSettled([...underWay.values()].map(({ work }) => work));
    },
  };
}

interface UnderWay {
  readonly organizationId: Id<'org'>;
  readonly work: Promise<void>;
}

interface Making extends ReportFacts {
  readonly lease: string;
  readonly places: Semaphore;
}

async function measured(
  foundation: Foundation,
  metrics: ReportMetrics,
  plan: ReportPlan,
  making: Making,
): Promise<void> {
  const { reportType, format } = plan;
  const progress: Progress = { recordCount: 0, total: null };
  const ended = (outcome: ReportOutcome) => {
    const seconds = (foundation.clock.now().getTime() - making.generatedAt.getTime()) / 1000;
    metrics.ended(reportType, format, outcome, { seconds, records: progress.recordCount });
  };
  metrics.began(reportType, format);
  try {
    await make(foundation, plan, making, progress);
  } catch (thrown) {
    ended('failed');
    throw thrown;
  }
  ended('finished');
}

/** The progress of a generation. */
interface Progress {
  recordCount: number;
  total: RecordTotal | null;
}

async function make(
  foundation: Foundation,
  plan: ReportPlan,
  making: Making,
  progress: Progress,
): Promise<void> {
  const { id, lease } = making;
  using kept = keepLease({
    what: 'report generation',
    intervalMs: LEASE_RENEWAL_MS,
    async renew() {
      const held = await renewGeneration(foundation.database, id, lease, progress);
      if (held) foundation.signals.publish(generationTopic(id));
      return held;
    },
    failed: (thrown) => foundation.log.warn({ reportId: id, err: thrown }, 'Report lease renewal failed.'),
  });
  const signal = AbortSignal.any([making.signal, kept.signal]);
  try {
    await making.places.run(() => produce(foundation, plan, { ...making, signal }, progress), { signal });
  } catch (thrown) {
    logFailure(foundation, id, thrown);
    await failGeneration(foundation, id, lease, failureOf(thrown)).catch((second: unknown) => {
      // The sweeper then ends it.
      logFailure(foundation, id, second);
    });
    throw thrown instanceof LeaseLost
      ? unavailable('The generation was interrupted. Generate the report again.', {
          retryAfterSeconds: 5,
          cause: thrown,
        })
      : thrown;
  }
}

/** Writes the content, and makes it the report. */
async function produce(
  foundation: Foundation,
  plan: ReportPlan,
  making: Making,
  progress: Progress,
): Promise<void> {
  const { id, lease, generatedAt, signal } = making;
  const content = await plan.capture({ id, generatedAt, signal });
  progress.total = content.recordTotal;
  const writer = chunkWriter(foundation, id, lease);
  for await (const { data, records } of content.pieces) {
    signal.throwIfAborted();
    await writer.write(data);
    progress.recordCount += records;
    if (content.holdsRecords) requireRoom(plan.format, progress.recordCount);
  }
  const written = await writer.end();
  await finish(foundation, plan, making, written, { ...content, recordCount: progress.recordCount });
}

/** The transaction in which a generation becomes a report: file, row and log entry, or nothing. */
async function finish(
  foundation: Foundation,
  { user, application, scope, ...plan }: ReportPlan,
  { id, lease, generatedAt }: Making,
  { sha256, sizeBytes }: WrittenContent,
  {
    object,
    details,
    requireStill,
    recordCount,
  }: Omit<ReportContent, 'pieces' | 'holdsRecords' | 'recordTotal'> & { readonly recordCount: number },
): Promise<void> {
  const { organizationId } = user;
  await foundation.database.transaction(async (transaction) => {
    // A worker that lost its lease creates no report.
    const ended = await transaction.rows(
      query.deleteFrom('report_generations').where(heldGeneration(id, lease)).returning('id'),
    );
    if (ended.length === 0) throw new LeaseLost('report generation');
    await plan.requireRight(transaction);
    await requireStill?.(transaction);
    // Serialized with the deletion at the end of retention, which may delete an older file of the same content.
    await transaction.rows(
      query.selectFrom('organizations').select('id').where('id', '=', organizationId).forShare(),
    );
    const contentId = await storeFile(transaction, foundation, organizationId, { id, sha256, sizeBytes });
    const salt = foundation.random(DIGEST_SALT_BYTES);
    const logEntryId = await recordActivity(transaction, {
      organizationId,
      eventType: EVENT_OF_REPORT[plan.reportType],
      actor: actorOf(user),
      object: { ...object, report_id: id },
      details: {
        report_type: plan.reportType,
        format: plan.format,
        record_count: recordCount,
        salted_sha256: saltedDigest(salt, sha256),
        ...(typeof details === 'function' ? details(recordCount) : details),
      },
      application,
      caseId: scope.caseId ?? undefined,
      at: foundation.clock.now(),
    });
    await transaction.rows(
      query.insertInto('reports').values(
        valuesOf(ReportEntity, {
          id,
          organizationId,
          applicationId: application?.id ?? null,
          caseId: scope.caseId,
          reportType: plan.reportType,
          format: plan.format,
          periodFrom: scope.periodFrom,
          periodTo: scope.periodTo,
          disclosureFlags: scope.disclosureFlags,
          assetIds: scope.assetIds,
          recordCount,
          contentId,
          sealedDigest: sealDigest(foundation.sealer, id, { digest: sha256, salt }),
          generatedBy: user.userId,
          generatedAt,
          logEntryId,
        }),
      ),
    );
    transaction.afterCommit(() => foundation.signals.publish(generationTopic(id)));
  });
}

/** Turns the content into a file, unless the organization has the same file. Returns the content of the report. */
async function storeFile(
  transaction: Transaction,
  { clock, sealer }: Foundation,
  organizationId: Id<'org'>,
  { id, sha256, sizeBytes }: WrittenContent & { readonly id: Id<'rpt'> },
): Promise<Id<'rpt'>> {
  await requireChunks(transaction, id, { sha256, sizeBytes });
  const contentKey = contentKeyOf(sealer, organizationId, sha256);
  const created = await transaction.rows(
    query
      .insertInto('report_files')
      .values(
        valuesOf(ReportFileEntity, {
          ...{ organizationId, contentKey, contentId: id, sizeBytes, createdAt: clock.now() },
        }),
      )
      .onConflict((conflict) => conflict.columns(['organization_id', 'content_key']).doNothing())
      .returning('content_id'),
  );
  if (created.length > 0) return id;
  await transaction.rows(query.deleteFrom('report_chunks').where('content_id', '=', id));
  const [same] = await transaction.rows(
    query
      .selectFrom('report_files')
      .select('content_id as contentId')
      .where('organization_id', '=', organizationId)
      .where('content_key', '=', contentKey),
  );
  return same!.contentId;
}

function failureOf(thrown: unknown): string {
  return isLucarneError(thrown)
    ? thrown.message
    : 'An internal error stopped the generation. Generate the report again.';
}

function logFailure({ log }: Foundation, id: Id<'rpt'>, thrown: unknown): void {
  const members = { reportId: id, err: thrown };
  if (isLucarneError(thrown) || thrown instanceof LeaseLost)
    log.warn(members, 'Report generation ended without a report.');
  else log.error(members, 'Report generation failed.');
}
