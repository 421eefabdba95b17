import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {
  activityLogEntities,
  exportText,
  newestCheckpoint,
  personal,
  recordActivity,
  sequenceEntries,
  type Activity,
} from '#lucarne/domain/activity-log/index.js';
import { query, sql, valuesOf, type Foundation } from '#lucarne/platform/database/index.js';
import { timestamp } from '#lucarne/platform/kernel/clock.js';
import type { JsonObject } from '#lucarne/platform/kernel/encoding/json.js';
import { newId, type Id } from '#lucarne/platform/kernel/ids.js';
import { createOrganization } from '#lucarne/domain/organizations/index.js';
import type { Benchmark } from '../kit/benchmark.ts';
import { compare, type Comparison, timed } from '../kit/compare.ts';
import { openFoundation } from '../kit/foundation.ts';
import { firstMessage, startPinned } from '../kit/pinned-process.ts';
import type { VerificationWork } from './verification-process.ts';

/** The maximum number of entries that a sequencer processes at once. */
const ENTRIES = 1_000;
const A_TRANSACTION = 10;
/** Number of concurrent transactions. */
const TOGETHER = 4;

/**
 * Entries that are written and sequenced into the Merkle log, compared with the same rows written and numbered without digests,
 * leaf hashes, a tree and signatures. Then another process verifies the export of the whole log.
 */
export const benchmark: Benchmark = async (conditions) => {
  const foundation = await openFoundation(conditions);
  const entries = conditions.quick ? 100 : ENTRIES;
  const log = await organizationOf(foundation, 'Logged');
  const rows = await organizationOf(foundation, 'Numbered');
  const { database } = foundation;
  let [logged, numbered] = [0, 0];

  const append = await compare(
    {
      product: () =>
        timed(entries, async () => {
          await inTransactions(foundation, entries, (transaction, n) =>
            recordActivity(transaction, activity(log, n)),
          );
          const count = await sequenceEntries(foundation, {
            organizationId: log,
            publicHost: 'lucarne.example',
          });
          expectCount('sequenced', count, entries);
          logged += count;
        }),
      reference: () =>
        timed(entries, async () => {
          await inTransactions(foundation, entries, (transaction, n) =>
            transaction.rows(
              query
                .insertInto('activity_entries')
                .values(valuesOf(activityLogEntities[0], plainRow(activity(rows, n)))),
            ),
          );
          const claimed = await database.rows(sql`
            update activity_entries set log_index = numbered.log_index
            from (select id, row_number() over (order by sequence) - 1 + ${numbered}::bigint as log_index
              from activity_entries where organization_id = ${rows} and log_index is null) as numbered
            where activity_entries.id = numbered.id returning activity_entries.log_index`);
          expectCount('numbered', claimed.length, entries);
          numbered += claimed.length;
        }),
    },
    // A commit waits for the disk, whose time varies much.
    3 * conditions.pairs,
  );
  const [stored] = await database.rows(sql<{ size: number; entries: number; numbers: number }>`
    select (select max(size) from log_checkpoints where organization_id = ${log}) as size,
      count(*) as entries, count(distinct log_index) as numbers
    from activity_entries where organization_id = ${log}`);
  for (const count of Object.values(stored!)) expectCount('in the log', count, logged);
  conditions.tell(`${logged} entries in the log`);

  const file = await exported(foundation, log);
  const verify = await compareVerification(file, { entries: logged, pairs: conditions.pairs });
  return [
    {
      what: 'Activity log, written and sequenced',
      unit: 'entries',
      reference: 'the same rows without hashing',
      reach: 0.8,
      ...append,
    },
    {
      what: 'Export of the log verified, one core',
      unit: 'entries',
      reference: 'SHA-256 of its lines alone',
      reach: { perSecond: 110_000 },
      ...verify,
      additional: { 'bytes an entry': file.length / logged },
    },
  ];
};

async function organizationOf(foundation: Foundation, name: string): Promise<Id<'org'>> {
  const organization = await createOrganization(foundation, {
    name,
    owner: { email: `${name}@example.test`, name: 'Owner', password: randomBytes(16).toString('hex') },
  });
  // The entry of its creation is not measured.
  await foundation.database.rows(
    sql`delete from activity_entries where organization_id = ${organization.id}`,
  );
  return organization.id;
}

async function exported({ database }: Foundation, organizationId: Id<'org'>): Promise<Buffer> {
  const checkpoint = await newestCheckpoint(database, organizationId);
  const pieces: string[] = [];
  for await (const piece of exportText(database, checkpoint, { organizationId })) pieces.push(piece);
  return Buffer.from(pieces.join(''));
}

/** In a process that did nothing before, like that of `lucarne log verify`. */
async function compareVerification(
  file: Buffer,
  counts: Pick<VerificationWork, 'entries' | 'pairs'>,
): Promise<Comparison> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'lucarne-bench-'));
  const work: VerificationWork = { file: path.join(directory, 'log.json'), ...counts };
  try {
    await writeFile(work.file, file);
    await using verifying = startPinned('server', [
      path.join(import.meta.dirname, 'verification-process.ts'),
      JSON.stringify(work),
    ]);
    verifying.child.stdout!.resume();
    return await firstMessage<Comparison>(verifying);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

type Transaction = Parameters<Parameters<Foundation['database']['transaction']>[0]>[0];

async function inTransactions(
  { database }: Foundation,
  entries: number,
  write: (transaction: Transaction, n: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const work = async () => {
    while (next < entries) {
      const first = next;
      next += A_TRANSACTION;
      await database.transaction(async (transaction) => {
        for (let n = first; n < Math.min(entries, first + A_TRANSACTION); n += 1) await write(transaction, n);
      });
    }
  };
  await Promise.all(Array.from({ length: TOGETHER }, work));
}

function activity(organizationId: Id<'org'>, n: number): Activity {
  return {
    organizationId,
    eventType: 'member.added',
    actor: { id: 'usr_01kaf2m2e8e4qv3f0b5d9k7x1c', name: 'Ada Lovelace' },
    object: {
      user_id: newId('usr'),
      name: personal(`Member ${n}`),
      email: personal(`member-${n}@example.test`),
    },
    details: { permissions: ['requests:create', 'reports:create'], number: n },
    at: new Date(),
  };
}

/** The contents of an entry, as a log without digests would write them. */
function plainRow({ organizationId, eventType, actor, object, details, at }: Activity) {
  const entry = {
    event_type: eventType,
    user: actor.name,
    user_id: actor.id,
    object,
    details,
    application_foreign_id: null,
    case_id: null,
    created_at: timestamp(at),
  };
  return {
    ...{ id: newId('log'), organizationId, applicationId: null, caseId: null, eventType, actorId: actor.id },
    ...{ entry: entry as unknown as JsonObject, salts: {}, leafHash: NO_HASH, createdAt: at },
  };
}

const NO_HASH = new Uint8Array(32);

function expectCount(what: string, count: number, wanted: number): void {
  if (count !== wanted) throw new Error(`${count} entries were ${what}, not ${wanted}.`);
}
