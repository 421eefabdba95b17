import type { ConfidentialEventType } from '../../platform/ledger/index.js';
import { unreachable } from '../../platform/kernel/unreachable.js';

/** The way in which the amount of an instruction can be read. */
export type AmountVisibility = 'encrypted' | 'public' | 'none';

export function amountVisibility(type: ConfidentialEventType): AmountVisibility {
  switch (type) {
    case 'confidential_transfer':
    case 'confidential_transfer_with_fee':
    case 'confidential_mint':
    case 'confidential_burn':
      return 'encrypted';
    case 'confidential_deposit':
    case 'confidential_withdraw':
      return 'public';
    case 'configure_account':
    case 'apply_pending_balance':
    case 'empty_account':
    case 'approve_account':
    case 'update_mint':
    case 'credits_changed':
      return 'none';
    default:
      return unreachable(type);
  }
}
