import type { RelayReason, RelayStatus } from '../../../../src/domain/relays/relay-state.ts';
import { texts } from '../../texts.ts';

/** Whether nothing more happens by itself. */
export const isEnd = (status: RelayStatus): boolean =>
  status === 'succeeded' || status === 'rejected' || status === 'failed';

export const STATUS_NAMES: Readonly<Record<RelayStatus, string>> = texts(
  {
    accepted: 'accepted',
    validating: 'being checked',
    queued: 'queued',
    submitted: 'submitted',
    reconciling: 'in doubt',
    succeeded: 'succeeded',
    rejected: 'rejected',
    failed: 'failed',
  },
  {
    fr: {
      accepted: 'accepté',
      validating: 'en vérification',
      queued: 'en file',
      submitted: 'envoyé',
      reconciling: 'en doute',
      succeeded: 'abouti',
      rejected: 'refusé',
      failed: 'échoué',
    },
  },
);

/** Whether a transaction was sent, and its outcome is not known. */
export const isInDoubt = (status: RelayStatus): boolean => status === 'submitted' || status === 'reconciling';
export const { doubt: DOUBT } = texts(
  { doubt: 'It may have landed. Do not send another.' },
  { fr: { doubt: 'La transaction a peut-être abouti. N’en envoyez pas d’autre.' } },
);

/** What each status means for the one who waits. */
export const STATUS_MEANINGS: Readonly<Record<RelayStatus, string>> = texts(
  {
    accepted: 'The package is stored. Nothing was sent.',
    validating: 'The package is being checked. Nothing was sent.',
    queued: 'The package waits to be sent.',
    submitted: 'A transaction was sent. Whether it landed is not known yet.',
    reconciling: 'A transaction was sent, and its outcome is in doubt. Only the ledger ends this.',
    succeeded: 'The transaction landed.',
    rejected: 'The package was refused. Nothing of it is on the ledger, and nothing is held.',
    failed: 'It is proven that nothing landed.',
  },
  {
    fr: {
      accepted: 'Le paquet est enregistré. Rien n’a été envoyé.',
      validating: 'Le paquet est en cours de vérification. Rien n’a été envoyé.',
      queued: 'Le paquet attend son envoi.',
      submitted: 'Une transaction a été envoyée. On ne sait pas encore si elle a abouti.',
      reconciling: 'Une transaction a été envoyée, et son issue est douteuse. Seul le registre y met fin.',
      succeeded: 'La transaction a abouti.',
      rejected: 'Le paquet a été refusé. Rien de lui n’est sur le registre, et rien n’est retenu.',
      failed: 'Il est prouvé que rien n’a abouti.',
    },
  },
);

/** Why a relay ended. Total over the gateway's list: a new reason without words does not compile. */
export const REASON_MEANINGS: Readonly<Record<RelayReason, string>> = texts(
  {
    zk_config_missing: 'No pool of this gateway has the configuration that the package names.',
    zk_config_deprecated: 'The configuration that the package names is out of use.',
    zk_config_incompatible: 'The package does not fit the configuration of the pool.',
    invalid_proof: 'The proof of the package does not verify.',
    kyt_rejected: 'Screening does not approve the recipient or an account that receives.',
    nullifiers_spent: 'Another transaction spent what this package spends.',
    simulation_failed: 'The ledger would refuse the transaction.',
    resource_fee_exceeded: 'The transaction would cost more than is allowed.',
    resource_limit_exceeded: 'The transaction would need more than the ledger allows.',
    send_failed: 'No node accepted the transaction.',
    transaction_failed: 'The transaction failed on the ledger.',
    infrastructure_failed: 'The gateway could not finish it, and nothing of it can land.',
  },
  {
    fr: {
      zk_config_missing: 'Aucun pool de cette passerelle n’a la configuration que le paquet nomme.',
      zk_config_deprecated: 'La configuration que le paquet nomme n’est plus en usage.',
      zk_config_incompatible: 'Le paquet ne convient pas à la configuration du pool.',
      invalid_proof: 'La preuve du paquet ne se vérifie pas.',
      kyt_rejected: 'Le contrôle n’approuve pas le destinataire ou un compte qui reçoit.',
      nullifiers_spent: 'Une autre transaction a dépensé ce que ce paquet dépense.',
      simulation_failed: 'Le registre refuserait la transaction.',
      resource_fee_exceeded: 'La transaction coûterait plus que ce qui est permis.',
      resource_limit_exceeded: 'La transaction demanderait plus que ce que le registre permet.',
      send_failed: 'Aucun nœud n’a accepté la transaction.',
      transaction_failed: 'La transaction a échoué sur le registre.',
      infrastructure_failed: 'La passerelle n’a pas pu la terminer, et rien d’elle ne peut aboutir.',
    },
  },
);

export const STATUS_TONES = {
  accepted: 'plain',
  validating: 'plain',
  queued: 'plain',
  submitted: 'warn',
  reconciling: 'warn',
  succeeded: 'good',
  rejected: 'bad',
  failed: 'bad',
} as const satisfies Record<RelayStatus, string>;
