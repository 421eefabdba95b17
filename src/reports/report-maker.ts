import { randomUUID } from 'node:crypto';
import { recordActivity, type EventType } from '../activity-log/index.js';
import { sql, type Foundation, type Reader } from '../database/index.js';
import { isLucarneError, messageOf, unavailable } from '../kernel/errors.js';
import { newId, type Id } from '../kernel/ids.js';
import { actorOf, type Application, type UserPrincipal } from '../organizations/index.js';
import { failGeneration, generationTopic, insertGeneration, renewGeneration } from './generation-rows.js';
import { noReportMetrics, type ReportMetrics, type ReportOutcome } from './report-metrics.js';
import { ReportEntity } from './report.entity.js';
import { chunkWriter, LeaseLost, type WrittenContent } from './report-chunks.js';
import type { ReportContent } from './report-content.js';
import type { ReportFormat, ReportScope, ReportType } from './report.js';

/** A report as it was asked for. */
export interface ReportPlan {
  readonly user: UserPrincipal;
  readonly application: Pick<Application, 'id' | 'foreignId'> | undefined;
  readonly reportType: ReportType;
  readonly format: ReportFormat;
  readonly scope: ReportScope;
  readonly eventType: EventType & ('report.generated' | 'log.exported');
  /** Throws unless who asked for it may still have it: asked when it is made, for to make it took time. */
  readonly requireRight: (reader: Reader) => Promise<void>;
  /** Captures what the report shows, outside of any transaction. */
  readonly capture: (made: ReportMaking) => Promise<ReportContent>;
}

/** What a content may say of the report it becomes. */
export interface ReportMaking {
  readonly id: Id<'rpt'>;
  readonly generatedAt: Date;
  /** Aborted when the generation is given up. */
  readonly signal: AbortSignal;
}

/**
 * Generates reports, in the background of the requests that ask for them. Disposing of it gives up what is under way:
 * it then fails, and leaves nothing.
 */
export interface ReportMaker extends AsyncDisposable {
  /** Begins a generation; refuses with `TOO_MANY_REQUESTS` or `UNAVAILABLE` when too many are under way. */
  begin(plan: ReportPlan): Promise<Id<'rpt'>>;
  /** Resolves when the generation that was begun here has made its report, and rejects with why it could not. */
  made(id: Id<'rpt'>): Promise<void>;
}

/** Generations that one instance works at. */
export const GENERATIONS_OF_AN_INSTANCE = 8;
const BEAT_MILLISECONDS = 1_000;

export function createReportMaker(
  foundation: Foundation,
  metrics: ReportMetrics = noReportMetrics,
): ReportMaker {
  const stopping = new AbortController();
  const underWay = new Map<Id<'rpt'>, Promise<void>>();
  let beginning = 0;

  return {
    async begin(plan) {
      if (stopping.signal.aborted) throw unavailable('The gateway is stopping.', { retryAfterSeconds: 5 });
      if (beginning + underWay.size >= GENERATIONS_OF_AN_INSTANCE)
        throw unavailable('Too many reports are being generated; try again.', { retryAfterSeconds: 10 });
      const making = { id: newId('rpt'), lease: randomUUID(), generatedAt: foundation.clock.now() };
      const row = {
        id: making.id,
        organizationId: plan.user.organizationId,
        applicationId: plan.application?.id ?? null,
        caseId: plan.scope.caseId,
        requestedBy: plan.user.userId,
        requestedAt: making.generatedAt,
      };
      beginning += 1;
      try {
        await insertGeneration(foundation.database, row, making.lease);
      } finally {
        beginning -= 1;
      }
      const work = measured(foundation, metrics, plan, { ...making, signal: stopping.signal });
      underWay.set(making.id, work);
      // Who waits for it hears why it failed; nobody may wait.
      work.catch(() => undefined).finally(() => underWay.delete(making.id));
      return making.id;
    },
    made: (id) => underWay.get(id) ?? Promise.resolve(),
    async [Symbol.asyncDispose]() {
      stopping.abort(unavailable('The gateway is stopping.', { retryAfterSeconds: 5 }));
      await Promise.allSettled(underWay.values());
    },
  };
}

interface Making extends ReportMaking {
  readonly lease: string;
}

async function measured(
  foundation: Foundation,
  metrics: ReportMetrics,
  plan: ReportPlan,
  making: Making,
): Promise<void> {
  const { reportType, format } = plan;
  const progress: Progress = { recordCount: 0, recordTotal: null };
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

/** How far a generation is. */
interface Progress {
  recordCount: number;
  recordTotal: number | null;
}

async function make(
  foundation: Foundation,
  plan: ReportPlan,
  making: Making,
  progress: Progress,
): Promise<void> {
  const { id, lease } = making;
  const lost = new AbortController();
  const signal = AbortSignal.any([making.signal, lost.signal]);
  const beat = setInterval(() => {
    renewGeneration(foundation.database, id, lease, progress).then(
      (held) => {
        if (held) foundation.signals.publish(generationTopic(id));
        else lost.abort(new LeaseLost('The generation was given up.'));
      },
      // Not lost yet: the next beat comes long before the lease ends, and each piece checks it again.
      (thrown: unknown) => foundation.log.warn({ reportId: id, reason: messageOf(thrown) }, 'A beat failed.'),
    );
  }, BEAT_MILLISECONDS);
  try {
    const content = await plan.capture({ id, generatedAt: making.generatedAt, signal });
    progress.recordTotal = content.recordTotal;
    const writer = chunkWriter(foundation, id, lease);
    for await (const { data, records } of content.pieces) {
      signal.throwIfAborted();
      await writer.write(data);
      progress.recordCount += records;
    }
    const written = await writer.end();
    await finish(foundation, plan, making, written, { ...content, recordCount: progress.recordCount });
  } catch (thrown) {
    logFailure(foundation, id, thrown);
    await failGeneration(foundation, id, lease, failureOf(thrown)).catch((second: unknown) => {
      // The sweep then ends it.
      logFailure(foundation, id, second);
    });
    // Not the fault of who waits for it, who may try again.
    throw thrown instanceof LeaseLost ? unavailable(thrown.message, { retryAfterSeconds: 5 }) : thrown;
  } finally {
    clearInterval(beat);
  }
}

/** The one transaction in which a generation becomes a report: file, row and log entry, or nothing. */
async function finish(
  foundation: Foundation,
  { user, application, scope, ...plan }: ReportPlan,
  { id, lease, generatedAt }: Making,
  { sha256, sizeBytes }: WrittenContent,
  {
    object,
    details,
    recordCount,
  }: Pick<ReportContent, 'object' | 'details'> & { readonly recordCount: number },
): Promise<void> {
  const { organizationId } = user;
  await foundation.database.transaction(async (transaction) => {
    // The lease is the fencing token: who lost it makes no report.
    const ended = await transaction.rows(sql`
      delete from report_generations
      where id = ${id} and status = 'running' and lease_owner = ${lease} returning id`);
    if (ended.length === 0) throw new LeaseLost('The generation was given up.');
    await plan.requireRight(transaction);
    const created = await transaction.rows(sql`
      insert into report_files (organization_id, sha256, content_id, size_bytes, created_at)
      values (${organizationId}, ${sha256}, ${id}, ${sizeBytes}, ${foundation.clock.now()})
      on conflict (organization_id, sha256) do nothing returning content_id`);
    if (created.length === 0) await transaction.rows(sql`delete from report_chunks where content_id = ${id}`);
    const digest = Buffer.from(sha256).toString('hex');
    const logEntryId = await recordActivity(transaction, {
      organizationId,
      eventType: plan.eventType,
      actor: actorOf(user),
      object: { ...object, report_id: id },
      details: {
        report_type: plan.reportType,
        format: plan.format,
        record_count: recordCount,
        sha256: digest,
        size_bytes: sizeBytes,
        ...details,
      },
      application,
      caseId: scope.caseId ?? undefined,
      at: foundation.clock.now(),
    });
    await transaction.em.insert(ReportEntity, {
      ...{ id, organizationId, applicationId: application?.id ?? null, ...scope },
      ...{ reportType: plan.reportType, format: plan.format, recordCount, sha256 },
      ...{ generatedBy: user.userId, generatedAt, logEntryId },
    });
    transaction.afterCommit(() => foundation.signals.publish(generationTopic(id)));
  });
}

function failureOf(thrown: unknown): string {
  return isLucarneError(thrown) ? thrown.message : 'Something went wrong on our side; generate it again.';
}

function logFailure({ log }: Foundation, id: Id<'rpt'>, thrown: unknown): void {
  const members = { reportId: id, reason: messageOf(thrown) };
  if (isLucarneError(thrown) || thrown instanceof LeaseLost) log.warn(members, 'A report was not made.');
  else log.error({ ...members, err: thrown }, 'A report could not be made.');
}
