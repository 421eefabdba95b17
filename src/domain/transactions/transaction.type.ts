import { GraphQLDateTimeISO, GraphQLSafeInt } from 'graphql-scalars';
import { ArgsType, Field, ID, Int, ObjectType } from 'type-graphql';
import { connectionType } from '../../platform/kernel/paging/connection.type.js';
import { graphqlEnum } from '../../platform/kernel/enums/enum.type.js';
import type { Network } from '../../platform/kernel/enums/network.js';
import { NetworkEnum } from '../../platform/kernel/enums/network.type.js';
import { PageArguments } from '../../platform/kernel/paging/page-arguments.type.js';
import type { ConfidentialEventType } from '../../platform/ledger/index.js';

export const ConfidentialEventTypeEnum = graphqlEnum<ConfidentialEventType>(
  'ConfidentialEventType',
  'What a confidential instruction of Token-2022 did.',
  {
    confidential_transfer: 'A hidden amount moved between two accounts.',
    confidential_transfer_with_fee: 'As `confidential_transfer`, of a mint that takes a fee.',
    confidential_deposit: 'A public amount entered the confidential balance of its account.',
    confidential_withdraw: 'A public amount left the confidential balance of its account.',
    confidential_mint: 'A hidden amount was issued.',
    confidential_burn: 'A hidden amount was destroyed.',
    configure_account: 'An account was made ready for confidential transfers.',
    apply_pending_balance: 'Received amounts were added to the balance that can be spent.',
    empty_account: 'An account was proven empty, so that it can be closed.',
    approve_account: 'The authority of the mint approved an account.',
    update_mint: 'The confidential settings of the mint, such as its auditor key, were changed.',
    credits_changed: 'An account started or stopped accepting credits.',
  },
);

const CreditsKindEnum = graphqlEnum<'confidential' | 'non_confidential'>(
  'CreditsKind',
  'The kind of credits that an account accepts or refuses.',
  { confidential: 'Confidential credits.', non_confidential: 'Credits in the clear.' },
);

@ObjectType('PublicData', {
  description: 'What an instruction says in the clear. Members that its type does not have are null.',
  simpleResolvers: true,
})
export class PublicDataType {
  @Field(() => String, { nullable: true, description: 'Deposits and withdrawals: the amount in base units.' })
  amount?: string | null;

  @Field(() => CreditsKindEnum, {
    nullable: true,
    description: '`credits_changed`: which credits were switched.',
  })
  credits?: 'confidential' | 'non_confidential' | null;

  @Field(() => Boolean, {
    nullable: true,
    description: '`credits_changed`: whether the account accepts them from then on.',
  })
  enabled?: boolean | null;

  @Field(() => Int, { nullable: true, description: 'Deposits and withdrawals: the decimals of the amount.' })
  decimals?: number | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The owner, delegate, multisignature account or mint authority that authorized the instruction (base58).',
  })
  authority?: string | null;

  @Field(() => String, {
    nullable: true,
    description: '`configure_account`: the ElGamal registry that the key comes from (base58).',
  })
  elGamalRegistry?: string | null;

  @Field(() => [Int], {
    description: 'Position: top-level instruction, inner instruction (0: none), member of a batch (0: none).',
  })
  instructionPath!: number[];

  @Field(() => Int, { description: 'Index of the top-level instruction in its transaction.' })
  instructionIndex!: number;

  @Field(() => String, {
    nullable: true,
    description: '`update_mint`: the new auditor key, base64 of 32 bytes; null when the mint has no auditor.',
  })
  auditorElGamalPubkey?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: '`update_mint`: whether new accounts need no approval from then on.',
  })
  autoApproveNewAccounts?: boolean | null;

  @Field(() => String, {
    nullable: true,
    description: '`confidential_burn`: the burn authority of the mint that signed too (base58).',
  })
  permissionedBurnAuthority?: string | null;

  @Field(() => String, {
    nullable: true,
    description: '`configure_account`: how many credits may be pending at once.',
  })
  maximumPendingBalanceCreditCounter?: string | null;

  @Field(() => String, {
    nullable: true,
    description: '`apply_pending_balance`: how many pending credits the owner expected.',
  })
  expectedPendingBalanceCreditCounter?: string | null;
}

@ObjectType('AuditorCiphertext', {
  description:
    'An amount under the auditor key of the mint: lo + hi · 2^16. Exactly the bytes of the instruction.',
  simpleResolvers: true,
})
export class AuditorCiphertextType {
  @Field(() => String, { description: 'Base64 of 64 bytes: Pedersen commitment, then decryption handle.' })
  lo!: string;

  @Field(() => String, { description: 'Base64 of 64 bytes: Pedersen commitment, then decryption handle.' })
  hi!: string;
}

@ObjectType('Ciphertexts', {
  description: 'The confidential values of an instruction.',
  simpleResolvers: true,
})
export class CiphertextsType {
  @Field(() => AuditorCiphertextType, {
    nullable: true,
    description: 'The amount for the auditor; null where the instruction has none.',
  })
  auditor?: AuditorCiphertextType | null;
}

@ObjectType('IndexedTransaction', {
  description:
    'One confidential instruction of a transaction that succeeded: its public data and its ciphertexts, never a ' +
    'decrypted amount.',
  // The members are those of the record: a resolver around each would only cost time.
  simpleResolvers: true,
})
export class IndexedTransactionType {
  @Field(() => ID, { description: 'Id of the record (`txn_…`).' })
  id!: string;

  @Field(() => ID, { description: 'Id of the asset whose mint the instruction concerns.' })
  assetId!: string;

  @Field(() => NetworkEnum, { description: 'The ledger network.' })
  network!: Network;

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
    description: 'Time of the block in Unix seconds; null where the ledger has none.',
  })
  blockTime!: number | null;

  @Field(() => String, { description: 'The transaction’s first signer, who paid its fee (base58).' })
  signer!: string;

  @Field(() => PublicDataType, { description: 'What the instruction says in the clear.' })
  publicData!: PublicDataType;

  @Field(() => CiphertextsType, { description: 'The confidential values, encrypted.' })
  ciphertexts!: CiphertextsType;

  @Field(() => GraphQLDateTimeISO, { description: 'When the record was written.' })
  indexedAt!: Date;

  @Field(() => String, {
    nullable: true,
    description:
      'The token account debited, or the one the instruction concerns (base58). Null where there is none.',
  })
  sourceAccount!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The token account credited (base58). Null where there is none.',
  })
  destinationAccount!: string | null;
}

export const TransactionConnectionType = connectionType('Transaction', () => IndexedTransactionType);

@ObjectType('TransactionAdded', {
  description: 'A record that was added, with the cursor to continue after it.',
})
export class TransactionAddedType {
  @Field(() => String, {
    description:
      'Pass it as `after` to continue after this record, here or in `transactions` without filters.',
  })
  cursor!: string;

  @Field(() => IndexedTransactionType, { description: 'The record.' })
  transaction!: IndexedTransactionType;
}

@ArgsType()
export class ListTransactionsArguments extends PageArguments {
  @Field(() => ID, { description: 'Id of the asset.' })
  assetId!: string;

  @Field(() => ConfidentialEventTypeEnum, { nullable: true, description: 'Only records of this type.' })
  type?: ConfidentialEventType | null;

  @Field(() => String, {
    nullable: true,
    description: 'Only records whose source or destination is this token account (base58).',
  })
  account?: string | null;

  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'Only records that were indexed at or after this time.',
  })
  from?: Date | null;

  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'Only records that were indexed at or before this time.',
  })
  to?: Date | null;
}

@ObjectType('ValueProof', {
  description: 'Shows that a disclosed value is the decryption of the ciphertext on the ledger.',
  simpleResolvers: true,
})
export class ValueProofType {
  @Field(() => String, { description: 'Base64 of 32 bytes: the key that the value is encrypted under.' })
  auditorElGamalPubkey!: string;

  @Field(() => AuditorCiphertextType, { description: 'The two parts of the ciphertext.' })
  ciphertext!: AuditorCiphertextType;

  @Field(() => String, { description: 'Base64 of 96 bytes, by the scheme `solana-zero-ciphertext-proof`.' })
  proof!: string;
}
