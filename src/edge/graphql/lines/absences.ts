/** Which members of an object and its nested objects are omitted. */
export interface Absences {
  /** Members that are omitted while they are null. */
  readonly whileNull: ReadonlySet<string>;
  /** Members, by name, that are omitted while another member is null. */
  readonly without: ReadonlyMap<string, string>;
  readonly deeper: ReadonlyMap<string, Absences>;
}

/** Every member is present, as in GraphQL. */
export const NOTHING_ABSENT: Absences = { whileNull: new Set(), without: new Map(), deeper: new Map() };
