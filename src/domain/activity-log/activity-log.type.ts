import { GraphQLDateTimeISO, GraphQLJSONObject, GraphQLSafeInt } from 'graphql-scalars';
import { ArgsType, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { connectionParts, connectionType } from '../../platform/kernel/paging/connection.type.js';
import type { JsonObject } from '../../platform/kernel/encoding/json.js';
import type { Salts } from './personal-values.js';

/** The filters that every log has. */
@ArgsType()
@InputType({ description: 'Filters of a log.' })
export class ActivityCriteria {
  @Field(() => String, { nullable: true, description: 'Only events of this type, such as `asset.created`.' })
  eventType?: string | null;

  @Field(() => ID, { nullable: true, description: 'Only actions of this user, API key or service.' })
  userId?: string | null;

  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'Only actions at this time or later.' })
  from?: Date | null;

  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'Only actions at this time or earlier.' })
  to?: Date | null;
}

const FOREIGN_ID = 'Only entries of this application. By default the entries of the whole organization.';

@ArgsType()
@InputType({ description: 'A log, and filters of its entries.' })
export class ActivityFilterArguments extends ActivityCriteria {
  @Field(() => String, { nullable: true, description: FOREIGN_ID })
  foreignId?: string | null;

  @Field(() => ID, { nullable: true, description: 'Only entries of this case (`cas_…`).' })
  caseId?: string | null;

  @Field(() => ID, {
    nullable: true,
    description:
      'Only entries about the object with this id: an asset, a case, a request, a disclosure, a policy, a ' +
      'relay, a member, a report, an invitation, an API key, a session, an address or a foreignId.',
  })
  objectId?: string | null;
}

@ObjectType('LogActor', {
  description: 'A user, API key or service that acted in a log.',
  simpleResolvers: true,
})
export class LogActorType {
  @Field(() => ID, {
    description:
      'Id of the user or API key, or `operator` or `gateway`. Pass it as `userId` to `activityLog`.',
  })
  id!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The name of the actor in the newest entry. Null if it was erased.',
  })
  name!: string | null;
}

export const LogActorConnection = connectionType('LogActor', () => LogActorType);

@InputType('ExportActivityLogInput', { description: 'Filters that select the entries to export.' })
export class ExportActivityLogInputType extends ActivityFilterArguments {}

@ArgsType()
export class LogExportPartArguments extends ActivityFilterArguments {
  @Field(() => String, { description: 'The cursor of the export, or the `nextCursor` of the part before.' })
  after!: string;
}

@ObjectType('LogExportPart', { description: 'A part of an export of a log.', simpleResolvers: true })
export class LogExportPartType {
  @Field(() => String, {
    description:
      'A piece of the file. The pieces of all parts, in order, make the file that `lucarne log verify` reads.',
  })
  text!: string;

  @Field(() => Int, { description: 'The number of entries in `text`.' })
  entries!: number;

  @Field(() => Int, {
    description:
      'The number of entries of the organization’s log that this part and the parts before it covered, of the ' +
      '`size` of the checkpoint.',
  })
  covered!: number;

  @Field(() => String, {
    nullable: true,
    description: 'Pass it as `after` to read the next part. Null for the last part.',
  })
  nextCursor!: string | null;
}

@ArgsType()
export class FollowActivityArguments {
  @Field(() => String, { nullable: true, description: FOREIGN_ID })
  foreignId?: string | null;

  @Field(() => String, { nullable: true, description: 'Send entries after this cursor of the subscription.' })
  after?: string | null;
}

@ObjectType('LoggedEntry', { description: 'An entry as it was hashed into the Merkle log, with its proof.' })
export class LoggedEntryType {
  @Field(() => String, {
    description:
      'The RFC 8785 JSON of the leaf. Each personal value is replaced by `{ "sha256": … }`, the digest of a ' +
      '16-byte salt and the value.',
  })
  entry!: string;

  @Field(() => GraphQLJSONObject, {
    description:
      'The personal values and their salts: an object that maps each JSON pointer into `entry` to `{ salt, ' +
      'value }`, where the salt is in base64.',
  })
  salts!: Salts;

  @Field(() => [String], {
    description: 'The hashes from the leaf to the root (RFC 6962, 2.1.1), each in base64.',
  })
  inclusion!: readonly string[];
}

@ObjectType('ActivityEntry', {
  description:
    'A completed action. If personal values were erased, each is replaced by its digest, `{ "sha256": … }`.',
})
export class ActivityEntryType {
  @Field(() => ID, { description: 'Id of the entry (`log_…`).' })
  id!: string;

  @Field(() => Int, {
    nullable: true,
    description:
      'The index of the entry in the organization’s log, from 0. Null until the entry is sequenced, which ' +
      'takes about a second.',
  })
  index!: number | null;

  @Field(() => String, { description: 'The type of the action, such as `asset.created`.' })
  eventType!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The display name of the actor. Null if it was erased.',
  })
  user!: string | null;

  @Field(() => ID, {
    description: 'Id of the actor: a user (`usr_…`), an API key (`key_…`), `operator` or `gateway`.',
  })
  userId!: string;

  @Field(() => GraphQLJSONObject, {
    description: 'The object of the action. Its members depend on the event type.',
  })
  object!: JsonObject;

  @Field(() => GraphQLJSONObject, {
    description: 'More data about the action. Its members depend on the event type.',
  })
  details!: JsonObject;

  @Field(() => String, {
    nullable: true,
    description: 'The foreignId of the application that the action belongs to. Null if there is none.',
  })
  foreignId!: string | null;

  @Field(() => ID, {
    nullable: true,
    description: 'Id of the case that the action belongs to. Null if there is none.',
  })
  caseId!: string | null;

  @Field(() => GraphQLDateTimeISO, { description: 'When the action was completed.' })
  createdAt!: Date;

  @Field(() => LoggedEntryType, {
    nullable: true,
    description:
      'The entry as it was hashed into the Merkle log, with its proof for a `checkpoint`. Null until the entry ' +
      'is sequenced, and in subscriptions.',
  })
  logged?: LoggedEntryType | null;
}

@ObjectType('ActivityAdded', { description: 'An entry of the activity log that was sequenced.' })
export class ActivityAddedType {
  @Field(() => String, { description: 'Pass it as `after` to receive the entries after this one.' })
  cursor!: string;

  @Field(() => ActivityEntryType, { description: 'The entry.' })
  entry!: ActivityEntryType;
}

@ObjectType('LogKeyChange', {
  description: 'A log entry that changed which keys sign the log, with its proof.',
  simpleResolvers: true,
})
export class LogKeyChangeType {
  @Field(() => Int, { description: 'The index of the entry, from 0.' })
  index!: number;

  @Field(() => String, {
    description:
      'The RFC 8785 JSON of the leaf. `details.statement` is a signed note (C2SP). For a rotation, the old and ' +
      'the new key signed it; for a compromise, the current key signed it.',
  })
  entry!: string;

  @Field(() => [String], {
    description: 'The hashes from the leaf to the root (RFC 6962, 2.1.1), each in base64.',
  })
  inclusion!: readonly string[];
}

@ObjectType('LogSigningKey', {
  description: 'A current or earlier key that signs the activity log and the receipts of your organization.',
  simpleResolvers: true,
})
export class LogSigningKeyType {
  @Field(() => Int, { description: 'The number of the key. The first key has 1, and each rotation adds 1.' })
  epoch!: number;

  @Field(() => String, { description: 'The verifier key (C2SP). Its name is the name of the log.' })
  verifierKey!: string;

  @Field(() => String, {
    nullable: true,
    description:
      'The store that holds the key: `pkcs11`, `vault`, `aws-kms` or `gcp-kms`. Null if the key is encrypted ' +
      'in the database.',
  })
  store!: string | null;

  @Field(() => GraphQLDateTimeISO, { description: 'When the key was created.' })
  createdAt!: Date;

  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'Until when a replaced key also signs checkpoints. Null for the current key.',
  })
  cosignsUntil!: Date | null;

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description:
      'The index of the first log entry for which the key is declared compromised. Refuse a checkpoint ' +
      'that covers this entry and that only this key signed. Null if the key is not declared compromised.',
  })
  compromisedFrom!: number | null;
}

@ObjectType('LogCheckpoint', {
  description:
    'A signed statement of the content of the log at one size. Later entries do not change the entries that ' +
    'it covers.',
})
export class LogCheckpointType {
  @Field(() => String, { description: 'The name of the log and of its key.' })
  origin!: string;

  @Field(() => Int, { description: 'The number of entries that the checkpoint covers.' })
  size!: number;

  @Field(() => String, {
    description: 'The root hash of the Merkle tree of the covered entries (RFC 6962), in base64.',
  })
  rootHash!: string;

  @Field(() => String, {
    description: 'The signed note (C2SP tlog-checkpoint). Keep it, to compare it with later checkpoints.',
  })
  note!: string;

  @Field(() => String, {
    description:
      'The verifier key (C2SP) that was current when the checkpoint was signed. Replaced keys may also have ' +
      'signed it.',
  })
  verifierKey!: string;

  @Field(() => GraphQLDateTimeISO, { description: 'When the checkpoint was signed.' })
  signedAt!: Date;
}

@ObjectType('LogExport', {
  description: 'An export of a log that was started. Read its parts with `logExportPart`.',
})
export class LogExportType {
  @Field(() => LogCheckpointType, {
    description:
      'The checkpoint to whose root the proofs in the file lead. The file has as many entries as the checkpoint ' +
      'covers, or fewer for an application or with filters.',
  })
  checkpoint!: LogCheckpointType;

  @Field(() => String, { description: 'Pass it as `after` to `logExportPart` to read the first part.' })
  cursor!: string;
}

const CONNECTION = 'ActivityEntry';

@ObjectType(`${CONNECTION}Connection`, {
  description: `A page of ${CONNECTION} items.`,
  simpleResolvers: true,
})
export class ActivityConnection extends connectionParts(CONNECTION, () => ActivityEntryType) {
  @Field(() => LogCheckpointType, {
    simple: false,
    nullable: true,
    description:
      'The checkpoint to whose root the proofs of `logged` lead. Null until the log has its first checkpoint.',
  })
  checkpoint!: LogCheckpointType | null;
}

@ObjectType('LogInclusionProof', {
  description: 'A proof that an entry is in the log at its index (RFC 6962, 2.1.1).',
})
export class LogInclusionProofType {
  @Field(() => Int, { description: 'The index of the entry, from 0.' })
  index!: number;

  @Field(() => [String], { description: 'The hashes from the leaf to the root, each in base64.' })
  hashes!: string[];

  @Field(() => LogCheckpointType, { description: 'The checkpoint whose root hash the proof leads to.' })
  checkpoint!: LogCheckpointType;

  @Field(() => String, { description: 'The proof as a file (C2SP tlog-proof).' })
  file!: string;
}

@ObjectType('LogConsistencyProof', {
  description:
    'A proof that the log at the newer checkpoint contains the log at the older one unchanged (RFC 6962, ' +
    '2.1.2).',
})
export class LogConsistencyProofType {
  @Field(() => Int, { description: 'The size of the older checkpoint.' })
  from!: number;

  @Field(() => [String], { description: 'The hashes of the proof, each in base64.' })
  hashes!: string[];

  @Field(() => LogCheckpointType, { description: 'The newer checkpoint.' })
  checkpoint!: LogCheckpointType;
}
