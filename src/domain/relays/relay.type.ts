import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { graphqlEnum } from '../../platform/kernel/enums/enum.type.js';
import type { RelayReason, RelayStatus } from './relay-state.js';

export const RelayStatusEnum = graphqlEnum<RelayStatus>('RelayStatus', 'The status of a relay request.', {
  accepted:
    'The package is accepted and holds its nullifiers. Nothing is on the ledger. Keep the id and wait.',
  validating: 'The recipient is being screened, and the nullifiers are being looked up on the ledger. Wait.',
  queued: 'An attempt is being simulated, priced and signed. Wait.',
  submitted:
    'A transaction is signed and is being sent: it can land at any moment. Do not replace it; continue to ' +
    'read the status.',
  reconciling:
    'A transaction was sent and its outcome is not known yet: it may have landed and may still land. Do not ' +
    'replace it, however long this takes; only the ledger decides the outcome.',
  succeeded: 'The transaction succeeded and is finalized. Its nullifiers are spent. Final.',
  rejected:
    'Nothing of the package is on the ledger, and nothing will be; `publicReason` gives the reason. The ' +
    'package holds no nullifiers, so another package can be submitted. Final.',
  failed:
    'The attempt failed and its transaction can no longer land; `publicReason` gives the reason. If ' +
    '`retryAllowed` is true, you can start another attempt. Otherwise the request has ended, and another ' +
    'package can be submitted.',
});

export const RelayReasonEnum = graphqlEnum<RelayReason>(
  'RelayReason',
  'The reason why a relay request was `rejected` or has `failed`.',
  {
    zk_config_missing: 'Rejected: the pool has no circuit with this `zkConfigNonce`.',
    zk_config_deprecated: 'Rejected: the circuit is deprecated.',
    zk_config_incompatible: 'Rejected: the package lacks a member that the pool’s instruction carries.',
    invalid_proof: 'Rejected: the proof does not prove the public signals.',
    kyt_rejected: 'Rejected: screening does not approve the recipient or a receiving account.',
    nullifiers_spent: 'Rejected: another finalized transaction spent a nullifier.',
    simulation_failed: 'Rejected: the pool’s program refuses the transaction. Nothing was sent.',
    resource_fee_exceeded: 'Rejected: the fee would exceed the pool’s limit.',
    resource_limit_exceeded:
      'Rejected: the transaction would be too large, use too many compute units, or cost more than the pool allows.',
    send_failed: 'Failed: the transaction did not land, and it is proven that it cannot land anymore.',
    transaction_failed: 'Failed: the finalized transaction has an error.',
    infrastructure_failed: 'Failed: the transaction could not be prepared. Nothing was sent.',
  },
);

@ObjectType('RelayRequest', {
  description: 'A relay request after a change of its status. It shows nothing of the package.',
})
export class RelayRequestType {
  @Field(() => ID, {
    description:
      'Id of the request (`rly_…`). Anyone who has the id can read the status and start allowed attempts: keep ' +
      'it secret.',
  })
  relayRequestId!: string;

  @Field(() => RelayStatusEnum, { description: 'The status of the request.' })
  status!: RelayStatus;

  @Field(() => Int, {
    description:
      'The number of this change, from 1. To continue from this change, pass its number as `after`.',
  })
  sequence!: number;

  @Field(() => GraphQLDateTimeISO, { description: 'When the request was accepted.' })
  createdAt!: Date;

  @Field(() => GraphQLDateTimeISO, { description: 'When the status last changed.' })
  updatedAt!: Date;

  @Field(() => Boolean, {
    description: 'Whether another attempt may be started. It can be true only if the status is `failed`.',
  })
  retryAllowed!: boolean;

  @Field(() => Int, {
    nullable: true,
    description: 'The number of the attempt, from 1. Null until the first attempt begins.',
  })
  attemptNumber!: number | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The signature of the attempt’s transaction (base58). Null until it is signed. It does not mean that the ' +
      'transaction succeeded.',
  })
  transactionHash!: string | null;

  @Field(() => RelayReasonEnum, {
    nullable: true,
    description: 'The reason why the request ended. Null unless the status is `rejected` or `failed`.',
  })
  publicReason!: RelayReason | null;
}

@ObjectType('Pool', {
  description: 'A shielded pool that this gateway relays transactions for.',
  simpleResolvers: true,
})
export class PoolType {
  @Field(() => String, {
    description: 'The selector of the pool. It identifies the pool in packages and in `relays`.',
  })
  selector!: string;

  @Field(() => String, { description: 'The name of the pool in the pools file of this gateway.' })
  name!: string;
}
