import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import type { Application, RequestContext } from '../../access/index.js';
import type { Foundation } from '../../../platform/database/index.js';
import { PageArguments } from '../../../platform/kernel/paging/page-arguments.type.js';
import { ApplicationConnection, ApplicationType, CreateApplicationInput } from './application.type.js';
import { createApplication } from './create-application.js';
import { listApplications, maySeeCheckId } from './list-applications.js';

@Resolver(() => ApplicationType)
export class ApplicationResolver {
  constructor(private readonly foundation: Foundation) {}

  @Query(() => ApplicationConnection, {
    description:
      'The applications of the organization, sorted by foreignId. Callers without `applications:read` (for an ' +
      'API key: without `assets:read`) see only the applications in which they hold a permission.',
  })
  applications(@Args(() => PageArguments) page: PageArguments, @Ctx() context: RequestContext) {
    return listApplications(this.foundation, context.principal, page);
  }

  @Mutation(() => ApplicationType, {
    description:
      'Creates an application. Fails with CONFLICT if the foreignId is in use. Needs the owner permission ' +
      '`applications:create`.',
  })
  createApplication(
    @Arg('input', () => CreateApplicationInput, { description: 'The application.' })
    input: CreateApplicationInput,
    @Ctx() context: RequestContext,
  ) {
    return createApplication(this.foundation, context.principal, input);
  }

  @FieldResolver(() => String, { nullable: true })
  checkApplicationId(@Root() application: Application, @Ctx() context: RequestContext) {
    return maySeeCheckId(context.principal, application.id) ? application.checkApplicationId : null;
  }
}
