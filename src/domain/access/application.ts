import {
  batchedByIds,
  columnsOf,
  type Foundation,
  query,
  type Reader,
  type RowOf,
} from '../../platform/database/index.js';
import type { Id } from '../../platform/kernel/ids.js';
import { ApplicationEntity } from './application.entity.js';

/** `id` is internal: callers name an application by `foreignId`. */
export type Application = Omit<RowOf<typeof ApplicationEntity>, 'caseChanges'>;

const anyApplications = () =>
  query
    .selectFrom('applications')
    .select(
      columnsOf(ApplicationEntity, [
        'id',
        'organizationId',
        'foreignId',
        'name',
        'checkApplicationId',
        'createdAt',
      ]),
    );

/** The organization's applications. The caller adds conditions. */
export const selectApplications = (organizationId: Id<'org'>) =>
  anyApplications().where('organization_id', '=', organizationId);

/** The application with this id, or null for null and for an id of no application of the organization. */
export type ApplicationOf = (organizationId: Id<'org'>, id: Id<'app'> | null) => Promise<Application | null>;

/** One statement reads all applications that are requested together. */
export function createApplicationOf({ database }: Pick<Foundation, 'database'>): ApplicationOf {
  const applications = batchedByIds((isWanted) => database.rows(anyApplications().where(isWanted)));
  return async (organizationId, id) => {
    if (id === null) return null;
    const [application] = await applications({ organizationId, ids: [id] });
    return application ?? null;
  };
}

/** The organization's application with this foreign id, or `undefined`. */
export async function findApplicationByForeignId(
  reader: Reader,
  organizationId: Id<'org'>,
  foreignId: string,
): Promise<Application | undefined> {
  const [application] = await reader.rows(
    selectApplications(organizationId).where('foreign_id', '=', foreignId),
  );
  return application;
}

/** The organization's application with this id, or `undefined`. No application has the id null. */
export async function findApplicationById(
  reader: Reader,
  organizationId: Id<'org'>,
  id: Id<'app'> | null,
): Promise<Application | undefined> {
  if (id === null) return undefined;
  const [application] = await reader.rows(selectApplications(organizationId).where('id', '=', id));
  return application;
}
