import { GraphQLDateTimeISO, GraphQLJSONObject } from 'graphql-scalars';
import { ArgsType, Field, Int, ObjectType } from 'type-graphql';
import { connectionType } from '../kernel/connection.type.js';
import type { JsonObject } from '../kernel/json.js';

/** What narrows every log. */
@ArgsType()
export class ActivityCriteriaArgs {
  @Field(() => String, { nullable: true, description: 'Only events of this type, such as `asset.created`.' })
  eventType?: string | null;

  @Field(() => String, { nullable: true, description: 'Only what this user, API key or service did.' })
  userId?: string | null;

  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'Done at this time or later.' })
  from?: Date | null;

  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'Done at this time or earlier.' })
  to?: Date | null;
}

@ArgsType()
export class ActivityFilterArgs extends ActivityCriteriaArgs {
  @Field(() => String, {
    nullable: true,
    description: 'foreignId of an application: only its entries. Absent is the whole organization.',
  })
  application?: string | null;

  @Field(() => String, { nullable: true, description: 'Only entries of this case (`cas_…`).' })
  caseId?: string | null;
}

@ArgsType()
export class ActivityPageArgs extends ActivityFilterArgs {
  @Field(() => Int, { nullable: true, description: 'How many, 1 to 200; 50 when absent.' })
  first?: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'The cursor of the last item seen, with the same filters.',
  })
  after?: string | null;
}

@ObjectType('ActivityEntry', {
  description: 'A completed action. A personal value that was erased is its digest, `{ "sha256": … }`.',
})
export class ActivityEntryType {
  @Field(() => String, { description: 'Id (`log_…`).' })
  id!: string;

  @Field(() => Int, {
    nullable: true,
    description: 'Index in the organization’s log, from 0; null for the moment until it is sequenced.',
  })
  index!: number | null;

  @Field(() => String, { description: 'What was done, such as `asset.created`.' })
  eventType!: string;

  @Field(() => String, { nullable: true, description: 'Display name of who acted; null when it was erased.' })
  user!: string | null;

  @Field(() => String, { description: 'Id of who acted: a user, an API key, `operator` or `gateway`.' })
  userId!: string;

  @Field(() => GraphQLJSONObject, { description: 'What was acted on.' })
  object!: JsonObject;

  @Field(() => GraphQLJSONObject, { description: 'What else is to be known of this kind of event.' })
  details!: JsonObject;

  @Field(() => String, { nullable: true, description: 'foreignId of the application, where there is one.' })
  applicationForeignId!: string | null;

  @Field(() => String, { nullable: true, description: 'Id of the case, where there is one.' })
  caseId!: string | null;

  @Field(() => GraphQLDateTimeISO, { description: 'When it was done.' })
  createdAt!: Date;
}

export const ActivityConnection = connectionType('ActivityEntry', () => ActivityEntryType);

@ObjectType('ActivityAdded', { description: 'An entry that was given its place in the log.' })
export class ActivityAddedType {
  @Field(() => String, { description: 'Pass it as `after` to go on behind this entry.' })
  cursor!: string;

  @Field(() => ActivityEntryType, { description: 'The entry.' })
  entry!: ActivityEntryType;
}

@ObjectType('LogCheckpoint', {
  description: 'What the log says of itself at one size, signed: no later entry can change what it covers.',
})
export class LogCheckpointType {
  @Field(() => String, { description: 'Name of the log, and of its key.' })
  origin!: string;

  @Field(() => Int, { description: 'How many entries it covers.' })
  size!: number;

  @Field(() => String, { description: 'Root of their Merkle tree (RFC 6962), base64.' })
  rootHash!: string;

  @Field(() => String, { description: 'The signed note (C2SP tlog-checkpoint): keep it to compare later.' })
  note!: string;

  @Field(() => String, { description: 'The key that signed it (C2SP verifier key).' })
  verifierKey!: string;

  @Field(() => GraphQLDateTimeISO, { description: 'When it was signed.' })
  signedAt!: Date;
}

@ObjectType('LogInclusionProof', {
  description: 'That an entry stands in the log at its index (RFC 6962, 2.1.1).',
})
export class LogInclusionProofType {
  @Field(() => Int, { description: 'Index of the entry.' })
  index!: number;

  @Field(() => [String], { description: 'From the leaf to the root, base64.' })
  hashes!: string[];

  @Field(() => LogCheckpointType, { description: 'The checkpoint to whose root it leads.' })
  checkpoint!: LogCheckpointType;

  @Field(() => String, { description: 'All of it as a file (C2SP tlog-proof).' })
  file!: string;
}

@ObjectType('LogConsistencyProof', { description: 'That the log only grew since a size (RFC 6962, 2.1.2).' })
export class LogConsistencyProofType {
  @Field(() => Int, { description: 'Size of the older tree.' })
  from!: number;

  @Field(() => [String], { description: 'The hashes of the proof, base64.' })
  hashes!: string[];

  @Field(() => LogCheckpointType, { description: 'The newer tree.' })
  checkpoint!: LogCheckpointType;
}

@ObjectType('ErasedValues', { description: 'What was erased of a person.' })
export class ErasedValuesType {
  @Field(() => String, { description: 'Id of the user (`usr_…`).' })
  userId!: string;

  @Field(() => Int, { description: 'Entries from which values were erased.' })
  entries!: number;

  @Field(() => Int, { description: 'How many values were erased.' })
  values!: number;
}
