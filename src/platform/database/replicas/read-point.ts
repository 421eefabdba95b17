import { type Prepared, prepared } from '../statement.js';

/** Where the primary is. A replica that has replayed as far shows all that was committed when it was asked for. */
export interface ReadPoint {
  /** A position of the write-ahead log. */
  readonly lsn: string;
  /** A primary that was replaced may have continued by itself: positions of two timelines do not compare. */
  readonly timeline: number;
  /** The system identifier of the database cluster: a replica has that of its primary. */
  readonly system: string;
  readonly database: string;
  /** Row-level security is the same for the same role. */
  readonly role: string;
}

/**
 * A commit is flushed before anyone sees it, because no connection has `synchronous_commit = off`. The control file would name the
 * timeline of the last checkpoint only. Raw: this is in no table.
 */
const readPoint = prepared<ReadPoint>(
  'read_point',
  `select lsn::text as lsn, ('x' || left(pg_walfile_name(lsn), 8))::bit(32)::integer as timeline,
    (select system_identifier::text from pg_control_system()) as system,
    current_database()::text as database, current_user::text as role
  from (select pg_current_wal_flush_lsn() as lsn) as point`,
);

/** What the primary is asked. */
export const askForReadPoint = (): Prepared<ReadPoint> => readPoint();

/**
 * Asks with `ask`, one question at a time. A caller who comes while one is under way waits for the next: the answer to a question
 * that was sent before may be older than what its caller has written.
 */
export function oneAtATime<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let present: Promise<unknown> = Promise.resolve();
  let next: Promise<Answer> | undefined;
  return () => {
    next ??= present.then(() => {
      next = undefined;
      const asked = ask();
      present = asked.catch(() => undefined);
      return asked;
    });
    return next;
  };
}
