import type { Id } from '../../kernel/ids.js';
import { actingFor } from '../scope/acting-for.js';
import { sql } from '../sql.js';

const MAX_BATCH_SIZE = 500;

interface Waiting<Key, Found> {
  readonly key: Key;
  readonly resolve: (found: Found) => void;
  readonly reject: (thrown: unknown) => void;
}

/**
 * Reads that are asked for in one turn of the event loop, by any requests, are read together. Nothing is kept. With another
 * `schedule`, they wait until it begins the read.
 */
export function batched<Key, Found>(
  read: (keys: readonly Key[]) => Promise<readonly Found[]>,
  // After the current round of socket reads, so that requests which arrived together are read together.
  schedule: (readAll: () => void) => unknown = setImmediate,
): (key: Key) => Promise<Found> {
  let waiting: Waiting<Key, Found>[] = [];
  const answer = async (batch: readonly Waiting<Key, Found>[]) => {
    try {
      const found = await read(batch.map(({ key }) => key));
      if (found.length !== batch.length) throw new Error('A batch was read in part.');
      batch.forEach(({ resolve }, at) => resolve(found[at]!));
    } catch (thrown) {
      for (const { reject } of batch) reject(thrown);
    }
  };
  const readAll = () => {
    const all = waiting;
    waiting = [];
    for (let at = 0; at < all.length; at += MAX_BATCH_SIZE) void answer(all.slice(at, at + MAX_BATCH_SIZE));
  };
  return (key) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) schedule(readAll);
      waiting.push({ key, resolve, reject });
    });
}

/** Something of an organization. */
export interface Owned {
  readonly organizationId: Id<'org'>;
  readonly id: string;
}

/** Some things of one organization, in the order in which they are wanted. */
export interface Wanted {
  readonly organizationId: Id<'org'>;
  readonly ids: readonly string[];
}

/**
 * Finds rows by id. `read` selects the rows for which the condition holds: it compares `organization_id` and `id`, so that
 * another organization's row is missing like one that does not exist.
 */
export function batchedByIds<Found extends Owned>(
  read: (isWanted: ReturnType<typeof isWantedOf>) => Promise<readonly Found[]>,
): (wanted: Wanted) => Promise<readonly Found[]> {
  return batched<Wanted, readonly Found[]>(async (keys) => {
    const pairs = new Map(
      keys.flatMap(({ organizationId, ids }) =>
        ids.map((id): [string, Owned] => [`${organizationId}/${id}`, { organizationId, id }]),
      ),
    );
    const wanted = [...pairs.values()];
    const organizationIds = wanted.map(({ organizationId }) => organizationId);
    const rows = wanted.length === 0 ? [] : await actingFor(organizationIds, () => read(isWantedOf(wanted)));
    const found = new Map(rows.map((row) => [`${row.organizationId}/${row.id}`, row]));
    return keys.map(({ organizationId, ids }) =>
      ids.flatMap((id) => found.get(`${organizationId}/${id}`) ?? []),
    );
  });
}

const isWantedOf = (wanted: readonly Owned[]) => sql<boolean>`(organization_id, id) in (
  select * from unnest(
    ${wanted.map(({ organizationId }) => organizationId)}::text[],
    ${wanted.map(({ id }) => id)}::text[]))`;
