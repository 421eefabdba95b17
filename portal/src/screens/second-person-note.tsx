import type { ReactNode } from 'react';
import { useViewer } from '../app/session';
import { texts } from '../texts.ts';

const words = texts(
  { owner: 'In your organization another owner must make the same request within 72 hours.' },
  {
    fr: {
      owner: 'Dans votre organisation, un autre propriétaire doit demander la même chose sous 72 heures.',
    },
  },
);

/** Says before it is asked for that it takes two persons, where the organization requires that. */
export function SecondPersonNote({ children = words.owner }: { readonly children?: ReactNode }) {
  const { organization } = useViewer();
  return organization.requireSecondPerson && <p>{children}</p>;
}
