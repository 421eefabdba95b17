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
  'Where a second person is required, it takes effect when another owner makes the same call. ' + NEEDS;

@Resolver(() => LegalHoldType)
export class RetentionResolver {
  private readonly personOf: PersonOf;

  constructor(private readonly foundation: Foundation) {
    this.personOf = createPersonOf(foundation);
  }

  @Query(() => RetentionType, {
    description: `How long your organization keeps what it stores, and the legal holds that are in force. ${NEEDS}`,
  })
  retention(@Ctx() context: RequestContext) {
    return readRetention(this.foundation, context.principal);
  }

  @Mutation(() => RetentionSettingType, {
    description: `Sets after how many years your organization deletes a kind of what it stores. ${TWO_OWNERS}`,
  })
  setRetention(
    @Arg('input', () => SetRetentionInput, { description: 'The kind, the years and the reason.' })
    input: SetRetentionInput,
    @Ctx() context: RequestContext,
  ) {
    return setRetention(this.foundation, context.principal, input);
  }

  @Mutation(() => LegalHoldType, {
    description: `Places a legal hold: nothing that it covers is deleted or erased while it is in force. ${NEEDS}`,
  })
  placeLegalHold(
    @Arg('input', () => PlaceLegalHoldInput, { description: 'Why, until when, and what it covers.' })
    input: PlaceLegalHoldInput,
    @Ctx() context: RequestContext,
  ) {
    return placeLegalHold(this.foundation, context.principal, input);
  }

  @Mutation(() => LegalHoldType, {
    description: `Releases a legal hold that is in force. What it covered is deleted when it is due. ${TWO_OWNERS}`,
  })
  releaseLegalHold(
    @Arg('input', () => ReleaseLegalHoldInput, { description: 'The hold, and the reason.' })
    input: ReleaseLegalHoldInput,
    @Ctx() context: RequestContext,
  ) {
    return releaseLegalHold(this.foundation, context.principal, input);
  }

  @FieldResolver(() => PersonType, { nullable: true, description: 'Who placed it.' })
  placedBy(@Root() hold: LegalHold) {
    return this.personOf(hold.organizationId, hold.placedBy);
  }
}
