import { ASSET_FIELDS } from './asset-fields.js';
import { CASE_FIELDS } from './case-fields.js';
import { ORGANIZATION_FIELDS } from './organization-fields.js';
import { ROUTES } from './routes.js';
import { type FieldRow, isPermission } from './rows.js';

export type { FieldRow, May, Outcome, Permission, RouteRow } from './rows.js';
export { isPermission } from './rows.js';
export { ROUTES };

/** Who may use each field of the schema. */
export const FIELDS: readonly FieldRow[] = [...ORGANIZATION_FIELDS, ...ASSET_FIELDS, ...CASE_FIELDS];

/** Every permission and every scope that a field or a route requires. */
export const REQUIRED_PERMISSIONS = [
  ...new Set([...FIELDS, ...ROUTES].flatMap(({ may }) => may.filter(isPermission))),
];
