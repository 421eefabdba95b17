import type { Id } from '../../platform/kernel/ids.js';

/** What of some applications a reader may see. */
export interface VisibleIn<Visibility> {
  readonly organizationId: Id<'org'>;
  readonly applications: readonly {
    readonly applicationId: Id<'app'>;
    readonly visible: Visibility;
  }[];
}

/** The same of one application. */
export function visibleIn<Visibility>(
  {
    organizationId,
    applicationId,
  }: { readonly organizationId: Id<'org'>; readonly applicationId: Id<'app'> },
  visible: Visibility,
): VisibleIn<Visibility> {
  return { organizationId, applications: [{ applicationId, visible }] };
}
