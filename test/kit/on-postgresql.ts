import { describe, it } from '@jest/globals';

/** Whether the run is on PostgreSQL, and not on the embedded default. */
const IS_ON_POSTGRESQL = Boolean(process.env['DATABASE_URL']);

/** A group of stories that only PostgreSQL can tell; skipped on the embedded database. */
export const describeOnPostgresql = IS_ON_POSTGRESQL ? describe : describe.skip;
/** A story that only PostgreSQL can tell; skipped on the embedded database. */
export const itOnPostgresql = IS_ON_POSTGRESQL ? it : it.skip;
/** A story that only the embedded database can tell; skipped on PostgreSQL. */
export const itOnEmbedded = IS_ON_POSTGRESQL ? it.skip : it;
