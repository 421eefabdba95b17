import { Arg, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { type RequestContext, requiresSecondPerson } from '../access/index.js';
import { actingFor, type Foundation } from '../../platform/database/index.js';
import type { OrganizationInfo } from './find-organization.js';
import { listProposedOperations } from './list-proposed-operations.js';
import { OrganizationType, ProposedOperationType, UpdateOrganizationInput } from './organization.type.js';
import { organizationRules, updateOrganization } from './update-organization.js';

@Resolver(() => OrganizationType)
export class OrganizationResolver {
  constructor(private readonly foundation: Foundation) {}

  @Query(() => [ProposedOperationType], {
    description:
      'Operations that one person proposed and a second person has not confirmed yet: those that you may call too. With ' +
      'the owner permission `policies:manage` or `members:manage`, all of them. Needs one of these permissions, or one ' +
      'of an operation that two persons must call.',
  })
  proposedOperations(@Ctx() context: RequestContext) {
    return listProposedOperations(this.foundation, context.principal);
  }

  @Mutation(() => OrganizationType, {
    description:
      'Changes your organization. Members that are left out do not change. Two owners must call it to change ' +
      '`requireSecondPerson`: the first call is a CONFLICT with the reason `second_person_required`. Two owners ' +
      'must also call it to turn `requireSecondFactor` off where two persons are required. Needs the owner ' +
      'permission `policies:manage`.',
  })
  updateOrganization(
    @Arg('input', () => UpdateOrganizationInput, { description: 'The changes.' })
    input: UpdateOrganizationInput,
    @Ctx() context: RequestContext,
  ) {
    return updateOrganization(this.foundation, context.principal, input);
  }

  @FieldResolver(() => Boolean, {
    description: 'Whether decisions need two persons.',
  })
  requireSecondPerson(@Root() organization: OrganizationInfo) {
    return actingFor([organization.id], () =>
      requiresSecondPerson(this.foundation.database, organization.id),
    );
  }

  @FieldResolver(() => Boolean, {
    description: 'Whether members need a second factor to do anything, and a fresh one to decide.',
  })
  async requireSecondFactor(@Root() organization: OrganizationInfo) {
    const rules = actingFor([organization.id], () =>
      organizationRules(this.foundation.database, organization.id),
    );
    return (await rules).requireSecondFactor;
  }
}
