import { GraphQLDateTimeISO, GraphQLJSONObject, GraphQLSafeInt } from 'graphql-scalars';
import { Field, Int, ObjectType, registerEnumType } from 'type-graphql';
import { connectionType } from '../kernel/connection.type.js';
import type { JsonObject } from '../kernel/json.js';
import type { RelayReceiptBody } from './record-end.js';
import type { AttemptOutcome } from './relay.entity.js';
import type { RelayReason, RelayStatus } from './relay-state.js';
import { RelayReasonEnum, RelayStatusEnum } from './relay.type.js';

@ObjectType('Relay', {
  description: 'A relay request as the organizations see it whose applications its package names.',
})
export class RelayType {
  @Field(() => String, { description: 'Id of the request (`rly_…`).' })
  id!: string;

  @Field(() => String, { description: 'The pool, as the package names it.' })
  poolSelector!: string;

  @Field(() => String, { description: 'The program of the pool (base58).' })
  programId!: string;

  @Field(() => String, { description: 'SHA-256 of the package’s RFC 8785 form, hex.' })
  packageSha256!: string;

  @Field(() => RelayStatusEnum, { description: 'Where it stands.' })
  status!: RelayStatus;

  @Field(() => RelayReasonEnum, { nullable: true, description: 'Why; null unless `rejected` or `failed`.' })
  reason!: RelayReason | null;

  @Field(() => Int, { description: 'How many changes of status there were.' })
  sequence!: number;

  @Field(() => Int, { nullable: true, description: 'The attempt, from 1; null until the first one begins.' })
  attemptNumber!: number | null;

  @Field(() => GraphQLDateTimeISO, { description: 'When it was taken on.' })
  createdAt!: Date;

  @Field(() => GraphQLDateTimeISO, { description: 'When its status changed last.' })
  updatedAt!: Date;
}

export const RelayConnectionType = connectionType('Relay', () => RelayType);

@ObjectType('RelayEvent', { description: 'A change of a relay’s status. It never changes itself.' })
export class RelayEventType {
  @Field(() => Int, { description: 'Its place among the changes, from 1.' })
  sequence!: number;

  @Field(() => RelayStatusEnum, { description: 'What the status became.' })
  status!: RelayStatus;

  @Field(() => RelayReasonEnum, { nullable: true, description: 'Why; null unless `rejected` or `failed`.' })
  reason!: RelayReason | null;

  @Field(() => Int, { nullable: true, description: 'The attempt that it belongs to.' })
  attemptNumber!: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'Signature of the attempt’s transaction (base58), where one was signed by then.',
  })
  transactionHash!: string | null;

  @Field(() => GraphQLJSONObject, {
    description: 'What the change rests on: heights, signatures, checks, what each provider answered.',
  })
  evidence!: JsonObject;

  @Field(() => GraphQLDateTimeISO, { description: 'When it was.' })
  createdAt!: Date;
}

const OUTCOMES = ['landed', 'failed', 'dead'] as const satisfies readonly AttemptOutcome[];
export const RelayAttemptOutcomeEnum = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, outcome]));
registerEnumType(RelayAttemptOutcomeEnum, {
  name: 'RelayAttemptOutcome',
  description: 'What finalized state says of a signed transaction.',
  valuesConfig: {
    landed: { description: 'It landed and did what it says.' },
    failed: { description: 'It landed and failed.' },
    dead: { description: 'It is proven that it can never land: `evidence` is the proof.' },
  },
});

@ObjectType('RelayAttempt', { description: 'A transaction that was signed for a relay.' })
export class RelayAttemptType {
  @Field(() => Int, { description: 'The attempt, from 1.' })
  number!: number;

  @Field(() => String, { description: 'Its signature (base58).' })
  transactionHash!: string;

  @Field(() => String, { description: 'Its blockhash (base58).' })
  blockhash!: string;

  @Field(() => GraphQLSafeInt, { description: 'It cannot land in a block higher than this.' })
  lastValidBlockHeight!: number;

  @Field(() => GraphQLSafeInt, { description: 'The slot of the node that gave the blockhash.' })
  contextSlot!: number;

  @Field(() => Int, { description: 'The compute units that it may use.' })
  computeUnits!: number;

  @Field(() => String, { description: 'What it costs at most, in lamports.' })
  feeLamports!: string;

  @Field(() => GraphQLDateTimeISO, { description: 'When it was signed and stored, before any node saw it.' })
  createdAt!: Date;

  @Field(() => RelayAttemptOutcomeEnum, { nullable: true, description: 'Null: nothing is proven of it yet.' })
  outcome!: AttemptOutcome | null;

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description:
      'What the outcome rests on. With `dead` the proof of death: finalized heights past the last valid one, the ' +
      'signatures searched for behind them, the nullifiers absent, and what each provider answered.',
  })
  evidence!: JsonObject | null;

  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'When the outcome was known.' })
  concludedAt!: Date | null;
}

@ObjectType('RelayReceipt', { description: 'What the gateway states of the end of a relay, signed.' })
export class RelayReceiptType {
  @Field(() => GraphQLJSONObject, { description: 'The statement: digests, times, status and reason.' })
  body!: RelayReceiptBody;

  @Field(() => String, { description: 'Ed25519 over the RFC 8785 form of `body`, base64.' })
  signature!: string;

  @Field(() => String, { description: 'The organization’s key in C2SP’s form, `name+id+base64`.' })
  verifierKey!: string;
}

@ObjectType('RelayHistory', { description: 'Everything that is known of a relay, but the package.' })
export class RelayHistoryType {
  @Field(() => RelayType, { description: 'The relay.' })
  relay!: RelayType;

  @Field(() => [RelayEventType], { description: 'Every change of its status, the first one first.' })
  events!: readonly RelayEventType[];

  @Field(() => [RelayAttemptType], { description: 'Every transaction that was signed, the first one first.' })
  attempts!: readonly RelayAttemptType[];

  @Field(() => [RelayReceiptType], { description: 'A receipt of each end; who tries again has several.' })
  receipts!: readonly RelayReceiptType[];
}
