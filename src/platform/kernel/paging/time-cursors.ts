import { isStorableTime, timestamp } from '../clock.js';
import type { JsonValue } from '../encoding/json.js';
import { invalidMember } from '../errors.js';
import { type Id, type IdPrefix, isId } from '../ids.js';
import { cursorsFor } from './paging.js';

/** The position of a row in a list by time. Rows of the same millisecond are sorted by id. */
export interface TimePlace<P extends IdPrefix> {
  readonly at: Date;
  readonly id: Id<P>;
}

/** Cursors of a list by time, bound to the list and its filters. */
export function timeCursorsFor<P extends IdPrefix>(prefix: P, listing: string, filters: JsonValue) {
  const cursors = cursorsFor(listing, filters);
  return {
    ...cursors,
    encode: ({ at, id }: TimePlace<P>): string => cursors.encode(`${timestamp(at)}/${id}`),
    /** The position that a decoded cursor names. */
    placeOf(key: string | undefined): TimePlace<P> | undefined {
      if (key === undefined) return undefined;
      const [time = '', id] = key.split('/');
      const at = new Date(time);
      if (!isId(prefix, id) || !isStorableTime(at))
        throw invalidMember('after', 'is not a cursor of this listing');
      return { at, id };
    },
  };
}
