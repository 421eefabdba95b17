import { sql, type Reader } from '../database/index.js';
import type { Id } from '../kernel/ids.js';

export interface Application {
  /** For the house only: the outside knows `foreignId`. */
  readonly id: Id<'app'>;
  readonly organizationId: Id<'org'>;
  readonly foreignId: string;
  readonly name: string;
  /** The public, random id under which `/check` asks for this application. */
  readonly checkApplicationId: string;
  readonly createdAt: Date;
}

export const APPLICATION_COLUMNS = sql`id, organization_id as "organizationId", foreign_id as "foreignId", name,
  check_application_id as "checkApplicationId", created_at as "createdAt"`;

/** The organization's application of that name for the outside, or `undefined`. */
export async function findApplicationByForeignId(
  reader: Reader,
  organizationId: Id<'org'>,
  foreignId: string,
): Promise<Application | undefined> {
  const [application] = await reader.rows(sql<Application>`
    select ${APPLICATION_COLUMNS} from applications
    where organization_id = ${organizationId} and foreign_id = ${foreignId}`);
  return application;
}

/** The organization's application of that id, or `undefined`: also for null, a thing that is linked to none. */
export async function findApplicationById(
  reader: Reader,
  organizationId: Id<'org'>,
  id: Id<'app'> | null,
): Promise<Application | undefined> {
  if (id === null) return undefined;
  const [application] = await reader.rows(sql<Application>`
    select ${APPLICATION_COLUMNS} from applications
    where organization_id = ${organizationId} and id = ${id}`);
  return application;
}
