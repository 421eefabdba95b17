import type { Flag } from '../flags.ts';

/** The members of a case's transaction that its flags can hide. */
export type Maskable =
  | 'id'
  | 'networkTransactionId'
  | 'blockTime'
  | 'signer'
  | 'authority'
  | 'sourceAccount'
  | 'destinationAccount'
  | 'amount';

/** Which grant shows a member of a transaction of this type. The gateway masks by the same rules. */
export function missingFlag(member: Maskable, type: string): Flag {
  switch (member) {
    case 'id':
    case 'networkTransactionId':
    case 'blockTime':
      return 'fullTxIds';
    case 'signer':
    case 'authority':
    case 'sourceAccount':
      return 'senderInformation';
    case 'destinationAccount':
      // Elsewhere the destination is hidden where it is the sender's own account.
      return type === 'confidential_withdraw' ? 'withdrawalDetails' : 'senderInformation';
    case 'amount':
      return 'withdrawalDetails';
  }
}
