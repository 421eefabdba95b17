import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Field, ID, ObjectType } from 'type-graphql';
import { connectionType } from '../../../platform/kernel/paging/connection.type.js';

@ObjectType('Session', { description: 'One of your sign-ins that has not ended.' })
export class SessionType {
  @Field(() => ID, { description: 'Id (`ses_…`).' })
  id!: string;

  @Field(() => GraphQLDateTimeISO, { description: 'When you signed in.' })
  createdAt!: Date;

  @Field(() => GraphQLDateTimeISO, {
    description: 'When it was last used, to the minute. It ends 30 minutes later.',
  })
  lastSeenAt!: Date;

  @Field(() => GraphQLDateTimeISO, { description: 'When it ends at the latest: 12 hours after the sign-in.' })
  expiresAt!: Date;

  @Field(() => String, {
    nullable: true,
    description: 'The address from which you signed in. Null where it was not recorded.',
  })
  clientAddress!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'What your browser said it is (`User-Agent`), at most 256 characters.',
  })
  userAgent!: string | null;

  @Field(() => Boolean, { description: 'Whether it is the session of this request.' })
  current!: boolean;
}

export const SessionConnection = connectionType('Session', () => SessionType);
