import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Field, Int, ObjectType, registerEnumType } from 'type-graphql';
import {
  FAILURE_REASONS,
  REJECTION_REASONS,
  RELAY_STATUSES,
  type RelayReason,
  type RelayStatus,
} from './relay-state.js';

const enumOf = <Value extends string>(values: readonly Value[]) =>
  Object.fromEntries(values.map((value) => [value, value]));

export const RelayStatusEnum = enumOf(RELAY_STATUSES);
registerEnumType(RelayStatusEnum, {
  name: 'RelayStatus',
  description: 'Where a relay request stands, and what that means for who submitted it.',
  valuesConfig: {
    accepted: {
      description:
        'Taken on, and its nullifiers are held for it. Nothing is on the ledger. Keep the id and wait.',
    },
    validating: {
      description: 'The recipient is screened and the nullifiers are looked up on the ledger. Wait.',
    },
    queued: { description: 'An attempt is being prepared: simulated, priced and signed. Wait.' },
    submitted: {
      description:
        'A transaction was signed and goes out: it can land at any moment. Start no replacement; keep asking.',
    },
    reconciling: {
      description:
        'A transaction was sent and its outcome is not known yet: it may have landed, and may still land. Start no ' +
        'replacement, however long it takes; only the ledger itself ends this.',
    },
    succeeded: {
      description: 'The transaction did what it says, finalized. Its nullifiers are spent. Final.',
    },
    rejected: {
      description:
        'Nothing of it is on the ledger, and nothing will be: `publicReason` says why. It holds no nullifiers, so ' +
        'that another package can be submitted; this one is over. Final.',
    },
    failed: {
      description:
        'The attempt came to nothing, and it is certain that it cannot land any more: `publicReason` says why. Ask ' +
        'for another attempt where `retryAllowed` says so; otherwise it is over, and another package can be submitted.',
    },
  },
});

export const RelayReasonEnum = enumOf([...REJECTION_REASONS, ...FAILURE_REASONS]);
registerEnumType(RelayReasonEnum, {
  name: 'RelayReason',
  description: 'Why a relay request was `rejected` or has `failed`.',
  valuesConfig: {
    zk_config_missing: { description: 'Rejected: the pool has no circuit of this `zkConfigNonce`.' },
    zk_config_deprecated: { description: 'Rejected: the circuit is not relayed any more.' },
    zk_config_incompatible: {
      description: 'Rejected: the package lacks what the pool’s instruction carries.',
    },
    invalid_proof: { description: 'Rejected: the proof does not prove the public signals.' },
    kyt_rejected: { description: 'Rejected: screening does not approve of the recipient.' },
    nullifiers_spent: {
      description: 'Rejected: finalized state shows a nullifier spent by another transaction.',
    },
    simulation_failed: { description: 'Rejected: the pool’s program refuses it. Nothing was sent.' },
    resource_fee_exceeded: { description: 'Rejected: it would cost more than the pool allows.' },
    resource_limit_exceeded: {
      description: 'Rejected: it would be too large, or compute more than the pool allows.',
    },
    send_failed: {
      description: 'Failed: the transaction never landed, and it is proven that it cannot any more.',
    },
    transaction_failed: { description: 'Failed: the transaction landed, finalized, with an error.' },
    infrastructure_failed: { description: 'Failed: it could not be prepared. Nothing was sent.' },
  },
});

@ObjectType('RelayRequest', {
  description:
    'A prepared package on its way to the ledger, as one change of its status left it. Nothing of the package is shown.',
})
export class RelayRequestType {
  @Field(() => String, {
    description:
      'Id of the request (`rly_…`). Who has it may ask for the status and for attempts: keep it, and keep it secret.',
  })
  relayRequestId!: string;

  @Field(() => RelayStatusEnum, { description: 'Where it stands.' })
  status!: RelayStatus;

  @Field(() => Int, {
    description:
      'Counts the changes of status, from 1: pass the last one you saw as `after` to go on behind it.',
  })
  sequence!: number;

  @Field(() => GraphQLDateTimeISO, { description: 'When it was taken on.' })
  createdAt!: Date;

  @Field(() => GraphQLDateTimeISO, { description: 'When the status became this.' })
  updatedAt!: Date;

  @Field(() => Boolean, {
    description: 'Whether another attempt may be asked for: never in another status than `failed`.',
  })
  retryAllowed!: boolean;

  @Field(() => Int, { nullable: true, description: 'The attempt, from 1; null until the first one begins.' })
  attemptNumber!: number | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Signature of the attempt’s transaction (base58); null until it is signed. It alone says nothing of success.',
  })
  transactionHash!: string | null;

  @Field(() => RelayReasonEnum, { nullable: true, description: 'Why; null unless `rejected` or `failed`.' })
  publicReason!: RelayReason | null;
}
