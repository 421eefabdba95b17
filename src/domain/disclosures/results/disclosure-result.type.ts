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
  description: 'A record of a disclosure result, with the confidential fields that were requested.',
  simpleResolvers: true,
})
export class DisclosedRecordType {
  @Field(() => ID, { description: 'Id of the record (`txn_…`).' })
  transactionId!: string;

  @Field(() => String, { description: 'The signature of the transaction on the ledger (base58).' })
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

  @Field(() => String, { nullable: true, description: 'The token account that was debited (base58).' })
  sourceAccount!: string | null;

  @Field(() => String, { nullable: true, description: 'The token account that was credited (base58).' })
  destinationAccount!: string | null;

  @Field(() => Int, { description: 'The number of decimals of the mint.' })
  decimals!: number;

  @Field(() => ValueProofsType, {
    nullable: true,
    description: 'The proofs of the decrypted fields. Null if nothing was decrypted.',
  })
  proof!: ValueProofsType | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The amount in base units. Null if it was not requested, if the record moves no amount, or if ' +
      '`undecryptable` lists it.',
  })
  amount?: string | null;

  @Field(() => [DisclosureFieldEnum], {
    nullable: true,
    description: 'The requested fields that are public on the ledger and therefore need no proof.',
  })
  public?: DisclosureField[] | null;

  @Field(() => [DisclosureFieldEnum], {
    nullable: true,
    description: 'The requested fields that no key of the organization decrypts.',
  })
  undecryptable?: DisclosureField[] | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The fee in base units. Null if it was not requested, if there is none, or if `unavailable` lists it.',
  })
  fee?: string | null;

  @Field(() => [DisclosureFieldEnum], {
    nullable: true,
    description: 'The requested fields that the ledger does not encrypt to the auditor key.',
  })
  unavailable?: DisclosureField[] | null;
}

@ObjectType('DisclosureProofScheme', {
  description: 'The scheme of the proofs, and how to check them.',
  simpleResolvers: true,
})
export class DisclosureProofSchemeType {
  @Field(() => String, { description: 'The name of the scheme.' })
  scheme!: string;

  @Field(() => String, { description: 'The group of the keys and ciphertexts.' })
  group!: string;

  @Field(() => String, { description: 'The statement that a proof proves.' })
  statement!: string;

  @Field(() => String, { description: 'The command that verifies a saved disclosure.' })
  check!: string;
}

@ObjectType('Receipt', {
  description:
    'The signed receipt of a disclosure. It has salted digests of the disclosed data, and none of the data ' +
    'itself.',
  simpleResolvers: true,
})
export class ReceiptType {
  @Field(() => ID, { description: 'Id of the receipt (`rcp_…`).' })
  id!: string;

  @Field(() => GraphQLJSONObject, {
    description:
      'The signed statement: the ids of the disclosure and its asset, the digests of purpose, scope and ' +
      'result, the decision and the times. Each digest is the SHA-256 in hex of the result’s salt followed by ' +
      'the RFC 8785 JSON of the value.',
  })
  body!: ReceiptBody;

  @Field(() => String, {
    description: 'The Ed25519 signature over the RFC 8785 JSON of `body`: base64 of 64 bytes.',
  })
  signature!: string;

  @Field(() => String, {
    description:
      'The public key of the organization that signed the receipt, in the C2SP form `name+id+base64`.',
  })
  verifierKey!: string;
}

@ObjectType('DisclosureResult', {
  description:
    'The result of a disclosure. Reading `records`, `content` or `salt` is logged as `disclosure.read`. To ' +
    'verify a saved disclosure offline, use `lucarne disclosure verify`.',
})
export class DisclosureResultType {
  @Field(() => DisclosureFormatEnum, { description: 'The format of `content`.' })
  format!: DisclosureFormat;

  @Field(() => GraphQLDateTimeISO, { description: 'When the result was generated.' })
  generatedAt!: Date;

  @Field(() => ID, { description: 'Id of the signed receipt (`rcp_…`).' })
  receiptId!: string;
}
