import { GraphQLDateTimeISO, GraphQLJSONObject, GraphQLSafeInt } from 'graphql-scalars';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import type { ConfidentialEventType } from '../../../platform/ledger/index.js';
import { ConfidentialEventTypeEnum, ValueProofType } from '../../transactions/index.js';
import { DisclosureFieldEnum, DisclosureFormatEnum } from '../disclosure.type.js';
import type { DisclosureField } from '../disclosure-scope.js';
import type { DisclosureFormat } from '../policies/disclosure-rules.js';
import type { ReceiptBody } from './receipt-statement.js';

@ObjectType('ValueProofs', { description: 'The proofs of a record, by field.', simpleResolvers: true })
export class ValueProofsType {
  @Field(() => ValueProofType, { description: 'The proof of the amount.' })
  amount!: ValueProofType;
}

@ObjectType('DisclosedRecord', {
  description: 'One record of a result. Of the confidential fields it has those that were requested.',
  simpleResolvers: true,
})
export class DisclosedRecordType {
  @Field(() => ID, { description: 'Id of the record (`txn_…`).' })
  transactionId!: string;

  @Field(() => String, { description: 'Signature of the transaction on the ledger (base58).' })
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

  @Field(() => String, { nullable: true, description: 'The token account debited (base58).' })
  sourceAccount!: string | null;

  @Field(() => String, { nullable: true, description: 'The token account credited (base58).' })
  destinationAccount!: string | null;

  @Field(() => Int, { description: 'Decimals of the mint.' })
  decimals!: number;

  @Field(() => ValueProofsType, {
    nullable: true,
    description: 'The proofs; null when nothing was decrypted.',
  })
  proof!: ValueProofsType | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Base units. Null when it was not requested, when the record moves no amount, and when `undecryptable` names it.',
  })
  amount?: string | null;

  @Field(() => [DisclosureFieldEnum], {
    nullable: true,
    description: 'Fields that the ledger shows in the clear, and so need no proof.',
  })
  public?: DisclosureField[] | null;

  @Field(() => [DisclosureFieldEnum], {
    nullable: true,
    description: 'Fields whose ciphertext no key of the organization opens.',
  })
  undecryptable?: DisclosureField[] | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Base units. Null when it was not requested, when there is none, and when `unavailable` names it.',
  })
  fee?: string | null;

  @Field(() => [DisclosureFieldEnum], {
    nullable: true,
    description: 'Fields that the ledger does not encrypt to the auditor.',
  })
  unavailable?: DisclosureField[] | null;
}

@ObjectType('DisclosureProofScheme', {
  description: 'The scheme of the proofs and how to check them.',
  simpleResolvers: true,
})
export class DisclosureProofSchemeType {
  @Field(() => String, { description: 'Name of the scheme.' })
  scheme!: string;

  @Field(() => String, { description: 'The group of the keys and ciphertexts.' })
  group!: string;

  @Field(() => String, { description: 'What a proof states.' })
  statement!: string;

  @Field(() => String, { description: 'The command that checks a saved disclosure.' })
  check!: string;
}

@ObjectType('Receipt', {
  description: 'The signed statement of a disclosure. It has salted digests, nothing of what was disclosed.',
  simpleResolvers: true,
})
export class ReceiptType {
  @Field(() => ID, { description: 'Id of the receipt (`rcp_…`).' })
  id!: string;

  @Field(() => GraphQLJSONObject, {
    description:
      'The statement: disclosure, digests of purpose, scope and result, decision, times. Each digest is hex SHA-256 of ' +
      'the salt of the result and the RFC 8785 form.',
  })
  body!: ReceiptBody;

  @Field(() => String, { description: 'Base64 of the Ed25519 signature over the RFC 8785 form of `body`.' })
  signature!: string;

  @Field(() => String, { description: 'The key of the organization in the C2SP form `name+id+base64`.' })
  verifierKey!: string;
}

@ObjectType('DisclosureResult', {
  description:
    'What was disclosed. Reading `records`, `content` or `salt` is logged as `disclosure.read`. With its disclosure it ' +
    'can be checked offline: `lucarne disclosure verify`.',
})
export class DisclosureResultType {
  @Field(() => DisclosureFormatEnum, { description: 'The format of `content`.' })
  format!: DisclosureFormat;

  @Field(() => GraphQLDateTimeISO, { description: 'When the result was made.' })
  generatedAt!: Date;

  @Field(() => ID, { description: 'Id of the signed receipt (`rcp_…`).' })
  receiptId!: string;
}
