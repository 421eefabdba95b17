import { describe, it } from '@jest/globals';
import { SERVER_PROGRAMS } from './postgresql-servers.js';

/** Whether the tests run on PostgreSQL instead of the embedded default. */
const IS_ON_POSTGRESQL = Boolean(process.env['DATABASE_URL']);

/** A group of tests that need PostgreSQL. Skipped on the embedded database. */
export const describeOnPostgresql = IS_ON_POSTGRESQL ? describe : describe.skip;
/** A test that needs PostgreSQL. Skipped on the embedded database. */
export const itOnPostgresql = IS_ON_POSTGRESQL ? it : it.skip;
/** A test that needs the embedded database. Skipped on PostgreSQL. */
export const itOnEmbedded = IS_ON_POSTGRESQL ? it.skip : it;

/**
 * A group of tests that start PostgreSQL servers. It runs with the tests on PostgreSQL. Without the programs of a server, it is
 * skipped, and in CI it fails, each with a sentence that explains it.
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
