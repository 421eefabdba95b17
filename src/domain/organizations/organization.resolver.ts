import { Arg, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import { type RequestContext, requiresSecondPerson } from '../access/index.js';
import { actingFor, type Foundation } from '../../platform/database/index.js';
import type { OrganizationInfo } from './find-organization.js';
import { listProposedOperations } from './list-proposed-operations.js';
import { OrganizationType, ProposedOperationType, UpdateOrganizationInput } from './organization.type.js';
import { withdrawProposal } from './second-person/withdraw-proposal.js';
import { organizationRules, updateOrganization } from './update-organization.js';

@Resolver(() => OrganizationType)
export class OrganizationResolver {
  constructor(private readonly foundation: Foundation) {}

  @Query(() => [ProposedOperationType], {
    description:
      'The operations that one person proposed and a second person has not confirmed yet. With the owner ' +
      'permission `policies:manage` or `members:manage` you see all of them; otherwise those that you may call ' +
      'too. Needs one of these permissions, or the permission of an operation that two people must call.',
  })
  proposedOperations(@Ctx() context: RequestContext) {
    return listProposedOperations(this.foundation, context.principal);
  }

  @Mutation(() => ProposedOperationType, {
    description:
      'Withdraws a proposal that you made and that no second person has confirmed yet, and returns it. It then has ' +
      'no effect: the same call is a new proposal. The proposal of another person, one that took effect and one ' +
      'that has expired are NOT_FOUND. A proposal of `declareSigningKeyLost` cannot be withdrawn, because others ' +
      'must wait after it (CONFLICT).',
  })
  withdrawProposal(
    @Arg('id', () => ID, { description: 'Id of the proposal (`prp_…`).' }) id: string,
    @Ctx() context: RequestContext,
  ) {
    return withdrawProposal(this.foundation, context.principal, id);
  }

  @Mutation(() => OrganizationType, {
    description:
      'Changes the settings of your organization. Members that are left out do not change. Two owners ' +
      'must make the same call to change `requireSecondPerson`, and, if `requireSecondPerson` is true, to ' +
      'turn `requireSecondFactor` off: the first call fails with CONFLICT and the reason ' +
      '`second_person_required`. Needs the owner permission `policies:manage`.',
  })
  updateOrganization(
    @Arg('input', () => UpdateOrganizationInput, { description: 'The changes.' })
    input: UpdateOrganizationInput,
    @Ctx() context: RequestContext,
  ) {
    return updateOrganization(this.foundation, context.principal, input);
  }

  @FieldResolver(() => Boolean, {
    description: 'Whether decisions need two people.',
  })
  requireSecondPerson(@Root() organization: OrganizationInfo) {
    return actingFor([organization.id], () =>
      requiresSecondPerson(this.foundation.database, organization.id),
    );
  }

  @FieldResolver(() => Boolean, {
    description:
      'Whether members need a second factor for everything they do, and must prove it again to decide.',
  })
  async requireSecondFactor(@Root() organization: OrganizationInfo) {
    const rules = actingFor([organization.id], () =>
      organizationRules(this.foundation.database, organization.id),
    );
    return (await rules).requireSecondFactor;
  }
}
