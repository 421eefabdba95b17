import { defineEntity, p } from '@mikro-orm/core';
import type { TableOf } from '../../../platform/database/index.js';

/** A part of old records in a file outside of the database. */
export const ArchivedPartEntity = defineEntity({
  name: 'ArchivedPart',
  tableName: 'archived_parts',
  properties: {
    /** The same number as in `transactions.part`. */
    part: p.integer().primary(),
    records: p.bigint('number'),
    /** The SHA-256 of the file, in hex. */
    sha256: p.text(),
    /** The name of the file when it was created. */
    fileName: p.text(),
    archivedAt: p.datetime(3),
  },
});

/** A record of such a part: the first 16 bytes of the SHA-256 of its asset, signature and path. */
export const ArchivedKeyEntity = defineEntity({
  name: 'ArchivedKey',
  tableName: 'archived_keys',
  properties: {
    part: p.integer().primary(),
    key: p.blob().primary().$type<Uint8Array>(),
  },
});

declare module '../../../platform/database/query.js' {
  interface Tables {
    archived_parts: TableOf<typeof ArchivedPartEntity>;
    archived_keys: TableOf<typeof ArchivedKeyEntity>;
  }
}
