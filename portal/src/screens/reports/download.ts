import { holds, holdsOwner } from '../../app/places.ts';
import type { Viewer } from '../../app/session';

/** Plain links to the REST routes, so that the bytes stream and the download is logged; `undefined` for who may not. */
export function downloadAddress(
  { permissions }: Viewer,
  app?: string,
): ((report: { readonly id: string }) => string) | undefined {
  if (app !== undefined && holds(permissions, app, 'auditor', 'reports:download')) {
    return ({ id }) => `/api/applications/${encodeURIComponent(app)}/reports/${id}/download`;
  }
  if (holdsOwner(permissions, 'reports:download')) return ({ id }) => `/api/reports/${id}/download`;
  return undefined;
}
