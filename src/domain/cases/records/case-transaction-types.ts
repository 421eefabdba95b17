import type { ConfidentialEventType } from '../../../platform/ledger/index.js';

/** The types of records that move value. Records that prepare or configure an account are not relevant for an auditor. */
export const CASE_TRANSACTION_TYPES = [
  'confidential_deposit',
  'confidential_withdraw',
  'confidential_transfer',
  'confidential_transfer_with_fee',
  'confidential_mint',
  'confidential_burn',
] as const satisfies readonly ConfidentialEventType[];
export type CaseTransactionType = (typeof CASE_TRANSACTION_TYPES)[number];
