import type { RawBuilder } from 'kysely';
import { type Foundation, sql } from '../../../platform/database/index.js';

/** The lane of work that does not wait for a store. */
export const NO_STORE = '';

/**
 * The keys in stores that sign for an organization now, as one text. Its work waits for these keys, so it gets a separate
 * lane. An organization without a key gets one at the configured place.
 */
export function signingLaneOf(
  { signingKeys }: Pick<Foundation, 'signingKeys'>,
  organizationId: RawBuilder<unknown>,
): RawBuilder<string> {
  const nextKey = signingKeys.next ?? NO_STORE;
  // Raw: the builder has no ordered aggregates.
  return sql<string>`coalesce(
    (select coalesce(string_agg(distinct store_key, ' '), ${NO_STORE}) from signing_keys
      where signing_keys.organization_id = ${organizationId} and (cosigns_until is null or cosigns_until > now())
      having count(*) > 0),
    ${nextKey})`;
}
