import { Arg, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import type { Foundation } from '../database/index.js';
import { addMember } from './add-member.js';
import type { Application } from './application.js';
import { createApplication } from './create-application.js';
import { requiresSecondPerson, type OrganizationInfo } from './find-organization.js';
import { listApplications, maySeeCheckId } from './list-applications.js';
import { listMembers } from './list-members.js';
import {
  ApplicationConnection,
  ApplicationType,
  MemberConnection,
  MemberType,
  OrganizationType,
  PermissionBucketType,
  PermissionsInput,
} from './organization.type.js';
import { BUCKETS, PERMISSIONS } from './permissions.js';
import { requirePrincipal } from './principal.js';
import { removeMember } from './remove-member.js';
import type { RequestContext } from './request-context.js';
import { setPermissions } from './set-permissions.js';
import { updateOrganization } from './update-organization.js';

const FIRST = { nullable: true, description: 'How many, 1 to 200; 50 when absent.' };
const AFTER = { nullable: true, description: 'The cursor of the last item seen.' };

@Resolver()
export class OrganizationResolver {
  constructor(private readonly foundation: Foundation) {}

  @Query(() => [PermissionBucketType], {
    description: 'Every permission that can be granted, by bucket. For who is signed in.',
  })
  permissionTable(@Ctx() context: RequestContext) {
    requirePrincipal(context.principal);
    return BUCKETS.map((name) => ({ name, permissions: PERMISSIONS[name] }));
  }

  @Query(() => ApplicationConnection, {
    description:
      'The applications of the organization, by foreignId. Who neither holds `applications:read` nor is an API ' +
      'key with `assets:read` sees those in which they hold anything.',
  })
  applications(
    @Arg('first', () => Int, FIRST) first: number | null | undefined,
    @Arg('after', () => String, AFTER) after: string | null | undefined,
    @Ctx() context: RequestContext,
  ) {
    return listApplications(this.foundation, context.principal, { first, after });
  }

  @Query(() => MemberConnection, {
    description: 'The members of the organization. Needs the owner permission `members:manage`.',
  })
  members(
    @Arg('first', () => Int, FIRST) first: number | null | undefined,
    @Arg('after', () => String, AFTER) after: string | null | undefined,
    @Ctx() context: RequestContext,
  ) {
    return listMembers(this.foundation, context.principal, { first, after });
  }

  @Mutation(() => ApplicationType, {
    description:
      'Creates an application; a taken foreignId is a CONFLICT. Needs the owner permission `applications:create`.',
  })
  createApplication(
    @Arg('foreignId', () => String, { description: '1 to 63 of a-z, 0-9 and hyphen, the first no hyphen.' })
    foreignId: string,
    @Arg('name', () => String, { description: '1 to 128 characters.' }) name: string,
    @Ctx() context: RequestContext,
  ) {
    return createApplication(this.foundation, context.principal, { foreignId, name });
  }

  @Mutation(() => OrganizationType, {
    description:
      'Changes your organization; what is absent stays. Needs the owner permission `policies:manage`.',
  })
  updateOrganization(
    @Arg('requireSecondPerson', () => Boolean, {
      nullable: true,
      description: 'Whether a case must be approved by another person than the one who requested it.',
    })
    requireSecondPerson: boolean | null | undefined,
    @Ctx() context: RequestContext,
  ) {
    return updateOrganization(this.foundation, context.principal, { requireSecondPerson });
  }

  @Mutation(() => MemberType, {
    description:
      'Makes a new user of the organization; a taken e-mail address is a CONFLICT. Needs the owner permission ' +
      '`members:manage`.',
  })
  addMember(
    @Arg('email', () => String, { description: 'E-mail address to sign in with.' }) email: string,
    @Arg('name', () => String, { description: '1 to 128 characters.' }) name: string,
    @Arg('password', () => String, { description: 'At least 12 characters, at most 1024 bytes.' })
    password: string,
    @Arg('permissions', () => PermissionsInput, {
      nullable: true,
      description: 'What the member holds from the start; absent is nothing.',
    })
    permissions: PermissionsInput | null | undefined,
    @Ctx() context: RequestContext,
  ) {
    return addMember(this.foundation, context.principal, { email, name, password, permissions });
  }

  @Mutation(() => MemberType, {
    description:
      'Ends a membership, with its permissions and sessions; the member as it was. The last who holds ' +
      '`members:manage` is a CONFLICT. Needs the owner permission `members:manage`.',
  })
  removeMember(
    @Arg('memberId', () => String, { description: 'Id of the user.' }) memberId: string,
    @Ctx() context: RequestContext,
  ) {
    return removeMember(this.foundation, context.principal, memberId);
  }

  @Mutation(() => MemberType, {
    description:
      'Replaces everything a member holds, from the next request on. Taking `members:manage` from the last who ' +
      'holds it is a CONFLICT. Needs the owner permission `members:manage`.',
  })
  setPermissions(
    @Arg('memberId', () => String, { description: 'Id of the user.' }) memberId: string,
    @Arg('permissions', () => PermissionsInput, { description: 'What the member shall hold.' })
    permissions: PermissionsInput,
    @Ctx() context: RequestContext,
  ) {
    return setPermissions(this.foundation, context.principal, { memberId, permissions });
  }
}

@Resolver(() => OrganizationType)
export class OrganizationInfoResolver {
  constructor(private readonly foundation: Foundation) {}

  @FieldResolver(() => Boolean, {
    description: 'Whether a case must be approved by another person than the one who requested it.',
  })
  requireSecondPerson(@Root() organization: OrganizationInfo) {
    return requiresSecondPerson(this.foundation.database, organization.id);
  }
}

@Resolver(() => ApplicationType)
export class ApplicationResolver {
  @FieldResolver(() => String, { nullable: true })
  checkApplicationId(@Root() application: Application, @Ctx() context: RequestContext) {
    return maySeeCheckId(context.principal, application.id) ? application.checkApplicationId : null;
  }
}
