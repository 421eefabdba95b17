import { sql, type Database } from '../../../src/platform/database/index.js';

/** The start of the present minute of the database, which is also that of the windows of rate limits. */
export async function minuteOf(database: Database): Promise<Date> {
  const [row] = await database.rows(sql<{ minute: Date }>`select date_trunc('minute', now()) as minute`);
  return row!.minute;
}

/**
 * Returns the result of a story that began and ended in one minute of the database. If the minute ended meanwhile, the limits began
 * again, and the result proves nothing: the story is repeated.
 */
export async function withinOneMinute<Result>(
  database: Database,
  story: (minute: Date) => Promise<Result>,
): Promise<Result> {
  for (;;) {
    const minute = await minuteOf(database);
    const result = await story(minute);
    if ((await minuteOf(database)).getTime() === minute.getTime()) return result;
  }
}
