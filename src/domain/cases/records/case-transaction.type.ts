import { GraphQLDateTimeISO, GraphQLSafeInt } from 'graphql-scalars';
import { ArgsType, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { countedConnectionType } from '../../../platform/kernel/paging/connection.type.js';
import { graphqlEnum } from '../../../platform/kernel/enums/enum.type.js';
import { PageArguments } from '../../../platform/kernel/paging/page-arguments.type.js';
import { CASE_ID } from '../case.type.js';
import type { CaseFlow } from './case-totals.js';
import { ValueProofType } from '../../transactions/index.js';
import type { DisclosureFlags } from '../disclosure-flags.js';
import type { AmountProof } from './prove-transactions.js';
import type { Maskable } from './case-masks.js';
import type { Restriction } from './case-transaction.js';
import type { CaseTransactionType } from './case-transaction-types.js';

export const CaseTransactionTypeEnum = graphqlEnum<CaseTransactionType>(
  'CaseTransactionType',
  'A type of transaction that moves value.',
  {
    confidential_deposit: 'A public amount entered the confidential balance of its account.',
    confidential_withdraw: 'A public amount left the confidential balance of its account.',
    confidential_transfer: 'An amount moved between two accounts.',
    confidential_transfer_with_fee:
      'An amount moved between two accounts of a mint that charges a transfer fee.',
    confidential_mint: 'An amount was minted.',
    confidential_burn: 'An amount was burned.',
  },
);

const CaseFlowEnum = graphqlEnum<CaseFlow>('CaseFlow', 'The direction in which value moves.', {
  in: 'Into the confidential balances of the asset: deposits and mints.',
  out: 'Out of the confidential balances of the asset: withdrawals and burns.',
  within: 'Between confidential balances of the asset: transfers.',
});

const CaseTransactionMemberEnum = graphqlEnum<Maskable>(
  'CaseTransactionMember',
  'A member of a transaction that a case can mask.',
  {
    id: 'The id of the record. If masked, it is replaced by a reference. Needs the flag `fullTxIds`.',
    networkTransactionId: 'The signature of the transaction on the ledger. Needs the flag `fullTxIds`.',
    blockTime:
      'The time of the block. If masked, it is the beginning of that UTC day. Needs the flag `fullTxIds`.',
    signer: 'The account that paid for the transaction. Needs the flag `senderInformation`.',
    authority: 'The account that authorized the transaction. Needs the flag `senderInformation`.',
    sourceAccount: 'The account that was debited. Needs the flag `senderInformation`.',
    destinationAccount:
      'The account that was credited. For withdrawals it needs the flag `withdrawalDetails`. For other types ' +
      'it needs the flag `senderInformation` if it is also the source account, the authority or the signer.',
    amount: 'The amount. For withdrawals it needs the flag `withdrawalDetails`.',
  },
);

const FILTERS = {
  type: 'Only transactions of this type.',
  assetId: 'Only transactions of this asset, which the case must cover.',
  from: 'Earliest block time, inclusive. Without the flag `fullTxIds` it is extended to the whole UTC day.',
  to: 'Latest block time, inclusive. Without the flag `fullTxIds` it is extended to the whole UTC day.',
} as const;

@ArgsType()
export class CaseTransactionArguments extends PageArguments {
  @Field(() => CaseTransactionTypeEnum, { nullable: true, description: FILTERS.type })
  type?: CaseTransactionType | null;

  @Field(() => ID, { nullable: true, description: FILTERS.assetId })
  assetId?: string | null;

  @Field(() => GraphQLDateTimeISO, { nullable: true, description: FILTERS.from })
  from?: Date | null;

  @Field(() => GraphQLDateTimeISO, { nullable: true, description: FILTERS.to })
  to?: Date | null;
}

@ArgsType()
export class FollowCaseTransactionsArguments {
  @Field(() => String, { description: 'The foreignId of the application.' })
  foreignId!: string;

  @Field(() => ID, { description: CASE_ID })
  id!: string;

  @Field(() => CaseTransactionTypeEnum, { nullable: true, description: FILTERS.type })
  type?: CaseTransactionType | null;

  @Field(() => ID, { nullable: true, description: FILTERS.assetId })
  assetId?: string | null;

  @Field(() => GraphQLDateTimeISO, { nullable: true, description: FILTERS.from })
  from?: Date | null;

  @Field(() => GraphQLDateTimeISO, { nullable: true, description: FILTERS.to })
  to?: Date | null;
}

@InputType('CaseAmountInput', { description: 'An amount that a case shows.' })
export class CaseAmountInputType {
  @Field(() => ID, { description: 'Id of the record (`txn_…`).' })
  transactionId!: string;

  @Field(() => String, { description: 'The amount in base units as a decimal string.' })
  amount!: string;
}

const DisclosureFlagEnum = graphqlEnum<keyof DisclosureFlags>(
  'DisclosureFlag',
  'What a case can show in addition to amounts and days.',
  {
    fullTxIds: 'The ids, signatures and exact times of transactions.',
    senderInformation: 'The source account, the authority and the signer, which identify the sender.',
    withdrawalDetails: 'The amounts and destinations of withdrawals.',
  },
);

@ObjectType('CaseRestriction', {
  description: 'A masked member of a transaction, and the flag that would show it.',
  simpleResolvers: true,
})
class CaseRestrictionType {
  @Field(() => CaseTransactionMemberEnum, { description: 'The masked member.' })
  member!: Maskable;

  @Field(() => DisclosureFlagEnum, {
    description: 'The flag that would show the member, and that the case does not grant.',
  })
  flag!: keyof DisclosureFlags;
}

@ObjectType('CaseTransaction', {
  description:
    'A transaction of a case, masked by the flags of the case. `restricted` lists the masked members. A ' +
    'masked member is null, except `id`, which is replaced by a reference, and `blockTime`, which is cut to ' +
    'the day. Deposits and withdrawals move value between the two balances of one account, which is both ' +
    'source and destination.',
})
class CaseTransactionObject {
  @Field(() => ID, {
    description:
      'Id of the record (`txn_…`). Without the flag `fullTxIds`, a reference (`ref_…`) that identifies the ' +
      'record in this case only.',
  })
  id!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The signature of the transaction on the ledger (base58). Needs the flag `fullTxIds`.',
  })
  networkTransactionId!: string | null;

  @Field(() => ID, { description: 'Id of the asset (`ast_…`).' })
  assetId!: string;

  @Field(() => String, { description: 'The ticker symbol of the asset.' })
  symbol!: string;

  @Field(() => Int, { description: 'The number of decimals of the asset.' })
  decimals!: number;

  @Field(() => CaseTransactionTypeEnum, { description: 'The type of the transaction.' })
  type!: CaseTransactionType;

  @Field(() => GraphQLSafeInt, {
    description:
      'The time of the block in Unix seconds. Without the flag `fullTxIds`, it is the beginning of that UTC ' +
      'day.',
  })
  blockTime!: number;

  @Field(() => String, {
    nullable: true,
    description: 'The account that paid for the transaction (base58). Needs the flag `senderInformation`.',
  })
  signer!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The account that authorized the transaction (base58): an owner, delegate or mint authority. Needs the ' +
      'flag `senderInformation`.',
  })
  authority!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The token account that was debited (base58). Needs the flag `senderInformation`.',
  })
  sourceAccount!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The token account that was credited (base58). For withdrawals it needs the flag `withdrawalDetails`. ' +
      'For other types it needs the flag `senderInformation` if it is also the source account, the authority ' +
      'or the signer.',
  })
  destinationAccount!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The amount in base units as a decimal string. For withdrawals it needs the flag `withdrawalDetails`.',
  })
  amount!: string | null;

  @Field(() => Boolean, {
    description: 'Whether no key of the organization decrypts the amount. If true, the amount is null.',
  })
  undecryptable!: boolean;

  @Field(() => [CaseTransactionMemberEnum], {
    description:
      'The members that are masked because the case does not grant the flags that show them. Empty if nothing ' +
      'is masked.',
  })
  restricted!: Maskable[];

  @Field(() => [CaseRestrictionType], {
    description: 'The members in `restricted`, each with the flag that would show it.',
  })
  restrictions!: Restriction[];

  @Field(() => ValueProofType, {
    nullable: true,
    // Proving takes ten times as long as decrypting.
    complexity: 20,
    description:
      'The proof that the amount is the decryption of the ciphertext on the ledger. Null if the amount is ' +
      'public on the ledger or not shown, and without the flag `fullTxIds`, because a ciphertext identifies ' +
      'its transaction.',
  })
  proof!: AmountProof | null;
}

export const CaseTransactionConnectionType = countedConnectionType(
  'CaseTransaction',
  () => CaseTransactionObject,
);

@ObjectType('CaseTotal', { description: 'The total of a case’s transactions of one type.' })
class CaseTotalType {
  @Field(() => CaseTransactionTypeEnum, { description: 'The type of the transactions.' })
  type!: CaseTransactionType;

  @Field(() => CaseFlowEnum, { description: 'The direction in which these transactions move value.' })
  flow!: CaseFlow;

  @Field(() => GraphQLSafeInt, {
    description: 'The number of transactions, including those whose amount is not shown.',
  })
  count!: number;

  @Field(() => String, { description: 'The sum of the shown amounts, in base units as a decimal string.' })
  amount!: string;

  @Field(() => GraphQLSafeInt, {
    description:
      'The number of transactions whose amount no key of the organization decrypts. The sum does not include ' +
      'them.',
  })
  undecryptable!: number;

  @Field(() => GraphQLSafeInt, {
    description:
      'The number of transactions whose amount is masked by the flags of the case. The sum does not include ' +
      'them.',
  })
  restricted!: number;
}

@ObjectType('CaseAssetTotals', { description: 'The totals of an asset’s transactions in a case.' })
export class CaseAssetTotalsType {
  @Field(() => ID, { description: 'Id of the asset (`ast_…`).' })
  assetId!: string;

  @Field(() => String, { description: 'The ticker symbol of the asset.' })
  symbol!: string;

  @Field(() => Int, { description: 'The number of decimals of the asset.' })
  decimals!: number;

  @Field(() => [CaseTotalType], { description: 'The total of each type that has transactions.' })
  totals!: CaseTotalType[];
}

@ObjectType('CaseTransactionCount', { description: 'The number of transactions that a case shows.' })
export class CaseTransactionCountType {
  @Field(() => Int, { description: 'The number of transactions that the case shows.' })
  totalCount!: number;
}
