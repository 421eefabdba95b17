import { Time } from '../../../design/values';
import { texts } from '../../../texts.ts';

const words = texts(
  { seen: 'last here', away: 'no open session' },
  { fr: { seen: 'vu pour la dernière fois', away: 'aucune session ouverte' } },
);

/** When a member last used a session; ended sessions are not included. */
export function LastSeen({ at }: { readonly at: string | null }) {
  if (at === null) return <>{words.away}</>;
  return (
    <>
      {words.seen} <Time at={at} />
    </>
  );
}
