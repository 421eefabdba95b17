import { GraphQLDateTimeISO, GraphQLSafeInt } from 'graphql-scalars';
import { ArgsType, Field, ID, Int, ObjectType } from 'type-graphql';
import { countedConnectionType } from '../../../platform/kernel/paging/connection.type.js';
import { graphqlEnum } from '../../../platform/kernel/enums/enum.type.js';
import { PageArguments } from '../../../platform/kernel/paging/page-arguments.type.js';
import type { CaseFlow } from './case-totals.js';
import { ValueProofType } from '../../transactions/index.js';
import type { DisclosureFlags } from '../disclosure-flags.js';
import type { AmountProof } from './prove-transactions.js';
import type { Maskable } from './case-masks.js';
import type { Restriction } from './case-transaction.js';
import type { CaseTransactionType } from './case-transaction-types.js';

export const CaseTransactionTypeEnum = graphqlEnum<CaseTransactionType>(
  'CaseTransactionType',
  'The types of transactions that move value.',
  {
    confidential_deposit: 'A public amount entered the confidential balance of its account.',
    confidential_withdraw: 'A public amount left the confidential balance of its account.',
    confidential_transfer: 'An amount moved between two accounts.',
    confidential_transfer_with_fee: 'An amount moved between two accounts of a mint that takes a fee.',
    confidential_mint: 'An amount was issued.',
    confidential_burn: 'An amount was destroyed.',
  },
);

const CaseFlowEnum = graphqlEnum<CaseFlow>('CaseFlow', 'The direction in which value moves.', {
  in: 'Into the confidential balances of the asset: deposits and mints.',
  out: 'Out of the confidential balances of the asset: withdrawals and burns.',
  within: 'Between confidential balances of the asset: transfers.',
});

const CaseTransactionMemberEnum = graphqlEnum<Maskable>(
  'CaseTransactionMember',
  'The members of a transaction that a case can mask.',
  {
    id: 'The id of the record. Masked, it is a reference. Needs `fullTxIds`.',
    networkTransactionId: 'The signature on the ledger. Needs `fullTxIds`.',
    blockTime: 'The time of the block. Masked, it is the beginning of its UTC day. Needs `fullTxIds`.',
    signer: 'The payer of the transaction. Needs `senderInformation`.',
    authority: 'The account that authorized the transaction. Needs `senderInformation`.',
    sourceAccount: 'The account debited. Needs `senderInformation`.',
    destinationAccount:
      'The account credited. Needs `withdrawalDetails` for withdrawals, and `senderInformation` where it is the ' +
      'sender’s.',
    amount: 'The amount. Needs `withdrawalDetails` for withdrawals.',
  },
);

@ArgsType()
export class CaseTransactionArguments extends PageArguments {
  @Field(() => CaseTransactionTypeEnum, { nullable: true, description: 'Only transactions of this type.' })
  type?: CaseTransactionType | null;

  @Field(() => ID, { nullable: true, description: 'Only transactions of this asset, which the case covers.' })
  assetId?: string | null;

  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'Earliest time, inclusive; without `fullTxIds` the whole UTC day of it.',
  })
  from?: Date | null;

  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'Latest time, inclusive; without `fullTxIds` the whole UTC day of it.',
  })
  to?: Date | null;
}

const DisclosureFlagEnum = graphqlEnum<keyof DisclosureFlags>(
  'DisclosureFlag',
  'What a case can show beyond amounts and days.',
  {
    fullTxIds: 'Ids, signatures, slots and exact times of transactions.',
    senderInformation: 'The sender’s addresses and identity.',
    withdrawalDetails: 'Amounts and destinations of withdrawals.',
  },
);

@ObjectType('CaseRestriction', {
  description: 'A member that is masked, and what would show it.',
  simpleResolvers: true,
})
class CaseRestrictionType {
  @Field(() => CaseTransactionMemberEnum, { description: 'The member.' })
  member!: Maskable;

  @Field(() => DisclosureFlagEnum, { description: 'The flag that the case does not grant.' })
  flag!: keyof DisclosureFlags;
}

@ObjectType('CaseTransaction', {
  description:
    'A transaction as the flags of the case show it. `restricted` names what is masked: it is null, but the id is a ' +
    'reference and the time a day. Deposits and withdrawals move value between the two balances of one account, which ' +
    'is source and destination.',
})
class CaseTransactionObject {
  @Field(() => ID, {
    description:
      'Id of the record. Without `fullTxIds` a reference (`ref_…`): it names the record in this case only.',
  })
  id!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Signature of the transaction on the ledger. Needs `fullTxIds`.',
  })
  networkTransactionId!: string | null;

  @Field(() => ID, { description: 'The asset (`ast_…`).' })
  assetId!: string;

  @Field(() => String, { description: 'Ticker symbol of the asset.' })
  symbol!: string;

  @Field(() => Int, { description: 'Decimals of the asset.' })
  decimals!: number;

  @Field(() => CaseTransactionTypeEnum, { description: 'What it did.' })
  type!: CaseTransactionType;

  @Field(() => GraphQLSafeInt, {
    description: 'Time of the block in Unix seconds; the beginning of its UTC day without `fullTxIds`.',
  })
  blockTime!: number;

  @Field(() => String, {
    nullable: true,
    description: 'The account that paid for the transaction (base58). Needs `senderInformation`.',
  })
  signer!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The account that authorized it (base58): an owner, delegate or mint authority. Needs `senderInformation`.',
  })
  authority!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The token account debited (base58). Needs `senderInformation`.',
  })
  sourceAccount!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The token account credited (base58). Needs `withdrawalDetails` for withdrawals, and `senderInformation` where ' +
      'it is the sender’s.',
  })
  destinationAccount!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Base units as a decimal string. Needs `withdrawalDetails` for withdrawals.',
  })
  amount!: string | null;

  @Field(() => Boolean, {
    description: 'Whether no key of the organization decrypts the amount. It is null then.',
  })
  undecryptable!: boolean;

  @Field(() => [CaseTransactionMemberEnum], {
    description: 'Members that the flags of the case do not grant.',
  })
  restricted!: Maskable[];

  @Field(() => [CaseRestrictionType], {
    description: 'What is restricted, each with the flag that would show it.',
  })
  restrictions!: Restriction[];

  @Field(() => ValueProofType, {
    nullable: true,
    // Proving takes ten times as long as decrypting.
    complexity: 20,
    description:
      'Shows that the amount is the decryption of the ciphertext on the ledger. Null where the ledger shows the amount ' +
      'itself, where none is shown, and without `fullTxIds`, because a ciphertext names its transaction.',
  })
  proof!: AmountProof | null;
}

export const CaseTransactionConnectionType = countedConnectionType(
  'CaseTransaction',
  () => CaseTransactionObject,
);

@ObjectType('CaseTotal', { description: 'The total of the transactions of one type.' })
class CaseTotalType {
  @Field(() => CaseTransactionTypeEnum, { description: 'The type.' })
  type!: CaseTransactionType;

  @Field(() => CaseFlowEnum, { description: 'The direction in which they move value.' })
  flow!: CaseFlow;

  @Field(() => GraphQLSafeInt, {
    description: 'Number of transactions, including those without a shown amount.',
  })
  count!: number;

  @Field(() => String, { description: 'Sum of the shown amounts: base units as a decimal string.' })
  amount!: string;

  @Field(() => GraphQLSafeInt, {
    description: 'Transactions that are not in the sum because no key decrypts their amount.',
  })
  undecryptable!: number;

  @Field(() => GraphQLSafeInt, {
    description: 'Transactions that are not in the sum because the case does not show their amount.',
  })
  restricted!: number;
}

@ObjectType('CaseAssetTotals', { description: 'The totals of an asset’s transactions within a case.' })
export class CaseAssetTotalsType {
  @Field(() => ID, { description: 'The asset (`ast_…`).' })
  assetId!: string;

  @Field(() => String, { description: 'Its ticker symbol.' })
  symbol!: string;

  @Field(() => Int, { description: 'Its decimals.' })
  decimals!: number;

  @Field(() => [CaseTotalType], { description: 'A total for each type that has transactions.' })
  totals!: CaseTotalType[];
}

@ObjectType('CaseTransactionCount', { description: 'How many transactions a case shows.' })
export class CaseTransactionCountType {
  @Field(() => Int, { description: 'Number of all of them.' })
  totalCount!: number;
}
