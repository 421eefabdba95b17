import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Args, Ctx, Field, ID, ObjectType, Query, Resolver } from 'type-graphql';
import type { Foundation } from '../../../platform/database/index.js';
import { connectionType } from '../../../platform/kernel/paging/connection.type.js';
import { PageArguments } from '../../../platform/kernel/paging/page-arguments.type.js';
import { DENIAL_EVENTS } from '../../../platform/kernel/errors.js';
import type { RequestContext } from '../../access/index.js';
import { listSecurityEvents } from './list-security-events.js';

@ObjectType('SecurityEvent', {
  description:
    'A refused request or sign-in. Refusals are not in the activity log, which records completed actions.',
})
class SecurityEventType {
  @Field(() => String, {
    description: `What kind of refusal: ${DENIAL_EVENTS.map((event) => `\`${event}\``).join(', ')}.`,
  })
  event!: string;

  @Field(() => String, {
    nullable: true,
    description: 'What was requested: a field of this schema or a route.',
  })
  operation!: string | null;

  @Field(() => ID, {
    nullable: true,
    description:
      'Who was refused: a user (`usr_…`) or an API key (`key_…`). At a sign-in, or where a password or second factor was wrong, the member whose account was tried.',
  })
  subjectId!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'At a sign-in, or where a password or second factor was wrong: a digest of the e-mail address under a key of this gateway, in hex. Otherwise null.',
  })
  accountDigest!: string | null;

  @Field(() => String, { description: 'The client’s address.' })
  clientAddress!: string;

  @Field(() => String, { description: 'Id of the request, as in `X-Request-Id`.' })
  requestId!: string;

  @Field(() => GraphQLDateTimeISO, { description: 'When it was refused.' })
  createdAt!: Date;
}

const SecurityEventConnection = connectionType('SecurityEvent', () => SecurityEventType);

@Resolver()
export class SecurityLogResolver {
  constructor(private readonly foundation: Foundation) {}

  @Query(() => SecurityEventConnection, {
    description:
      'What was refused to the members and keys of your organization, and failed sign-ins to its accounts, newest ' +
      'first. Kept for 90 days. Needs the owner permission `members:manage`.',
  })
  securityEvents(@Args(() => PageArguments) page: PageArguments, @Ctx() context: RequestContext) {
    return listSecurityEvents(this.foundation, context.principal, page);
  }
}
