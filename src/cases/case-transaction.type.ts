import { GraphQLSafeInt } from 'graphql-scalars';
import { Field, Int, ObjectType, registerEnumType } from 'type-graphql';
import { connectionType } from '../kernel/connection.type.js';
import { CASE_FLOWS, type CaseFlow } from './case-totals.js';
import { CASE_TRANSACTION_TYPES, type CaseTransactionType } from './case-transaction.js';

const enumOf = <Value extends string>(values: readonly Value[]) =>
  Object.fromEntries(values.map((value) => [value, value]));

export const CaseTransactionTypeEnum = enumOf(CASE_TRANSACTION_TYPES);
registerEnumType(CaseTransactionTypeEnum, {
  name: 'CaseTransactionType',
  description: 'What moved value.',
  valuesConfig: {
    confidential_deposit: { description: 'A public amount entered the confidential balance of its account.' },
    confidential_withdraw: { description: 'A public amount left the confidential balance of its account.' },
    confidential_transfer: { description: 'An amount moved between two accounts.' },
    confidential_transfer_with_fee: {
      description: 'As `confidential_transfer`, of a mint that takes a fee.',
    },
    confidential_mint: { description: 'An amount was issued.' },
    confidential_burn: { description: 'An amount was destroyed.' },
  },
});

const CaseFlowEnum = enumOf(CASE_FLOWS);
registerEnumType(CaseFlowEnum, {
  name: 'CaseFlow',
  description: 'Where value goes.',
  valuesConfig: {
    in: { description: 'Into the confidential balances of the asset: deposits and what was issued.' },
    out: { description: 'Out of them: withdrawals and what was destroyed.' },
    within: { description: 'From one to another: transfers.' },
  },
});

@ObjectType('CaseTransaction', {
  description:
    'A transaction as the flags of the case show it. A masked member is null, ids are shortened to their first and last ' +
    '4 characters, and `restricted` names them. Deposits and withdrawals move between the two balances of one account, ' +
    'which is source and destination.',
})
export class CaseTransactionObject {
  @Field(() => String, {
    description: 'Id of the record; shortened without `fullTxIds`, and then not unique.',
  })
  id!: string;

  @Field(() => String, {
    description: 'Signature of the transaction on the ledger; shortened without `fullTxIds`.',
  })
  networkTransactionId!: string;

  @Field(() => String, { description: 'The asset (`ast_…`).' })
  assetId!: string;

  @Field(() => String, { description: 'Ticker symbol of the asset.' })
  symbol!: string;

  @Field(() => Int, { description: 'Decimals of the asset.' })
  decimals!: number;

  @Field(() => CaseTransactionTypeEnum, { description: 'What it did.' })
  type!: CaseTransactionType;

  @Field(() => GraphQLSafeInt, { description: 'Time of the block in Unix seconds.' })
  blockTime!: number;

  @Field(() => String, {
    nullable: true,
    description: 'Who paid for the transaction (base58); with `senderInformation`.',
  })
  signer!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Who authorized it (base58): an owner, delegate or mint authority; with `senderInformation`.',
  })
  authority!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The token account debited (base58); with `senderInformation`.',
  })
  sourceAccount!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The token account credited (base58). Of withdrawals with `withdrawalDetails`; where it is the sender’s own ' +
      'otherwise, with `senderInformation`.',
  })
  destinationAccount!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Base units as a decimal string. Of withdrawals with `withdrawalDetails`.',
  })
  amount!: string | null;

  @Field(() => Boolean, {
    description: 'Whether none of the organization’s keys opens the amount: it is null then.',
  })
  undecryptable!: boolean;

  @Field(() => [String], { description: 'Members that the flags of the case do not grant.' })
  restricted!: string[];
}

export const CaseTransactionConnectionType = connectionType('CaseTransaction', () => CaseTransactionObject);

@ObjectType('CaseTotal', { description: 'What the transactions of one type move.' })
export class CaseTotalType {
  @Field(() => CaseTransactionTypeEnum, { description: 'The type.' })
  type!: CaseTransactionType;

  @Field(() => CaseFlowEnum, { description: 'Where it moves value.' })
  flow!: CaseFlow;

  @Field(() => GraphQLSafeInt, { description: 'Transactions of the type, those without a shown amount too.' })
  count!: number;

  @Field(() => String, { description: 'Sum of the shown amounts: base units as a decimal string.' })
  amount!: string;

  @Field(() => GraphQLSafeInt, {
    description: 'Transactions that the sum leaves out because no key opens their amount.',
  })
  undecryptable!: number;

  @Field(() => GraphQLSafeInt, {
    description: 'Transactions that the sum leaves out because the case does not show their amount.',
  })
  restricted!: number;
}

@ObjectType('CaseAssetTotals', { description: 'What the transactions of an asset move within a case.' })
export class CaseAssetTotalsType {
  @Field(() => String, { description: 'The asset (`ast_…`).' })
  assetId!: string;

  @Field(() => String, { description: 'Its ticker symbol.' })
  symbol!: string;

  @Field(() => Int, { description: 'Its decimals.' })
  decimals!: number;

  @Field(() => [CaseTotalType], { description: 'One for each type that there are transactions of.' })
  totals!: CaseTotalType[];
}
