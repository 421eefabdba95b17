import { type RawBuilder, sql } from 'kysely';
import { MAX_PAGE_VALUES } from '../../kernel/paging/page-weight.js';

/**
 * The ids of the rows of a page that `pageOf` could hold, and of the one that ends it: what no page holds is not read. `page`
 * selects ids in the order of the listing, each with how many items the lists of its row have.
 */
export function idsThatFit<Id extends string>(page: {
  compile(): unknown;
  toOperationNode(): unknown;
}): RawBuilder<Id> {
  // Raw: a sum over the rows before is beyond the builder's types.
  return sql<Id>`(select id from (
    select id, sum(items) over (rows between unbounded preceding and 1 preceding) as before
    from (${page}) as page) as weighed where coalesce(before, 0) <= ${MAX_PAGE_VALUES})`;
}
