import type { ReactNode } from 'react';
import { useViewer } from '../../app/session';
import { Heading } from '../../design/heading';

/** The head of an organization page, with its actions. `name` replaces the title as heading. */
export function PageHead({
  title,
  name,
  action,
}: {
  readonly title: string;
  readonly name?: string;
  readonly action?: ReactNode;
}) {
  const { organization } = useViewer();
  return (
    <header className="row between">
      <div>
        <p className="soft">
          {organization.name}
          {name !== undefined && ` · ${title}`}
        </p>
        <Heading title={title}>{name}</Heading>
      </div>
      {action}
    </header>
  );
}
