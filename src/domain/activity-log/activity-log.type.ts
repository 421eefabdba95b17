import { GraphQLDateTimeISO, GraphQLJSONObject, GraphQLSafeInt } from 'graphql-scalars';
import { ArgsType, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { connectionParts, connectionType } from '../../platform/kernel/paging/connection.type.js';
import type { JsonObject } from '../../platform/kernel/encoding/json.js';
import type { Salts } from './personal-values.js';

/** What narrows every log. */
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
      'Only entries whose `object` has this id: of an asset, a case, a request, a disclosure, a policy, a relay, a member, ' +
      'a report, an invitation, an API key or a session, an address, or a foreignId.',
  })
  objectId?: string | null;
}

@ObjectType('LogActor', { description: 'Who acted in a log.', simpleResolvers: true })
export class LogActorType {
  @Field(() => ID, {
    description: 'Id of a user or an API key, `operator` or `gateway`: see `activityLog(userId)`.',
  })
  id!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Name, as the newest entry has it. Null when it was erased.',
  })
  name!: string | null;
}

export const LogActorConnection = connectionType('LogActor', () => LogActorType);

@InputType('ExportActivityLogInput', { description: 'The entries to export.' })
export class ExportActivityLogInputType extends ActivityFilterArguments {}

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
      'RFC 8785 JSON of the leaf. A personal value is the digest `{ "sha256": … }` of a salt of 16 bytes and the value.',
  })
  entry!: string;

  @Field(() => GraphQLJSONObject, {
    description: 'By JSON pointer into `entry`: `{ salt, value }`, the base64 salt and the personal value.',
  })
  salts!: Salts;

  @Field(() => [String], { description: 'Hashes from the leaf to the root (RFC 6962, 2.1.1), base64.' })
  inclusion!: readonly string[];
}

@ObjectType('ActivityEntry', {
  description: 'A completed action. An erased personal value is replaced by its digest, `{ "sha256": … }`.',
})
export class ActivityEntryType {
  @Field(() => ID, { description: 'Id (`log_…`).' })
  id!: string;

  @Field(() => Int, {
    nullable: true,
    description:
      'Index in the organization’s log, from 0. Null until the entry is sequenced, which takes about a second.',
  })
  index!: number | null;

  @Field(() => String, { description: 'What was done, such as `asset.created`.' })
  eventType!: string;

  @Field(() => String, { nullable: true, description: 'Display name of the actor; null when it was erased.' })
  user!: string | null;

  @Field(() => ID, { description: 'Id of the actor: a user, an API key, `operator` or `gateway`.' })
  userId!: string;

  @Field(() => GraphQLJSONObject, { description: 'What was acted on. Its members depend on the event type.' })
  object!: JsonObject;

  @Field(() => GraphQLJSONObject, {
    description: 'More about the action. Its members depend on the event type.',
  })
  details!: JsonObject;

  @Field(() => String, { nullable: true, description: 'Public name of the application, if there is one.' })
  foreignId!: string | null;

  @Field(() => ID, { nullable: true, description: 'Id of the case, if there is one.' })
  caseId!: string | null;

  @Field(() => GraphQLDateTimeISO, { description: 'When it was done.' })
  createdAt!: Date;

  @Field(() => LoggedEntryType, {
    nullable: true,
    description:
      'The entry as it stands in the Merkle log, proven under the `checkpoint` of the page. Null until the entry is ' +
      'sequenced, and in subscriptions, which have no page.',
  })
  logged?: LoggedEntryType | null;
}

@ObjectType('ActivityAdded', { description: 'An entry that was sequenced.' })
export class ActivityAddedType {
  @Field(() => String, { description: 'Pass it as `after` to receive the entries after this one.' })
  cursor!: string;

  @Field(() => ActivityEntryType, { description: 'The entry.' })
  entry!: ActivityEntryType;
}

@ObjectType('LogKeyChange', {
  description: 'An entry of the log that changed which keys sign it, with its proof.',
  simpleResolvers: true,
})
export class LogKeyChangeType {
  @Field(() => Int, { description: 'Index of the entry.' })
  index!: number;

  @Field(() => String, {
    description:
      'RFC 8785 JSON of the leaf. `details.statement` is a signed note (C2SP): of a rotation by the old and the new key, of a ' +
      'compromise by the key in use.',
  })
  entry!: string;

  @Field(() => [String], { description: 'Hashes from the leaf to the root (RFC 6962, 2.1.1), base64.' })
  inclusion!: readonly string[];
}

@ObjectType('LogSigningKey', {
  description: 'A key that signs the activity log and the receipts of your organization, or did.',
  simpleResolvers: true,
})
export class LogSigningKeyType {
  @Field(() => Int, { description: 'Number of the key: 1 is the first, and each rotation adds 1.' })
  epoch!: number;

  @Field(() => String, { description: 'The key (C2SP verifier key), named after the log.' })
  verifierKey!: string;

  @Field(() => String, {
    nullable: true,
    description:
      'The store that keeps the key: `pkcs11`, `vault`, `aws-kms` or `gcp-kms`. Null where it is sealed in the database.',
  })
  store!: string | null;

  @Field(() => GraphQLDateTimeISO, { description: 'When the key was made.' })
  createdAt!: Date;

  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'Until when a replaced key also signs checkpoints. Null for the key in use.',
  })
  cosignsUntil!: Date | null;

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description:
      'From this index of the log on, the key is declared compromised: refuse larger checkpoints that only it signed.',
  })
  compromisedFrom!: number | null;
}

@ObjectType('LogCheckpoint', {
  description: 'A signed statement of what the log holds at one size. No later entry changes what it covers.',
})
export class LogCheckpointType {
  @Field(() => String, { description: 'Name of the log, and of its key.' })
  origin!: string;

  @Field(() => Int, { description: 'Number of entries that it covers.' })
  size!: number;

  @Field(() => String, { description: 'Root of the Merkle tree of these entries (RFC 6962), base64.' })
  rootHash!: string;

  @Field(() => String, {
    description: 'The signed note (C2SP tlog-checkpoint). Keep it to compare later ones.',
  })
  note!: string;

  @Field(() => String, {
    description:
      'The key that was in use when it was signed (C2SP verifier key). Replaced keys may also have signed it.',
  })
  verifierKey!: string;

  @Field(() => GraphQLDateTimeISO, { description: 'When it was signed.' })
  signedAt!: Date;
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
  description: 'Proves that an entry is in the log at its index (RFC 6962, 2.1.1).',
})
export class LogInclusionProofType {
  @Field(() => Int, { description: 'Index of the entry.' })
  index!: number;

  @Field(() => [String], { description: 'Hashes from the leaf to the root, base64.' })
  hashes!: string[];

  @Field(() => LogCheckpointType, { description: 'The checkpoint whose root the proof leads to.' })
  checkpoint!: LogCheckpointType;

  @Field(() => String, { description: 'The proof as a file (C2SP tlog-proof).' })
  file!: string;
}

@ObjectType('LogConsistencyProof', {
  description: 'Proves that the log only grew since an older checkpoint (RFC 6962, 2.1.2).',
})
export class LogConsistencyProofType {
  @Field(() => Int, { description: 'Size of the older checkpoint.' })
  from!: number;

  @Field(() => [String], { description: 'Hashes of the proof, base64.' })
  hashes!: string[];

  @Field(() => LogCheckpointType, { description: 'The newer checkpoint.' })
  checkpoint!: LogCheckpointType;
}

@ObjectType('ErasedValues', { description: 'What was erased of a person.' })
export class ErasedValuesType {
  @Field(() => ID, { description: 'Id of the user (`usr_…`).' })
  userId!: string;

  @Field(() => Int, { description: 'Number of entries from which values were erased.' })
  entries!: number;

  @Field(() => Int, { description: 'Number of values that were erased.' })
  values!: number;
}
