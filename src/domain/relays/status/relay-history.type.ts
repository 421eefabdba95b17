import { GraphQLDateTimeISO, GraphQLJSONObject, GraphQLSafeInt } from 'graphql-scalars';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { connectionType } from '../../../platform/kernel/paging/connection.type.js';
import { graphqlEnum } from '../../../platform/kernel/enums/enum.type.js';
import type { JsonObject } from '../../../platform/kernel/encoding/json.js';
import { WAIT_BOUNDS, type Wait } from '../waits.js';
import type { RelayReceiptBody } from '../evidence/relay-receipt.js';
import type { AttemptOutcome } from '../relay.entity.js';
import type { RelayReason, RelayStatus } from '../relay-state.js';
import { RelayReasonEnum, RelayStatusEnum } from '../relay.type.js';

const RelayWaitEnum = graphqlEnum<Wait>(
  'RelayWait',
  'What a relay request that has not ended is waiting for.',
  Object.fromEntries(
    Object.entries(WAIT_BOUNDS).map(([wait, bound]) => [wait, `Waits for ${bound}.`]),
  ) as Record<Wait, string>,
);

@ObjectType('Relay', {
  description: 'A relay request, as shown to the organizations whose applications its package names.',
})
export class RelayType {
  @Field(() => ID, { description: 'Id of the request (`rly_…`).' })
  relayRequestId!: string;

  @Field(() => String, { description: 'The selector of the pool.' })
  poolSelector!: string;

  @Field(() => String, { description: 'The program of the pool (base58).' })
  programId!: string;

  @Field(() => String, { description: 'The SHA-256 in hex of the package’s RFC 8785 JSON.' })
  packageSha256!: string;

  @Field(() => RelayStatusEnum, { description: 'The status of the request.' })
  status!: RelayStatus;

  @Field(() => RelayReasonEnum, {
    nullable: true,
    description: 'The reason why the request ended. Null unless the status is `rejected` or `failed`.',
  })
  publicReason!: RelayReason | null;

  @Field(() => RelayWaitEnum, {
    nullable: true,
    description:
      'What the request waits for, as of its last check. Null while no transaction is signed and no end is ' +
      'known, after a change of status until the next check, after a failed check, and once the end is ' +
      'recorded.',
  })
  waitingFor!: Wait | null;

  @Field(() => Boolean, {
    description: 'Whether another attempt may be started. It can be true only if the status is `failed`.',
  })
  retryAllowed!: boolean;

  @Field(() => Int, { description: 'The number of status changes so far.' })
  sequence!: number;

  @Field(() => Int, {
    nullable: true,
    description: 'The number of the attempt, from 1. Null until the first attempt begins.',
  })
  attemptNumber!: number | null;

  @Field(() => GraphQLDateTimeISO, { description: 'When the request was accepted.' })
  createdAt!: Date;

  @Field(() => GraphQLDateTimeISO, { description: 'When the status last changed.' })
  updatedAt!: Date;
}

export const RelayConnectionType = connectionType('Relay', () => RelayType);

@ObjectType('RelayEvent', { description: 'A change of a relay’s status. It is never changed or deleted.' })
export class RelayEventType {
  @Field(() => Int, { description: 'The number of the change, from 1.' })
  sequence!: number;

  @Field(() => RelayStatusEnum, { description: 'The new status.' })
  status!: RelayStatus;

  @Field(() => RelayReasonEnum, {
    nullable: true,
    description: 'The reason. Null unless the status is `rejected` or `failed`.',
  })
  publicReason!: RelayReason | null;

  @Field(() => Int, {
    nullable: true,
    description: 'The number of the attempt that the change belongs to. Null before the first attempt.',
  })
  attemptNumber!: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'The signature of the attempt’s transaction (base58). Null until it is signed.',
  })
  transactionHash!: string | null;

  @Field(() => GraphQLJSONObject, {
    description:
      'The evidence for the change: heights, signatures, checks, and the answer of each provider (`node` is ' +
      'the name of the provider).',
  })
  evidence!: JsonObject;

  @Field(() => GraphQLDateTimeISO, { description: 'When the status changed.' })
  createdAt!: Date;
}

const RelayAttemptOutcomeEnum = graphqlEnum<AttemptOutcome>(
  'RelayAttemptOutcome',
  'The outcome of a signed transaction, as proven by finalized state.',
  {
    landed: 'The transaction landed and succeeded.',
    failed: 'The transaction landed and failed.',
    dead: 'The transaction can no longer land; `evidence` is the proof.',
  },
);

@ObjectType('RelayAttempt', { description: 'A signed transaction of a relay.' })
export class RelayAttemptType {
  @Field(() => Int, { description: 'The number of the attempt, from 1.' })
  number!: number;

  @Field(() => String, { description: 'The signature of the transaction (base58).' })
  transactionHash!: string;

  @Field(() => String, { description: 'The blockhash of the transaction (base58).' })
  blockhash!: string;

  @Field(() => GraphQLSafeInt, {
    description: 'The last block height at which the transaction can land, or a later one.',
  })
  lastValidBlockHeight!: number;

  @Field(() => GraphQLSafeInt, {
    description: 'A slot at which the blockhash was known, or a later one.',
  })
  contextSlot!: number;

  @Field(() => Int, { description: 'The maximum number of compute units that the transaction may use.' })
  computeUnits!: number;

  @Field(() => String, { description: 'The maximum fee, in lamports.' })
  feeLamports!: string;

  @Field(() => String, { description: 'The account of the relayer that pays for the transaction (base58).' })
  payer!: string;

  @Field(() => GraphQLDateTimeISO, {
    description: 'When the transaction was signed and stored, which is before it was sent to any provider.',
  })
  createdAt!: Date;

  @Field(() => RelayAttemptOutcomeEnum, {
    nullable: true,
    description: 'The proven outcome. Null until one is proven.',
  })
  outcome!: AttemptOutcome | null;

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description:
      'The evidence for the outcome. For `dead` it is the proof of expiry: the answers of each provider about ' +
      'finalized heights, signatures, nullifiers and blockhashes.',
  })
  evidence!: JsonObject | null;

  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'When the outcome was proven. Null until then.',
  })
  concludedAt!: Date | null;
}

@ObjectType('RelayReceipt', { description: 'A signed statement of the gateway about the end of a relay.' })
export class RelayReceiptType {
  @Field(() => GraphQLJSONObject, {
    description:
      'The statement: digests, times, status, reason, and the answers of each provider (`providers`).',
  })
  body!: RelayReceiptBody;

  @Field(() => String, { description: 'The Ed25519 signature over the RFC 8785 JSON of `body`, in base64.' })
  signature!: string;

  @Field(() => String, {
    description: 'The public key of the organization, in the C2SP form `name+id+base64`.',
  })
  verifierKey!: string;
}

@ObjectType('RelayHistory', { description: 'The complete history of a relay, without its package.' })
export class RelayHistoryType {
  @Field(() => RelayType, { description: 'The relay.' })
  relay!: RelayType;

  @Field(() => [RelayEventType], { description: 'All changes of the status, oldest first.' })
  events!: readonly RelayEventType[];

  @Field(() => [RelayAttemptType], { description: 'All signed transactions, oldest first.' })
  attempts!: readonly RelayAttemptType[];

  @Field(() => [RelayReceiptType], {
    description: 'One receipt for each end. A request that was retried can have several.',
  })
  receipts!: readonly RelayReceiptType[];
}
