import { GraphQLDateTimeISO, GraphQLJSONObject, GraphQLSafeInt } from 'graphql-scalars';
import { Field, InputType, ObjectType, registerEnumType } from 'type-graphql';
import { connectionType } from '../kernel/connection.type.js';
import type { DisclosedRecord } from './disclosed-record.js';
import {
  DISCLOSURE_FORMATS,
  POLICY_OUTCOMES,
  type DisclosureFormat,
  type PolicyOutcome,
} from './disclosure-rules.js';
import { DISCLOSURE_FIELDS, type DisclosureField } from './disclosure-scope.js';
import {
  DISCLOSURE_DECISIONS,
  DISCLOSURE_STATUSES,
  type DisclosureDecision,
  type DisclosureStatus,
} from './disclosure-state.js';
import type { ReceiptBody, SignedReceipt } from './receipt.js';

const enumOf = <Value extends string>(values: readonly Value[]) =>
  Object.fromEntries(values.map((value) => [value, value]));

export const DisclosureStatusEnum = enumOf(DISCLOSURE_STATUSES);
registerEnumType(DisclosureStatusEnum, {
  name: 'DisclosureStatus',
  description: 'Where a disclosure stands.',
  valuesConfig: {
    pending: { description: 'Not decided yet, or authorized and its result is being made.' },
    available: { description: 'Authorized; the result is there. Final.' },
    rejected: { description: 'Not authorized; there will be no result. Final.' },
  },
});

export const DisclosureDecisionEnum = enumOf(DISCLOSURE_DECISIONS);
registerEnumType(DisclosureDecisionEnum, {
  name: 'DisclosureDecision',
  description: 'A decision about a disclosure.',
  valuesConfig: {
    authorize: { description: 'The records that the scope selects at this moment are disclosed.' },
    reject: { description: 'Nothing is disclosed.' },
  },
});

export const DisclosureFormatEnum = enumOf(DISCLOSURE_FORMATS);
registerEnumType(DisclosureFormatEnum, {
  name: 'DisclosureFormat',
  description: 'The format of a result’s `content`.',
  valuesConfig: {
    json: { description: 'The JSON text of the records.' },
    csv: { description: 'CSV after RFC 4180 with a header row.' },
  },
});

export const DisclosureFieldEnum = enumOf(DISCLOSURE_FIELDS);
registerEnumType(DisclosureFieldEnum, {
  name: 'DisclosureField',
  description: 'A confidential field.',
  valuesConfig: {
    amount: { description: 'The amount that an instruction moves.' },
    fee: {
      description:
        'The fee of a transfer. Token-2022 does not encrypt it to the auditor: records that take one name it in ' +
        '`unavailable`.',
    },
  },
});

export const PolicyOutcomeEnum = enumOf(POLICY_OUTCOMES);
registerEnumType(PolicyOutcomeEnum, {
  name: 'PolicyOutcome',
  description: 'What a policy does with a request.',
  valuesConfig: {
    authorize: { description: 'Authorizes it at once.' },
    review: { description: 'Leaves it to a person.' },
    reject: { description: 'Rejects it at once.' },
  },
});

@ObjectType('DisclosureScope', { description: 'Which records and which confidential fields of them.' })
export class DisclosureScopeType {
  @Field(() => [String], { nullable: true, description: 'The chosen records (`txn_…`).' })
  transactionIds!: string[] | null;

  @Field(() => String, {
    nullable: true,
    description: 'The token account, as source or destination (base58).',
  })
  account!: string | null;

  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'Earliest block time, inclusive.' })
  from!: Date | null;

  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'Latest block time, inclusive.' })
  to!: Date | null;

  @Field(() => [DisclosureFieldEnum], { description: 'The confidential fields.' })
  fields!: DisclosureField[];
}

@ObjectType('DisclosureResult', {
  description:
    'What was disclosed. With its disclosure it can be checked offline: `lucarne disclosure verify`.',
})
export class DisclosureResultType {
  @Field(() => DisclosureFormatEnum, { description: 'The format of `content`.' })
  format!: DisclosureFormat;

  @Field(() => GraphQLDateTimeISO, { description: 'When the result was made.' })
  generatedAt!: Date;

  @Field(() => String, { description: 'The signed receipt (`rcp_…`).' })
  receiptId!: string;

  @Field(() => [GraphQLJSONObject], {
    description:
      'The records in the order of indexing, whatever the format: `transactionId`, `networkTransactionId`, `type`, ' +
      '`slot`, `blockTime`, `sourceAccount`, `destinationAccount`, `decimals`, the fields asked for (base units), and ' +
      '`proof`, by field what shows that the value is the decryption of the ledger’s ciphertext. `public` names fields ' +
      'that the ledger shows in the clear, `undecryptable` those that no key of the organization opens, `unavailable` ' +
      'those that are not encrypted to the auditor. Records of types that move nothing have null amounts.',
  })
  records!: DisclosedRecord[];

  @Field(() => String, {
    description:
      'The records as text in the format asked for. CSV has no proofs, and text that a spreadsheet would take for a ' +
      'formula begins with an apostrophe.',
  })
  content!: string;

  @Field(() => GraphQLJSONObject, { description: 'The scheme of the proofs and how to check them.' })
  proof!: object;

  @Field(() => GraphQLJSONObject, {
    description:
      'The signed receipt: `body`, `signature` (base64, Ed25519 over the RFC 8785 form) and `verifierKey`.',
  })
  receipt!: SignedReceipt;
}

@ObjectType('Disclosure', {
  description: 'A disclosure of confidential fields: requested, decided, answered.',
})
export class DisclosureType {
  @Field(() => String, { description: 'Id of the disclosure (`dsc_…`).' })
  id!: string;

  @Field(() => String, { description: 'The asset.' })
  assetId!: string;

  @Field(() => String, { description: 'The business or compliance reason.' })
  purpose!: string;

  @Field(() => DisclosureScopeType, {
    description:
      'What is asked for. It selects the records that are indexed at the moment of its authorization. Records whose ' +
      'block time the ledger does not tell are in no period.',
  })
  scope!: DisclosureScopeType;

  @Field(() => DisclosureFormatEnum, { description: 'The format asked for.' })
  format!: DisclosureFormat;

  @Field(() => DisclosureStatusEnum, { description: 'Where it stands.' })
  status!: DisclosureStatus;

  @Field(() => String, { nullable: true, description: 'The requester’s own identifier.' })
  externalReference!: string | null;

  @Field(() => GraphQLDateTimeISO, { description: 'When it was requested.' })
  requestedAt!: Date;

  @Field(() => DisclosureDecisionEnum, { nullable: true, description: 'The decision, once taken.' })
  decision!: DisclosureDecision | null;

  @Field(() => String, {
    nullable: true,
    description: 'The policy that took the decision, if one did (`dpl_…`).',
  })
  policyId!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The user who took the decision, if one did (`usr_…`).',
  })
  decidedBy!: string | null;

  @Field(() => String, { nullable: true, description: 'What the decider gave as reason.' })
  decisionReason!: string | null;

  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'When the decision was taken.' })
  decidedAt!: Date | null;

  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'When it became available or was rejected.',
  })
  resolvedAt!: Date | null;
}

export const DisclosureConnectionType = connectionType('Disclosure', () => DisclosureType);

@ObjectType('Receipt', {
  description:
    'The signed statement of what was disclosed. It has digests only, nothing of what was disclosed.',
})
export class ReceiptType {
  @Field(() => String, { description: 'Id of the receipt (`rcp_…`).' })
  id!: string;

  @Field(() => GraphQLJSONObject, {
    description: 'The statement: disclosure, digests of purpose, scope and result, decision, times.',
  })
  body!: ReceiptBody;

  @Field(() => String, { description: 'Base64 of the Ed25519 signature over the RFC 8785 form of `body`.' })
  signature!: string;

  @Field(() => String, { description: 'The organization’s key in the C2SP form `name+id+base64`.' })
  verifierKey!: string;
}

@ObjectType('DisclosureRules', {
  description: 'The bounds of a policy and what it does inside and outside them.',
})
export class DisclosureRulesType {
  @Field(() => [DisclosureFieldEnum], { description: 'Fields that may be asked for.' })
  allowedFields!: DisclosureField[];

  @Field(() => [DisclosureFormatEnum], { description: 'Formats that may be asked for.' })
  allowedFormats!: DisclosureFormat[];

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description:
      'Longest time in seconds: of an account’s scope from `from` to `to` (without both it is endless), of chosen ' +
      'records from the earliest to the latest block time. Null: no bound.',
  })
  maximumSpanSeconds!: number | null;

  @Field(() => GraphQLSafeInt, { nullable: true, description: 'Most records. Null: no bound.' })
  maximumRecords!: number | null;

  @Field(() => [String], {
    nullable: true,
    description:
      'Token accounts of which one must be the scope’s account, or the source or destination of every chosen record. ' +
      'Null: no bound.',
  })
  allowedAccounts!: string[] | null;

  @Field(() => PolicyOutcomeEnum, { description: 'What happens to a request within every bound.' })
  inside!: PolicyOutcome;

  @Field(() => PolicyOutcomeEnum, { description: 'What happens to a request that passes a bound.' })
  outside!: PolicyOutcome;
}

@ObjectType('DisclosurePolicy', {
  description: 'Rules that decide disclosures of the assets that name them.',
})
export class DisclosurePolicyType {
  @Field(() => String, { description: 'Id of the policy (`dpl_…`).' })
  id!: string;

  @Field(() => String, {
    description: 'Your own name for it: an asset’s `disclosurePolicyId` can be either.',
  })
  key!: string;

  @Field(() => String, { description: 'Display name.' })
  name!: string;

  @Field(() => DisclosureRulesType, { description: 'The rules.' })
  rules!: DisclosureRulesType;

  @Field(() => GraphQLDateTimeISO, { description: 'When it was made. A policy never changes.' })
  createdAt!: Date;
}

export const DisclosurePolicyConnectionType = connectionType('DisclosurePolicy', () => DisclosurePolicyType);

@InputType('DisclosureScopeInput', {
  description: 'Either `transactionIds`, or `account` with an optional period; both forms with `fields`.',
})
export class DisclosureScopeInputType {
  @Field(() => [String], { nullable: true, description: 'Chosen records (`txn_…`), 1 to 10,000.' })
  transactionIds?: string[] | null;

  @Field(() => String, { nullable: true, description: 'A token account, as source or destination (base58).' })
  account?: string | null;

  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'Earliest block time, inclusive.' })
  from?: Date | null;

  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'Latest block time, inclusive.' })
  to?: Date | null;

  @Field(() => [DisclosureFieldEnum], { description: 'The confidential fields, each once.' })
  fields!: DisclosureField[];
}

@InputType('RequestDisclosureInput', { description: 'A scoped disclosure to request.' })
export class RequestDisclosureInputType {
  @Field(() => String, { description: 'The asset (`ast_…`).' })
  assetId!: string;

  @Field(() => String, { description: 'The business or compliance reason, 1 to 2000 characters.' })
  purpose!: string;

  @Field(() => DisclosureScopeInputType, { description: 'Which records and fields, at most 10,000 records.' })
  scope!: DisclosureScopeInputType;

  @Field(() => DisclosureFormatEnum, { description: 'The format of the result.' })
  format!: DisclosureFormat;

  @Field(() => String, { nullable: true, description: 'Your own identifier, 1 to 256 characters.' })
  externalReference?: string | null;
}

@InputType('CreateDisclosurePolicyInput', { description: 'A disclosure policy to make.' })
export class CreateDisclosurePolicyInputType {
  @Field(() => String, {
    description: 'Your own name for it, unique: 1 to 64 letters, digits, dots, colons or hyphens.',
  })
  key!: string;

  @Field(() => String, { description: 'Display name, 1 to 128 characters.' })
  name!: string;

  @Field(() => [DisclosureFieldEnum], { description: 'Fields that may be asked for.' })
  allowedFields!: DisclosureField[];

  @Field(() => [DisclosureFormatEnum], { description: 'Formats that may be asked for.' })
  allowedFormats!: DisclosureFormat[];

  @Field(() => GraphQLSafeInt, { nullable: true, description: 'Longest time in seconds.' })
  maximumSpanSeconds?: number | null;

  @Field(() => GraphQLSafeInt, { nullable: true, description: 'Most records.' })
  maximumRecords?: number | null;

  @Field(() => [String], { nullable: true, description: 'Token accounts that may be asked about (base58).' })
  allowedAccounts?: string[] | null;

  @Field(() => PolicyOutcomeEnum, { description: 'What happens to a request within every bound.' })
  inside!: PolicyOutcome;

  @Field(() => PolicyOutcomeEnum, { description: 'What happens to a request that passes a bound.' })
  outside!: PolicyOutcome;
}
