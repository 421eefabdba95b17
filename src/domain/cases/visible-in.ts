import type { Id } from '../../platform/kernel/ids.js';

/** The part of each application that a reader may see. */
export interface VisibleIn<Visibility> {
  readonly organizationId: Id<'org'>;
  readonly applications: readonly {
    readonly applicationId: Id<'app'>;
    readonly visible: Visibility;
  }[];
}

/** The applications grouped by their visible part. One condition for each would make a statement with a thousand. */
export function byVisibility<Visibility>({ applications }: Pick<VisibleIn<Visibility>, 'applications'>): {
  readonly visible: Visibility;
  readonly applicationIds: readonly Id<'app'>[];
}[] {
  const groups = Map.groupBy(applications, ({ visible }) => JSON.stringify(visible));
  return [...groups.values()].map((group) => ({
    visible: group[0]!.visible,
    applicationIds: group.map(({ applicationId }) => applicationId),
  }));
}

/** The visible part of one application. */
export function visibleIn<Visibility>(
  {
    organizationId,
    applicationId,
  }: { readonly organizationId: Id<'org'>; readonly applicationId: Id<'app'> },
  visible: Visibility,
): VisibleIn<Visibility> {
  return { organizationId, applications: [{ applicationId, visible }] };
}
