import type { Reader } from '../database.js';
import { askForReadPoint } from './read-point.js';
import { Replica, ReplicaLeftOut, type ReplicaTerms } from './replica.js';

/** A replica by its name, and why it cannot be read from, in a sentence; or how long it needed, in milliseconds. */
export type ExaminedReplica = { readonly name: string } & (
  { readonly problem: string } | { readonly lagMs: number }
);

/** Whether a replica is one of the primary and follows it, as each read asks. */
export async function examineReplica(
  primary: Reader,
  url: string,
  terms: ReplicaTerms,
): Promise<ExaminedReplica> {
  await using replica = new Replica(url, terms);
  const { name } = replica;
  const [point] = await primary.rows(askForReadPoint());
  try {
    return { name, lagMs: await replica.reach(point!) };
  } catch (thrown) {
    if (!(thrown instanceof ReplicaLeftOut)) throw thrown;
    return { name, problem: thrown.message };
  }
}
