import { ASSET_FIELDS } from './asset-fields.js';
import { CASE_FIELDS } from './case-fields.js';
import { ORGANIZATION_FIELDS } from './organization-fields.js';
import type { FieldRow } from './rows.js';

export type { FieldRow, May, Outcome, Permission, RouteRow } from './rows.js';
export { ROUTES } from './routes.js';

/** Who may use each field of the schema. */
export const FIELDS: readonly FieldRow[] = [...ORGANIZATION_FIELDS, ...ASSET_FIELDS, ...CASE_FIELDS];
