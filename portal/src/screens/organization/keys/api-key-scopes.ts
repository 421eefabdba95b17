import { texts } from '../../../texts.ts';

/** What each scope of an API key allows. A test compares them with the gateway's. */
export const SCOPE_TEXTS: Readonly<Record<string, string>> = texts(
  {
    'assets:read': 'Read assets, and their indexing status.',
    'assets:write': 'Register assets, and bind their mints.',
    'transactions:read': 'Read transactions, whose amounts stay encrypted.',
    'disclosures:read': 'Read disclosures and their results, amounts in clear.',
    'disclosures:write': 'Request disclosures, and receive the amounts that a policy authorizes.',
  },
  {
    fr: {
      'assets:read': 'Lire les actifs, et l’état de leur indexation.',
      'assets:write': 'Enregistrer des actifs, et lier leurs mints.',
      'transactions:read': 'Lire les transactions, dont les montants restent chiffrés.',
      'disclosures:read': 'Lire les divulgations et leurs résultats, montants en clair.',
      'disclosures:write': 'Demander des divulgations, et recevoir les montants qu’une règle autorise.',
    },
  },
);
