import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Arg, Ctx, Field, Int, ObjectType, Query, Resolver } from 'type-graphql';
import type { Foundation } from '../../database/index.js';
import { connectionType } from '../../kernel/connection.type.js';
import { DENIAL_EVENTS } from '../../kernel/errors.js';
import type { RequestContext } from '../request-context.js';
import { listSecurityEvents } from './list-security-events.js';

@ObjectType('SecurityEvent', {
  description: 'Something that was refused. It is no entry of the activity log.',
})
class SecurityEventType {
  @Field(() => String, {
    description: `What kind of refusal: ${DENIAL_EVENTS.map((event) => `\`${event}\``).join(', ')}.`,
  })
  event!: string;

  @Field(() => String, {
    nullable: true,
    description: 'What was asked for: a field of this schema or a route.',
  })
  operation!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Who asked (`usr_…`, `key_…`), or at a sign-in whose account was tried. Null when nobody’s.',
  })
  subjectId!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'At a sign-in: a digest of the e-mail address under a key of this gateway, in hex.',
  })
  accountDigest!: string | null;

  @Field(() => String, { description: 'The client’s address.' })
  clientAddress!: string;

  @Field(() => String, { description: 'The request, as `X-Request-Id` named it.' })
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
      'What was refused to the members and keys of your organization, and at its accounts, newest first; kept for 90 ' +
      'days. Needs the owner permission `members:manage`.',
  })
  securityEvents(
    @Arg('first', () => Int, { nullable: true, description: 'How many, 1 to 200; 50 when absent.' })
    first: number | null | undefined,
    @Arg('after', () => String, { nullable: true, description: 'The cursor of the last item seen.' })
    after: string | null | undefined,
    @Ctx() context: RequestContext,
  ) {
    return listSecurityEvents(this.foundation, context.principal, { first, after });
  }
}
