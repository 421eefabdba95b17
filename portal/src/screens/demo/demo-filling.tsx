import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { readAgain, SECRET } from '../../app/client';
import { graphql } from '../../graphql/document';
import { request } from '../../graphql/request';
import { texts } from '../../texts.ts';

const words = texts(
  {
    filling:
      'The demo data is being created: requests, cases, reports, disclosures and relays appear within about a minute.',
    filled: 'The demo data is complete.',
  },
  {
    fr: {
      filling:
        'Les données de démonstration sont en cours de création : demandes, dossiers, rapports, divulgations et relais apparaissent en une minute environ.',
      filled: 'Les données de démonstration sont complètes.',
    },
  },
);

const DEMO_FILLING = graphql(`
  query DemoFilling {
    signInOptions {
      demoFilling
    }
  }
`);

/** No subscription tells the end. It comes within a minute or so, once in the life of a demo. */
const READ_EVERY_MS = 3_000;

/** Says on the embedded demo that its data is being created, until it is complete. Shown only if it was when the page began. */
export function DemoFilling() {
  const { data: isFilling } = useQuery({
    queryKey: ['demoFilling'],
    queryFn: async ({ signal }) => (await request(DEMO_FILLING, {}, signal)).signInOptions.demoFilling,
    initialData: true,
    refetchInterval: ({ state }) => (state.data === true ? READ_EVERY_MS : false),
  });
  useEffect(() => {
    // Not everything that is on screen follows a subscription.
    if (!isFilling) readAgain({ predicate: ({ queryKey }) => queryKey[0] !== SECRET });
  }, [isFilling]);
  return (
    <div role="status">
      {isFilling ? (
        <p className="banner">{words.filling}</p>
      ) : (
        <p className="visually-hidden">{words.filled}</p>
      )}
    </div>
  );
}
