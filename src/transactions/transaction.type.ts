import { GraphQLDateTimeISO, GraphQLJSONObject, GraphQLSafeInt } from 'graphql-scalars';
import { Field, ObjectType, registerEnumType } from 'type-graphql';
import { connectionType } from '../kernel/connection.type.js';
import type { JsonObject } from '../kernel/json.js';
import { CONFIDENTIAL_EVENT_TYPES, type ConfidentialEventType } from '../ledger/index.js';
import type { StoredCiphertexts } from './transaction.js';

export const ConfidentialEventTypeEnum = Object.fromEntries(
  CONFIDENTIAL_EVENT_TYPES.map((type) => [type, type]),
);
registerEnumType(ConfidentialEventTypeEnum, {
  name: 'ConfidentialEventType',
  description: 'What a confidential instruction of Token-2022 did.',
  valuesConfig: {
    confidential_transfer: { description: 'A hidden amount moved between two accounts.' },
    confidential_transfer_with_fee: {
      description: 'As `confidential_transfer`, of a mint that takes a fee.',
    },
    confidential_deposit: { description: 'A public amount entered the confidential balance of its account.' },
    confidential_withdraw: { description: 'A public amount left the confidential balance of its account.' },
    confidential_mint: { description: 'A hidden amount was issued.' },
    confidential_burn: { description: 'A hidden amount was destroyed.' },
    configure_account: { description: 'An account was made ready for confidential transfers.' },
    apply_pending_balance: { description: 'Received amounts were added to the balance that can be spent.' },
    empty_account: { description: 'An account was shown to be empty, so that it can be closed.' },
    approve_account: { description: 'The mint’s authority admitted an account.' },
    update_mint: { description: 'The mint’s confidential settings, such as its auditor key, were changed.' },
    credits_changed: { description: 'An account began or ceased to accept credits.' },
  },
});

const NetworkEnum = { solana: 'solana' } as const;
registerEnumType(NetworkEnum, {
  name: 'Network',
  description: 'A ledger network.',
  valuesConfig: { solana: { description: 'Solana.' } },
});

@ObjectType('IndexedTransaction', {
  description:
    'One confidential instruction of a transaction that succeeded: its public data and its ciphertexts, never an ' +
    'amount in clear.',
  // Its members are those of the record: type-graphql’s own resolver around each would only cost.
  simpleResolvers: true,
})
export class IndexedTransactionType {
  @Field(() => String, { description: 'Id of the record (`txn_…`).' })
  id!: string;

  @Field(() => String, { description: 'The asset whose mint it concerns.' })
  assetId!: string;

  @Field(() => NetworkEnum, { description: 'The ledger network.' })
  network!: 'solana';

  @Field(() => String, {
    description:
      'Signature of the transaction on the ledger (base58). A transaction with several confidential instructions has ' +
      'several records.',
  })
  networkTransactionId!: string;

  @Field(() => ConfidentialEventTypeEnum, { description: 'What the instruction did.' })
  type!: ConfidentialEventType;

  @Field(() => GraphQLSafeInt, { description: 'The slot of the transaction.' })
  slot!: number;

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'Time of the block in Unix seconds; null where the ledger tells none.',
  })
  blockTime!: number | null;

  @Field(() => String, { description: 'The transaction’s first signer, who paid its fee (base58).' })
  signer!: string;

  @Field(() => GraphQLJSONObject, {
    description:
      'What the instruction says in the clear: its index and path, authority, the public amount of a deposit or ' +
      'withdrawal in base units, and more by type.',
  })
  publicData!: JsonObject;

  @Field(() => GraphQLJSONObject, {
    description:
      '`{ auditor: { lo, hi } }`, base64 of exactly the instruction’s bytes, where it has an auditor ciphertext; ' +
      'otherwise empty.',
  })
  ciphertexts!: StoredCiphertexts;

  @Field(() => GraphQLDateTimeISO, { description: 'When the record was written.' })
  indexedAt!: Date;

  @Field(() => String, {
    nullable: true,
    description: 'The token account debited, or the one the instruction concerns (base58).',
  })
  sourceAccount!: string | null;

  @Field(() => String, { nullable: true, description: 'The token account credited (base58).' })
  destinationAccount!: string | null;
}

export const TransactionConnectionType = connectionType('Transaction', () => IndexedTransactionType);

@ObjectType('TransactionAdded', {
  description: 'A record as it was added, with the cursor to go on behind it.',
})
export class TransactionAddedType {
  @Field(() => String, {
    description: 'Pass it as `after` to go on behind this record, here or in `transactions` without filters.',
  })
  cursor!: string;

  @Field(() => IndexedTransactionType, { description: 'The record.' })
  transaction!: IndexedTransactionType;
}
