import { Arg, Ctx, Field, ID, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { graphqlEnum } from '../../../platform/kernel/enums/enum.type.js';
import type { Foundation } from '../../../platform/database/index.js';
import { type RequestContext, requireCookie } from '../../access/index.js';
import type { OpenIdProvider } from '../oidc/openid-provider.js';
import { admit } from '../sessions/admit.js';
import { ViewerType } from '../sessions/viewer.type.js';
import { signIn } from './sign-in.js';
import {
  type DemoAccount,
  type EmbeddedDemo,
  findDemoAccount,
  NO_DEMO,
  signInOptions,
} from './sign-in-options.js';

const DemoRoleEnum = graphqlEnum<DemoAccount['role']>('DemoRole', 'The role of a user of the demo.', {
  owner: 'Holds every owner permission.',
  administrator: 'Decides the case requests of the demo application.',
  auditor: 'Requests cases of the demo application and reads them.',
});

@ObjectType('DemoUser', { description: 'A user of the embedded demo.' })
class DemoUserType {
  @Field(() => ID, { description: 'Id of the user (`usr_…`), which `signInAsDemoUser` takes.' })
  id!: string;

  @Field(() => String, { description: 'The name of the user.' })
  name!: string;

  @Field(() => DemoRoleEnum, { description: 'The role of the user.' })
  role!: DemoAccount['role'];

  @Field(() => String, { description: 'The name of the organization.' })
  organization!: string;
}

@ObjectType('SignInOptions', { description: 'The ways in which a person can sign in to this gateway.' })
class SignInOptionsType {
  @Field(() => Boolean, {
    description: 'Whether a person can sign in by e-mail address and password: `signIn`.',
  })
  password!: boolean;

  @Field(() => Boolean, {
    description: 'Whether a person can sign in by OpenID Connect: `/auth/oidc/start`.',
  })
  oidc!: boolean;

  @Field(() => [DemoUserType], { description: 'The users of the embedded demo. Empty on any other gateway.' })
  demoUsers!: DemoUserType[];

  @Field(() => Boolean, {
    description:
      'Whether the embedded demo is being filled with sample data, which takes about a minute after the first start. ' +
      'False on any other gateway.',
  })
  demoFilling!: boolean;
}

@Resolver()
export class SignInOptionsResolver {
  constructor(
    private readonly foundation: Foundation,
    private readonly provider: OpenIdProvider | undefined,
    private readonly demo: EmbeddedDemo = NO_DEMO,
  ) {}

  @Query(() => SignInOptionsType, {
    description: 'The ways in which a person can sign in to this gateway. Needs no credentials.',
  })
  signInOptions() {
    return signInOptions(this.provider, this.demo);
  }

  @Mutation(() => ViewerType, {
    description:
      'Opens a portal session for a user of the embedded demo, without a password, and sets its cookie. ' +
      'Fails with NOT_FOUND on any other gateway. Over HTTP only.',
  })
  async signInAsDemoUser(
    @Arg('id', () => ID, { description: 'Id of the user, from `signInOptions`.' }) id: string,
    @Ctx() context: RequestContext,
  ) {
    const cookie = requireCookie(context.sessionCookie);
    const { email, password } = findDemoAccount(this.demo, id);
    const opened = await signIn(this.foundation, { email, password }, context.clientAddress, cookie.token);
    return admit(this.foundation, context, opened);
  }
}
