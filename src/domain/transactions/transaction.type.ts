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
  'The type of a confidential instruction of Token-2022.',
  {
    confidential_transfer: 'An encrypted amount moved between two accounts.',
    confidential_transfer_with_fee:
      'An encrypted amount moved between two accounts of a mint that charges a transfer fee.',
    confidential_deposit: 'A public amount entered the confidential balance of its account.',
    confidential_withdraw: 'A public amount left the confidential balance of its account.',
    confidential_mint: 'An encrypted amount was minted.',
    confidential_burn: 'An encrypted amount was burned.',
    configure_account: 'An account was configured for confidential transfers.',
    apply_pending_balance: 'The pending balance of an account was added to its available balance.',
    empty_account: 'An account was proven to have a zero balance, so that it can be closed.',
    approve_account: 'The authority of the mint approved an account.',
    update_mint: 'The confidential settings of the mint changed, such as its auditor key.',
    credits_changed: 'An account enabled or disabled incoming credits.',
  },
);

const CreditsKindEnum = graphqlEnum<'confidential' | 'non_confidential'>(
  'CreditsKind',
  'The kind of incoming credits that an account enables or disables.',
  { confidential: 'Credits with encrypted amounts.', non_confidential: 'Credits with public amounts.' },
);

@ObjectType('PublicData', {
  description: 'The public data of an instruction. Members that do not apply to its type are null.',
  simpleResolvers: true,
})
export class PublicDataType {
  @Field(() => String, {
    nullable: true,
    description: 'For deposits and withdrawals: the amount in base units.',
  })
  amount?: string | null;

  @Field(() => CreditsKindEnum, {
    nullable: true,
    description: 'For `credits_changed`: the kind of credits that was enabled or disabled.',
  })
  credits?: 'confidential' | 'non_confidential' | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'For `credits_changed`: whether the account accepts these credits from then on.',
  })
  enabled?: boolean | null;

  @Field(() => Int, {
    nullable: true,
    description: 'For deposits and withdrawals: the number of decimals of the amount.',
  })
  decimals?: number | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The owner, delegate, multisignature account or mint authority that authorized the instruction (base58).',
  })
  authority?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'For `configure_account`: the ElGamal registry account that holds the key (base58).',
  })
  elGamalRegistry?: string | null;

  @Field(() => [Int], {
    description:
      'The position of the instruction: the index of the top-level instruction (from 0), the number of the ' +
      'inner instruction (from 1; 0 if none) and the number of the instruction in a batch (from 1; 0 if none).',
  })
  instructionPath!: number[];

  @Field(() => Int, { description: 'The index of the top-level instruction in its transaction, from 0.' })
  instructionIndex!: number;

  @Field(() => String, {
    nullable: true,
    description:
      'For `update_mint`: the new auditor key, base64 of 32 bytes. Null if the update removed the auditor key.',
  })
  auditorElGamalPubkey?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'For `update_mint`: whether new accounts need no approval from then on.',
  })
  autoApproveNewAccounts?: boolean | null;

  @Field(() => String, {
    nullable: true,
    description: 'For `confidential_burn`: the burn authority of the mint that also signed (base58).',
  })
  permissionedBurnAuthority?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'For `configure_account`: the maximum number of pending credits.',
  })
  maximumPendingBalanceCreditCounter?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'For `apply_pending_balance`: the number of pending credits that the owner expected.',
  })
  expectedPendingBalanceCreditCounter?: string | null;
}

@ObjectType('AuditorCiphertext', {
  description:
    'An amount encrypted to the auditor key of the mint, exactly as the instruction holds it. The amount is ' +
    'lo + hi · 2^16.',
  simpleResolvers: true,
})
export class AuditorCiphertextType {
  @Field(() => String, {
    description:
      'The low 16 bits of the amount: base64 of 64 bytes, a Pedersen commitment followed by a decryption ' +
      'handle.',
  })
  lo!: string;

  @Field(() => String, {
    description:
      'The high part of the amount: base64 of 64 bytes, a Pedersen commitment followed by a decryption handle.',
  })
  hi!: string;
}

@ObjectType('Ciphertexts', {
  description: 'The encrypted values of an instruction.',
  simpleResolvers: true,
})
export class CiphertextsType {
  @Field(() => AuditorCiphertextType, {
    nullable: true,
    description:
      'The amount, encrypted to the auditor key. Null if the instruction has no encrypted amount for the ' +
      'auditor.',
  })
  auditor?: AuditorCiphertextType | null;
}

@ObjectType('IndexedTransaction', {
  description:
    'One confidential instruction of a successful transaction: its public data and its ciphertexts. It never ' +
    'has a decrypted amount.',
  // The members are those of the record: resolvers around each would only cost time.
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
      'The signature of the transaction on the ledger (base58). A transaction with several confidential ' +
      'instructions has several records.',
  })
  networkTransactionId!: string;

  @Field(() => ConfidentialEventTypeEnum, { description: 'The type of the instruction.' })
  type!: ConfidentialEventType;

  @Field(() => GraphQLSafeInt, { description: 'The slot of the transaction.' })
  slot!: number;

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'The time of the block in Unix seconds. Null if the ledger has none.',
  })
  blockTime!: number | null;

  @Field(() => String, { description: 'The first signer of the transaction, who paid its fee (base58).' })
  signer!: string;

  @Field(() => PublicDataType, { description: 'The public data of the instruction.' })
  publicData!: PublicDataType;

  @Field(() => CiphertextsType, { description: 'The confidential values, encrypted.' })
  ciphertexts!: CiphertextsType;

  @Field(() => GraphQLDateTimeISO, { description: 'When the record was written.' })
  indexedAt!: Date;

  @Field(() => String, {
    nullable: true,
    description:
      'The token account that was debited or that the instruction concerns (base58). Null if there is none.',
  })
  sourceAccount!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The token account that was credited (base58). Null if the instruction credits none.',
  })
  destinationAccount!: string | null;
}

export const TransactionConnectionType = connectionType('Transaction', () => IndexedTransactionType);

@ObjectType('TransactionAdded', {
  description: 'A record that was added, with a cursor to continue from.',
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
  description: 'A proof that a disclosed value is the decryption of the ciphertext on the ledger.',
  simpleResolvers: true,
})
export class ValueProofType {
  @Field(() => String, { description: 'The auditor key that the value is encrypted to: base64 of 32 bytes.' })
  auditorElGamalPubkey!: string;

  @Field(() => AuditorCiphertextType, { description: 'The two parts of the ciphertext.' })
  ciphertext!: AuditorCiphertextType;

  @Field(() => String, {
    description: 'The proof in the scheme `solana-zero-ciphertext-proof`: base64 of 96 bytes.',
  })
  proof!: string;
}
