import type { ReactNode } from 'react';
import { useViewer } from '../../app/session';
import { Heading } from '../../design/heading';

/** The head of a place of the organization, with what can be begun there. `name` is the heading in place of the title. */
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
