import { listText } from '../../../format.ts';
import { texts } from '../../../texts.ts';
import type { RetentionKind } from './documents';

/** What each kind is called. Total over the gateway's kinds. */
export const KIND_NAMES: Readonly<Record<RetentionKind, string>> = texts(
  {
    reports: 'Files of reports',
    disclosure_results: 'Results of disclosures',
    personal_values: 'Names and addresses',
  },
  {
    fr: {
      reports: 'Fichiers des rapports',
      disclosure_results: 'Résultats des divulgations',
      personal_values: 'Noms et adresses',
    },
  },
);

/** What of it is deleted, what stays, and from when its years count. */
export const KIND_TEXTS: Readonly<Record<RetentionKind, string>> = texts(
  {
    reports:
      'The files are deleted. The reports stay, with the digests of their files. The years count from the newest report that has the same file.',
    disclosure_results:
      'The results are deleted, with their amounts. The disclosures, their decisions and receipts stay. The years count from when the result was available.',
    personal_values:
      'Names and addresses in the activity log are deleted, and former members erased. The entries stay, with their proofs. The years count from the entry, or from the end of the membership.',
  },
  {
    fr: {
      reports:
        'Les fichiers sont supprimés. Les rapports restent, avec les empreintes de leurs fichiers. Les années comptent depuis le plus récent rapport au même fichier.',
      disclosure_results:
        'Les résultats sont supprimés, avec leurs montants. Les divulgations, leurs décisions et leurs reçus restent. Les années comptent depuis que le résultat était disponible.',
      personal_values:
        'Les noms et adresses du journal d’activité sont supprimés, et les anciens membres effacés. Les entrées restent, avec leurs preuves. Les années comptent depuis l’entrée, ou depuis la fin de l’adhésion.',
    },
  },
);

const isKind = (kind: unknown): kind is RetentionKind => typeof kind === 'string' && kind in KIND_NAMES;

/** A kind as the activity log names it; unknown kinds stay unchanged. */
export const kindText = (kind: unknown): string => (isKind(kind) ? KIND_NAMES[kind] : String(kind));

export const kindsText = (kinds: readonly unknown[]): string => listText(kinds.map(kindText));
