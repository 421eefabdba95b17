import type { Database } from '../../../src/platform/database/index.js';
import { migrations } from '../../../src/platform/database/migrations/index.js';

/** Migrates an empty database to the state before a migration. Tests fill it with rows as the previous version wrote them. */
export async function migrateBefore(database: Database, name: string): Promise<void> {
  const before = migrations[migrations.findIndex((migration) => migration.name === name) - 1];
  if (!before) throw new Error(`No migration precedes ${name}.`);
  await database.migrate(before.name);
}
