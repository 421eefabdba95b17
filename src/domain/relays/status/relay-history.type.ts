import { GraphQLDateTimeISO, GraphQLJSONObject, GraphQLSafeInt } from 'graphql-scalars';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { connectionType } from '../../../platform/kernel/paging/connection.type.js';
import { graphqlEnum } from '../../../platform/kernel/enums/enum.type.js';
import type { JsonObject } from '../../../platform/kernel/encoding/json.js';
import { WAIT_BOUNDS, type Wait } from '../evidence/waits.js';
import type { RelayReceiptBody } from '../evidence/relay-receipt.js';
import type { AttemptOutcome } from '../relay.entity.js';
import type { RelayReason, RelayStatus } from './relay-state.js';
import { RelayReasonEnum, RelayStatusEnum } from '../relay.type.js';

const RelayWaitEnum = graphqlEnum<Wait>(
  'RelayWait',
  'What a relay request that has not ended waits for.',
  Object.fromEntries(
    Object.entries(WAIT_BOUNDS).map(([wait, bound]) => [wait, `Waits for ${bound}.`]),
  ) as Record<Wait, string>,
);

@ObjectType('Relay', {
  description: 'A relay request as shown to the organizations whose applications its package names.',
})
export class RelayType {
  @Field(() => ID, { description: 'Id of the request (`rly_…`).' })
  relayRequestId!: string;

  @Field(() => String, { description: 'Selector of the pool.' })
  poolSelector!: string;

  @Field(() => String, { description: 'Program of the pool (base58).' })
  programId!: string;

  @Field(() => String, { description: 'SHA-256 of the package’s RFC 8785 form, hex.' })
  packageSha256!: string;

  @Field(() => RelayStatusEnum, { description: 'The status.' })
  status!: RelayStatus;

  @Field(() => RelayReasonEnum, {
    nullable: true,
    description: 'Why the request ended. Null unless `rejected` or `failed`.',
  })
  publicReason!: RelayReason | null;

  @Field(() => RelayWaitEnum, {
    nullable: true,
    description:
      'What the request waits for, as of its last check. Null while nothing is signed and no end is known, after each change of status until the next check, if the last check failed, and after the end is recorded.',
  })
  waitingFor!: Wait | null;

  @Field(() => Boolean, {
    description: 'Whether another attempt may be started. Only ever true for `failed`.',
  })
  retryAllowed!: boolean;

  @Field(() => Int, { description: 'Number of status changes.' })
  sequence!: number;

  @Field(() => Int, {
    nullable: true,
    description: 'Number of the attempt, from 1. Null until the first attempt begins.',
  })
  attemptNumber!: number | null;

  @Field(() => GraphQLDateTimeISO, { description: 'When the request was accepted.' })
  createdAt!: Date;

  @Field(() => GraphQLDateTimeISO, { description: 'When the status changed last.' })
  updatedAt!: Date;
}

export const RelayConnectionType = connectionType('Relay', () => RelayType);

@ObjectType('RelayEvent', { description: 'A change of a relay’s status. It is never changed or deleted.' })
export class RelayEventType {
  @Field(() => Int, { description: 'Number of the change, from 1.' })
  sequence!: number;

  @Field(() => RelayStatusEnum, { description: 'The new status.' })
  status!: RelayStatus;

  @Field(() => RelayReasonEnum, {
    nullable: true,
    description: 'The reason. Null unless `rejected` or `failed`.',
  })
  publicReason!: RelayReason | null;

  @Field(() => Int, { nullable: true, description: 'Number of the attempt that the change belongs to.' })
  attemptNumber!: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'Signature of the attempt’s transaction (base58). Null until it is signed.',
  })
  transactionHash!: string | null;

  @Field(() => GraphQLJSONObject, {
    description:
      'The evidence for the change: heights, signatures, checks, and what each provider answered (`node` is its name).',
  })
  evidence!: JsonObject;

  @Field(() => GraphQLDateTimeISO, { description: 'When the status changed.' })
  createdAt!: Date;
}

const RelayAttemptOutcomeEnum = graphqlEnum<AttemptOutcome>(
  'RelayAttemptOutcome',
  'What finalized state says about a signed transaction.',
  {
    landed: 'It landed and succeeded.',
    failed: 'It landed and failed.',
    dead: 'It is proven that it can never land: `evidence` is the proof.',
  },
);

@ObjectType('RelayAttempt', { description: 'A transaction that was signed for a relay.' })
export class RelayAttemptType {
  @Field(() => Int, { description: 'Number of the attempt, from 1.' })
  number!: number;

  @Field(() => String, { description: 'Signature of the transaction (base58).' })
  transactionHash!: string;

  @Field(() => String, { description: 'Blockhash of the transaction (base58).' })
  blockhash!: string;

  @Field(() => GraphQLSafeInt, { description: 'The transaction cannot land in a block higher than this.' })
  lastValidBlockHeight!: number;

  @Field(() => GraphQLSafeInt, {
    description: 'The confirmed slot as of which a provider gave the blockhash.',
  })
  contextSlot!: number;

  @Field(() => Int, { description: 'Maximum number of compute units that the transaction may use.' })
  computeUnits!: number;

  @Field(() => String, { description: 'Maximum fee, in lamports.' })
  feeLamports!: string;

  @Field(() => String, { description: 'The account of the relayer that pays for it (base58).' })
  payer!: string;

  @Field(() => GraphQLDateTimeISO, {
    description: 'When it was signed and stored, before any provider saw it.',
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
      'The evidence for the outcome. With `dead` it is the proof of expiry: what each provider answered about ' +
      'finalized heights, signatures, nullifiers and blockhashes.',
  })
  evidence!: JsonObject | null;

  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'When the outcome was proven.' })
  concludedAt!: Date | null;
}

@ObjectType('RelayReceipt', { description: 'The gateway’s signed statement about the end of a relay.' })
export class RelayReceiptType {
  @Field(() => GraphQLJSONObject, {
    description: 'The statement: digests, times, status, reason, and what each provider said (`providers`).',
  })
  body!: RelayReceiptBody;

  @Field(() => String, { description: 'Ed25519 signature over the RFC 8785 form of `body`, base64.' })
  signature!: string;

  @Field(() => String, { description: 'The organization’s key in C2SP’s form, `name+id+base64`.' })
  verifierKey!: string;
}

@ObjectType('RelayHistory', { description: 'The full history of a relay, without the package.' })
export class RelayHistoryType {
  @Field(() => RelayType, { description: 'The relay.' })
  relay!: RelayType;

  @Field(() => [RelayEventType], { description: 'Every change of its status, oldest first.' })
  events!: readonly RelayEventType[];

  @Field(() => [RelayAttemptType], { description: 'Every signed transaction, oldest first.' })
  attempts!: readonly RelayAttemptType[];

  @Field(() => [RelayReceiptType], { description: 'A receipt for each end; a retried request has several.' })
  receipts!: readonly RelayReceiptType[];
}
