import { describe, it } from '@jest/globals';
import { SERVER_PROGRAMS } from './postgresql-servers.js';

/** Whether the run is on PostgreSQL, and not on the embedded default. */
const IS_ON_POSTGRESQL = Boolean(process.env['DATABASE_URL']);

/** A group of stories that only PostgreSQL can tell; skipped on the embedded database. */
export const describeOnPostgresql = IS_ON_POSTGRESQL ? describe : describe.skip;
/** A story that only PostgreSQL can tell; skipped on the embedded database. */
export const itOnPostgresql = IS_ON_POSTGRESQL ? it : it.skip;
/** A story that only the embedded database can tell; skipped on PostgreSQL. */
export const itOnEmbedded = IS_ON_POSTGRESQL ? it.skip : it;

/**
 * A group of stories that start PostgreSQL servers, told with those of PostgreSQL. Without the programs of a server it is
 * skipped, and in CI it fails, each with a sentence that says so.
 */
export function describeWithServers(name: string, stories: () => void): void {
  if (!IS_ON_POSTGRESQL || SERVER_PROGRAMS !== undefined) {
    describeOnPostgresql(name, stories);
    return;
  }
  const missing = 'initdb, pg_ctl and pg_basebackup of a PostgreSQL server are not installed';
  if (process.env['CI'])
    describe(name, () => {
      it('starts a PostgreSQL server', () => {
        throw new Error(`In CI ${missing}.`);
      });
    });
  else describe.skip(`${name} (skipped: ${missing})`, stories);
}
