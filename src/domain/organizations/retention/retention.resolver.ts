import { Arg, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { createPersonOf, type PersonOf, PersonType, type RequestContext } from '../../access/index.js';
import type { Foundation } from '../../../platform/database/index.js';
import { placeLegalHold } from './place-legal-hold.js';
import { type LegalHold, readRetention } from './read-retention.js';
import { releaseLegalHold } from './release-legal-hold.js';
import {
  LegalHoldType,
  PlaceLegalHoldInput,
  ReleaseLegalHoldInput,
  RetentionSettingType,
  RetentionType,
  SetRetentionInput,
} from './retention.type.js';
import { setRetention } from './set-retention.js';

const NEEDS = 'Needs the owner permission `policies:manage`.';
const TWO_OWNERS =
  'If the organization requires a second person, the call takes effect when another owner repeats it. ' +
  NEEDS;

@Resolver(() => LegalHoldType)
export class RetentionResolver {
  private readonly personOf: PersonOf;

  constructor(private readonly foundation: Foundation) {
    this.personOf = createPersonOf(foundation);
  }

  @Query(() => RetentionType, {
    description: `How long your organization keeps stored data, and the legal holds that are in force. ${NEEDS}`,
  })
  retention(@Ctx() context: RequestContext) {
    return readRetention(this.foundation, context.principal);
  }

  @Mutation(() => RetentionSettingType, {
    description: `Sets the retention period of a kind of stored data, in years. ${TWO_OWNERS}`,
  })
  setRetention(
    @Arg('input', () => SetRetentionInput, { description: 'The kind, the years and the reason.' })
    input: SetRetentionInput,
    @Ctx() context: RequestContext,
  ) {
    return setRetention(this.foundation, context.principal, input);
  }

  @Mutation(() => LegalHoldType, {
    description: `Places a legal hold. While it is in force, no data that it covers is deleted or erased. ${NEEDS}`,
  })
  placeLegalHold(
    @Arg('input', () => PlaceLegalHoldInput, {
      description: 'The reason, the end and the covered kinds of data.',
    })
    input: PlaceLegalHoldInput,
    @Ctx() context: RequestContext,
  ) {
    return placeLegalHold(this.foundation, context.principal, input);
  }

  @Mutation(() => LegalHoldType, {
    description:
      'Releases a legal hold that is in force. Data that it covered is deleted when its retention period ends. ' +
      TWO_OWNERS,
  })
  releaseLegalHold(
    @Arg('input', () => ReleaseLegalHoldInput, { description: 'The legal hold and the reason.' })
    input: ReleaseLegalHoldInput,
    @Ctx() context: RequestContext,
  ) {
    return releaseLegalHold(this.foundation, context.principal, input);
  }

  @FieldResolver(() => PersonType, { nullable: true, description: 'The user who placed the legal hold.' })
  placedBy(@Root() hold: LegalHold) {
    return this.personOf(hold.organizationId, hold.placedBy);
  }
}
