import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Field, ID, ObjectType } from 'type-graphql';
import { connectionType } from '../../../platform/kernel/paging/connection.type.js';

@ObjectType('Session', { description: 'One of your sessions that have not ended.' })
export class SessionType {
  @Field(() => ID, { description: 'Id of the session (`ses_…`).' })
  id!: string;

  @Field(() => GraphQLDateTimeISO, { description: 'When you signed in.' })
  createdAt!: Date;

  @Field(() => GraphQLDateTimeISO, {
    description: 'When the session was last used, to the minute. It ends 30 minutes after its last use.',
  })
  lastSeenAt!: Date;

  @Field(() => GraphQLDateTimeISO, {
    description: 'The latest time at which the session ends: 12 hours after the sign-in.',
  })
  expiresAt!: Date;

  @Field(() => String, {
    nullable: true,
    description: 'The IP address from which you signed in. Null if it was not recorded.',
  })
  clientAddress!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The `User-Agent` header of your browser, at most 256 characters. Null if it sent none.',
  })
  userAgent!: string | null;

  @Field(() => Boolean, { description: 'Whether the session made this request.' })
  current!: boolean;
}

export const SessionConnection = connectionType('Session', () => SessionType);
