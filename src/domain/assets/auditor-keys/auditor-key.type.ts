import { GraphQLDateTimeISO, GraphQLSafeInt } from 'graphql-scalars';
import { Field, InputType, Int, ObjectType } from 'type-graphql';
import { graphqlEnum } from '../../../platform/kernel/enums/enum.type.js';
import { connectionType } from '../../../platform/kernel/paging/connection.type.js';
import type { UnreadableReason } from './auditor-key-coverage.js';

@ObjectType('AuditorKey', {
  description:
    'An auditor key of your organization. Its secret leaves the gateway only by `exportAuditorKey`.',
  simpleResolvers: true,
})
export class AuditorKeyType {
  @Field(() => Int, { description: 'Number of the key: 1 is the first, and each rotation adds 1.' })
  epoch!: number;

  @Field(() => String, { description: 'The ElGamal public key: standard base64 of 32 bytes.' })
  auditorElGamalPubkey!: string;

  @Field(() => GraphQLDateTimeISO, { description: 'When the key was made, or imported.' })
  createdAt!: Date;

  @Field(() => Boolean, {
    description:
      'Whether the key was made elsewhere and imported. It reads what was encrypted to it; no asset shows it.',
  })
  imported!: boolean;

  @Field(() => Boolean, {
    description: 'Whether the operator of the gateway allows two owners to export it by `exportAuditorKey`.',
  })
  exportable!: boolean;
}

@ObjectType('ExportedAuditorKey', {
  description: 'An auditor key, with its keypair encrypted to those who receive it.',
  simpleResolvers: true,
})
export class ExportedAuditorKeyType extends AuditorKeyType {
  @Field(() => String, {
    description:
      'An armored age file. `age --decrypt` gives the ElGamal keypair as Solana’s tools write it: a JSON array of 64 numbers, ' +
      'the public key and the secret.',
  })
  ageFile!: string;
}

@ObjectType('AuditorKeyImportRecipient', {
  description: 'What you encrypt a keypair to, to import it.',
  simpleResolvers: true,
})
export class AuditorKeyImportRecipientType {
  @Field(() => String, { description: 'An age recipient of this import alone (`age1…`).' })
  recipient!: string;

  @Field(() => String, {
    description: 'The token to pass to `importAuditorKey`. Only you can use it, for one key.',
  })
  token!: string;

  @Field(() => GraphQLDateTimeISO, { description: 'When the token expires, 15 minutes after it was made.' })
  expiresAt!: Date;
}

@InputType({ description: 'An auditor key that was made elsewhere.' })
export class ImportAuditorKeyInput {
  @Field(() => String, { description: 'The token of `prepareAuditorKeyImport`.' })
  token!: string;

  @Field(() => String, {
    description:
      'The ElGamal keypair as an armored age file, encrypted to the recipient of the token (`age --armor --recipient age1…`). ' +
      'Inside: a JSON array of 64 numbers, as Solana’s tools write it, or base64 of 64 bytes, or of the 32 bytes of its secret.',
  })
  ageFile!: string;

  @Field(() => String, {
    description: 'The reason, 1 to 2000 characters. It is recorded in the activity log.',
  })
  reason!: string;
}

@InputType({ description: 'An export of an auditor key.' })
export class ExportAuditorKeyInput {
  @Field(() => Int, { description: 'The epoch of the key.' })
  epoch!: number;

  @Field(() => [String], {
    description:
      'Who can decrypt the file: 1 to 8 age recipients, such as `age1…`, as `age-keygen` prints them.',
  })
  recipients!: string[];

  @Field(() => String, {
    description: 'The reason, 1 to 2000 characters. It is recorded in the activity log.',
  })
  reason!: string;
}

const UnreadableReasonEnum = graphqlEnum<UnreadableReason>(
  'UnreadableReason',
  'Why your organization cannot read the amounts of a range.',
  {
    no_auditor: 'The mint had no auditor key: nobody but the parties can ever read the amounts.',
    foreign_key:
      'The key does not belong to your organization: only a holder of its secret can read the amounts.',
    invalid_key:
      'The auditor key on the mint was not a valid ElGamal public key: no amount can be encrypted to it.',
  },
);

@ObjectType('AuditorKeyRange', {
  description:
    'The auditor key that a mint had, from one change of it to the next, as indexed from the ledger. A change takes effect ' +
    'within its slot: earlier instructions of that slot belong to the range before.',
  simpleResolvers: true,
})
export class AuditorKeyRangeType {
  @Field(() => GraphQLSafeInt, { description: 'Slot of the change that began the range.' })
  fromSlot!: number;

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'Slot of the change that ended it. Null when no later change is indexed.',
  })
  toSlot!: number | null;

  @Field(() => String, { description: 'Signature of the transaction that put the key on the mint.' })
  signature!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The ElGamal public key on the mint: standard base64 of 32 bytes. Null: none.',
  })
  auditorElGamalPubkey!: string | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Epoch of the key. Null when it is not a key of your organization.',
  })
  epoch!: number | null;

  @Field(() => Boolean, { description: 'Whether your organization can read the amounts of the range.' })
  readable!: boolean;

  @Field(() => UnreadableReasonEnum, {
    nullable: true,
    description: 'Why your organization cannot read the amounts. Null when it can.',
  })
  reason!: UnreadableReason | null;
}

@InputType({ description: 'A rotation of the auditor key.' })
export class RotateAuditorKeyInput {
  @Field(() => String, {
    description: 'The reason, 1 to 2000 characters. It is recorded in the activity log.',
  })
  reason!: string;

  @Field(() => Int, {
    nullable: true,
    description:
      'The epoch that you rotate from. When another owner has rotated since, the answer is a CONFLICT and nothing changes.',
  })
  fromEpoch?: number | null;
}

export const AuditorKeyRangeConnectionType = connectionType('AuditorKeyRange', () => AuditorKeyRangeType);
