import { Migrator } from '@mikro-orm/migrations';
import type { Database } from '../../src/platform/database/index.js';
import { migrations } from '../../src/platform/database/migrations/index.js';

/** Migrates a database up to and including a migration. */
export async function migrateTo(database: Database, name: string): Promise<void> {
  const em = await database.transaction(({ em }) => Promise.resolve(em.fork({ clear: true })));
  await new Migrator(em).up({ to: name });
}

/** Migrates an empty database to the state before a migration. Tests fill it with rows as the previous version wrote them. */
export async function migrateBefore(database: Database, name: string): Promise<void> {
  const before = migrations[migrations.findIndex((migration) => migration.name === name) - 1];
  if (!before) throw new Error(`No migration precedes ${name}.`);
  await migrateTo(database, before.name);
}
