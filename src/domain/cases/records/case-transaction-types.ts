import type { ConfidentialEventType } from '../../../platform/ledger/index.js';

/** The records that move value. Those that only prepare or configure an account say nothing to an auditor. */
export const CASE_TRANSACTION_TYPES = [
  'confidential_deposit',
  'confidential_withdraw',
  'confidential_transfer',
  'confidential_transfer_with_fee',
  'confidential_mint',
  'confidential_burn',
] as const satisfies readonly ConfidentialEventType[];
export type CaseTransactionType = (typeof CASE_TRANSACTION_TYPES)[number];
