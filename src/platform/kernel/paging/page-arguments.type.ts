import { ArgsType, Field, Int } from 'type-graphql';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from './paging.js';

/** The requested page of a list. The arguments of a list extend it. */
@ArgsType()
export class PageArguments {
  @Field(() => Int, {
    nullable: true,
    description: `Maximum number of items to return, 1 to ${MAX_PAGE_SIZE}. The default is ${DEFAULT_PAGE_SIZE}.`,
  })
  first?: number | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Return the items after this cursor. Use a cursor only with the filters with which it was returned.',
  })
  after?: string | null;
}
