/** Which members of an object are left out, and those of the objects in it. */
export interface Absences {
  /** Left out while they are null. */
  readonly whileNull: ReadonlySet<string>;
  /** By name: left out while another member is null. */
  readonly without: ReadonlyMap<string, string>;
  readonly deeper: ReadonlyMap<string, Absences>;
}

/** Every member is present, as in GraphQL. */
export const NOTHING_ABSENT: Absences = { whileNull: new Set(), without: new Map(), deeper: new Map() };
