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
  @Field(() => Int, {
    description: 'The number of the key. The first key has 1, and each rotation or import adds 1.',
  })
  epoch!: number;

  @Field(() => String, { description: 'The ElGamal public key: standard base64 of 32 bytes.' })
  auditorElGamalPubkey!: string;

  @Field(() => GraphQLDateTimeISO, { description: 'When the key was created or imported.' })
  createdAt!: Date;

  @Field(() => Boolean, {
    description:
      'Whether the key was created elsewhere and imported. An imported key only decrypts: no asset uses it as ' +
      'its auditor key.',
  })
  imported!: boolean;

  @Field(() => Boolean, {
    description:
      'Whether the operator of the gateway allows two owners to export the key by `exportAuditorKey`.',
  })
  exportable!: boolean;
}

@ObjectType('ExportedAuditorKey', {
  description: 'An auditor key whose keypair is encrypted to age recipients.',
  simpleResolvers: true,
})
export class ExportedAuditorKeyType extends AuditorKeyType {
  @Field(() => String, {
    description:
      'The keypair as an armored age file. `age --decrypt` prints it in the format of Solana’s tools: a JSON ' +
      'array of 64 numbers, the public key followed by the secret key.',
  })
  ageFile!: string;
}

@ObjectType('AuditorKeyImportRecipient', {
  description:
    'An age recipient, to which you encrypt the auditor key that you want to import, and the token for its ' +
    'import.',
  simpleResolvers: true,
})
export class AuditorKeyImportRecipientType {
  @Field(() => String, { description: 'The age recipient (`age1…`). It is used for this import only.' })
  recipient!: string;

  @Field(() => String, {
    description: 'The token to pass to `importAuditorKey`. Only you can use it, and only once.',
  })
  token!: string;

  @Field(() => GraphQLDateTimeISO, {
    description: 'When the token expires: 15 minutes after it was created.',
  })
  expiresAt!: Date;
}

@InputType({ description: 'An auditor key that was created elsewhere.' })
export class ImportAuditorKeyInput {
  @Field(() => String, { description: 'The token from `prepareAuditorKeyImport`.' })
  token!: string;

  @Field(() => String, {
    description:
      'The ElGamal keypair as an armored age file, encrypted to the recipient of the token (`age --armor ' +
      '--recipient age1…`). The plaintext is a JSON array of 64 numbers in the format of Solana’s tools, or ' +
      'base64 of the 64 bytes of the keypair or of the 32 bytes of the secret.',
  })
  ageFile!: string;

  @Field(() => String, {
    description: 'The reason, 1 to 2000 characters. It is recorded in the activity log.',
  })
  reason!: string;
}

@InputType({ description: 'The auditor key to export, and who receives it.' })
export class ExportAuditorKeyInput {
  @Field(() => Int, { description: 'The epoch of the key.' })
  epoch!: number;

  @Field(() => [String], {
    description:
      'The age recipients who can decrypt the file, 1 to 8, such as `age1…`, as printed by `age-keygen`.',
  })
  recipients!: string[];

  @Field(() => String, {
    description: 'The reason, 1 to 2000 characters. It is recorded in the activity log.',
  })
  reason!: string;
}

const UnreadableReasonEnum = graphqlEnum<UnreadableReason>(
  'UnreadableReason',
  'The reason why your organization cannot read the amounts of a range.',
  {
    no_auditor: 'The mint had no auditor key: only the parties of a transaction can read its amount.',
    foreign_key:
      'The key does not belong to your organization: only a holder of its secret can read the amounts.',
    invalid_key:
      'The auditor key on the mint was not a valid ElGamal public key, so no amount was encrypted to it.',
  },
);

@ObjectType('AuditorKeyRange', {
  description:
    'A range of slots in which a mint had the same auditor key, as indexed from the ledger. A change of the ' +
    'key takes effect within its slot: earlier instructions of that slot belong to the previous range.',
  simpleResolvers: true,
})
export class AuditorKeyRangeType {
  @Field(() => GraphQLSafeInt, { description: 'The slot of the change that began the range.' })
  fromSlot!: number;

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'The slot of the change that ended the range. Null if no later change is indexed.',
  })
  toSlot!: number | null;

  @Field(() => String, { description: 'The signature of the transaction that set the key (base58).' })
  signature!: string;

  @Field(() => String, {
    nullable: true,
    description:
      'The ElGamal public key on the mint: standard base64 of 32 bytes. Null if the mint had no auditor key.',
  })
  auditorElGamalPubkey!: string | null;

  @Field(() => Int, {
    nullable: true,
    description: 'The epoch of the key. Null if the key does not belong to your organization.',
  })
  epoch!: number | null;

  @Field(() => Boolean, { description: 'Whether your organization can read the amounts of the range.' })
  readable!: boolean;

  @Field(() => UnreadableReasonEnum, {
    nullable: true,
    description: 'The reason why your organization cannot read the amounts. Null if it can.',
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
      'The epoch of the key to replace. If another owner has rotated the key in the meantime, the call ' +
      'fails with CONFLICT and changes nothing.',
  })
  fromEpoch?: number | null;
}

export const AuditorKeyRangeConnectionType = connectionType('AuditorKeyRange', () => AuditorKeyRangeType);
