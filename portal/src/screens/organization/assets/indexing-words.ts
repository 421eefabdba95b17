import type { IndexingReason } from '../../../../../src/domain/indexer/mint-state.ts';
import { texts } from '../../../texts.ts';

const words: Readonly<Record<IndexingReason, string>> = texts(
  {
    ledger_unreachable: 'No ledger provider answers. The gateway keeps trying.',
    ledger_nonsense: 'No ledger provider gives an answer that can be trusted. The gateway keeps trying.',
    mint_not_found: 'The ledger has no such mint yet.',
    not_token_2022: 'This address is not a Token-2022 mint.',
    no_confidential_transfer_extension: 'The mint does not support confidential transfers.',
    auditor_key_mismatch: 'The auditor key of the mint is not yours.',
    decimals_mismatch: 'The mint has other decimals than this asset.',
    history_gap:
      'The history of the ledger is incomplete. The operator must add a provider that keeps all of it.',
    transaction_unavailable: 'No provider returns a transaction that the history names.',
    undecodable_instruction: 'A transaction has a confidential instruction that this version does not know.',
  },
  {
    fr: {
      ledger_unreachable: 'Aucun fournisseur du registre ne répond. Un nouvel essai suit de lui-même.',
      ledger_nonsense:
        'Aucun fournisseur du registre ne répond de façon crédible. Un nouvel essai suit de lui-même.',
      mint_not_found: 'Le registre n’a pas encore ce mint.',
      not_token_2022: 'Cette adresse n’est pas un mint de Token-2022.',
      no_confidential_transfer_extension: 'Le mint ne permet pas les transferts confidentiels.',
      auditor_key_mismatch: 'La clé d’auditeur du mint n’est pas la vôtre.',
      decimals_mismatch: 'Le mint a un autre nombre de décimales que cet actif.',
      history_gap:
        'L’historique du registre est incomplet : l’opérateur doit ajouter un fournisseur qui le garde en entier.',
      transaction_unavailable: 'Aucun fournisseur ne donne une transaction que l’historique nomme.',
      undecodable_instruction:
        'Une transaction contient une instruction confidentielle inconnue de cette version.',
    },
  },
);

/** Why a mint is not indexed, or not read; a reason of a later gateway is shown as it is. */
export const indexingReason = (reason: string): string =>
  Object.hasOwn(words, reason) ? words[reason as IndexingReason] : reason;

const OF_THE_MINT = new Set<string>([
  'mint_not_found',
  'not_token_2022',
  'no_confidential_transfer_extension',
  'auditor_key_mismatch',
  'decimals_mismatch',
] satisfies readonly IndexingReason[]);

/** Whether the reason is in the mint, so that the owner may have bound another one than they meant. */
export const isMintWrong = (reason: string): boolean => OF_THE_MINT.has(reason);
