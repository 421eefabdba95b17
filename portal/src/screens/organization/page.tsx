import type { ReactNode } from 'react';
import { applicationName, useViewer } from '../../app/session';
import { Heading } from '../../design/heading';

/** The head of a page of the organization, or of an application, with its actions. `name` replaces the title as heading. */
export function PageHead({
  app,
  title,
  name,
  action,
}: {
  readonly app?: string;
  readonly title: string;
  readonly name?: string;
  readonly action?: ReactNode;
}) {
  const viewer = useViewer();
  return (
    <header className="row between">
      <div>
        <p className="soft">
          {app === undefined ? viewer.organization.name : applicationName(viewer, app)}
          {name !== undefined && ` · ${title}`}
        </p>
        <Heading title={title}>{name}</Heading>
      </div>
      {action}
    </header>
  );
}
