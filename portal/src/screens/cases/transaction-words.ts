import { texts } from '../../texts.ts';

/** What each confidential instruction did, in a word. */
export const TYPE_NAMES = texts(
  {
    confidential_transfer: 'Transfer',
    confidential_transfer_with_fee: 'Transfer with fee',
    confidential_deposit: 'Deposit',
    confidential_withdraw: 'Withdrawal',
    confidential_mint: 'Issue',
    confidential_burn: 'Destruction',
    configure_account: 'Account configured',
    apply_pending_balance: 'Pending balance applied',
    empty_account: 'Account emptied',
    approve_account: 'Account approved',
    update_mint: 'Mint settings changed',
    credits_changed: 'Credits changed',
  },
  {
    fr: {
      confidential_transfer: 'Transfert',
      confidential_transfer_with_fee: 'Transfert avec frais',
      confidential_deposit: 'Dépôt',
      confidential_withdraw: 'Retrait',
      confidential_mint: 'Émission',
      confidential_burn: 'Destruction',
      configure_account: 'Compte configuré',
      apply_pending_balance: 'Solde en attente appliqué',
      empty_account: 'Compte vidé',
      approve_account: 'Compte approuvé',
      update_mint: 'Réglages modifiés',
      credits_changed: 'Crédits modifiés',
    },
  },
);

export const CASE_TYPES = [
  'confidential_transfer',
  'confidential_transfer_with_fee',
  'confidential_deposit',
  'confidential_withdraw',
  'confidential_mint',
  'confidential_burn',
] as const;

/** Instructions that name their amount on the ledger. */
export const IS_PUBLIC: ReadonlySet<string> = new Set(['confidential_deposit', 'confidential_withdraw']);
