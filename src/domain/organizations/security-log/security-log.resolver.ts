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
    description: `The kind of refusal: ${DENIAL_EVENTS.map((event) => `\`${event}\``).join(', ')}.`,
  })
  event!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The requested operation: a field of this schema or a REST route. Null if it is unknown.',
  })
  operation!: string | null;

  @Field(() => ID, {
    nullable: true,
    description:
      'Id of the refused user (`usr_…`) or API key (`key_…`); a revoked or expired key is named, too. For a failed ' +
      'sign-in, or a wrong password or second factor, it is the member whose account was tried. Null if there is none.',
  })
  subjectId!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'A digest of the e-mail address in hex, under a key of this gateway, for a failed sign-in or a wrong password ' +
      'or second factor. Null for other refusals.',
  })
  accountDigest!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The IP address of the client. Null for a failed sign-in to an account whose e-mail address nobody proved. A mailed link, ' +
      'the identity provider or the operator, who creates an account, proves the address.',
  })
  clientAddress!: string | null;

  @Field(() => ID, { description: 'Id of the request, as in the header `X-Request-Id`.' })
  requestId!: string;

  @Field(() => GraphQLDateTimeISO, { description: 'When the request was refused.' })
  createdAt!: Date;
}

const SecurityEventConnection = connectionType('SecurityEvent', () => SecurityEventType);

@Resolver()
export class SecurityLogResolver {
  constructor(private readonly foundation: Foundation) {}

  @Query(() => SecurityEventConnection, {
    description:
      'Refused requests of the members and API keys of your organization, and failed sign-ins to its ' +
      'accounts, newest first. They are kept for at most 90 days. Needs the owner permission ' +
      '`members:manage`.',
  })
  securityEvents(@Args(() => PageArguments) page: PageArguments, @Ctx() context: RequestContext) {
    return listSecurityEvents(this.foundation, context.principal, page);
  }
}
