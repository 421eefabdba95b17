import type { Need } from '../../../src/edge/graphql/needs.js';

// Who may do what, written down by hand: nothing here is derived from the code under test. Add a row for each new field
// of the schema and each new route; the matrix says which is missing.

/** One permission that is enough: a name of a bucket, or a scope of an API key. */
export type Permission = Need;

/** `anyone`: without credentials too; `caller`: who has any; `member`: who has a session. */
export type May = Permission | 'anyone' | 'caller' | 'member';

/** `past`: let through, even if the arguments are then refused. */
export type Outcome = 'answered' | 'past' | 401 | 403 | 404;

interface Expectation {
  /** Any one of these is enough. Everyone else with credentials gets 403, and who has none 401. */
  readonly may: readonly May[];
  /** What those get who may; otherwise: an answer to a reading, `past` for a mutation, whose arguments are then nonsense. */
  readonly outcome?: Outcome;
  /**
   * What a caller of another organization gets who may do everything there, asking for the same thing. A row that names a
   * thing says it.
   */
  readonly stranger?: Outcome;
  /** The same of a member of this organization who may do everything, but in another application. */
  readonly neighbour?: Outcome;
}

/** `{asset}` and the like stand for things of the organization: see `seedThings`. */
export interface FieldRow extends Expectation {
  /** `query name`, `mutation name` or `subscription name`; a second row of one field says of what. */
  readonly field: string;
  readonly of?: string;
  /** Arguments of the thing that is asked for; the least that the types allow when absent. */
  readonly given?: string;
}

export interface RouteRow extends Expectation {
  readonly route: string;
  /** Which credentials count. The others are none. */
  readonly by: 'key' | 'session';
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: object;
}

export const NOT_THERE = { stranger: 404, neighbour: 404 } as const;
export const NOT_YOURS = { stranger: 403, neighbour: 403 } as const;
export const CASE_READERS = [
  'administrator cases:approve_creation',
  'administrator cases:list',
  'auditor reports:view_transactions',
] as const;
export const UNKNOWN_REQUEST = 'crq_01kaj8c4q2ez8bt7v5m1s9y3wd';
export const UNKNOWN_CASE = 'cas_01kaj8f7w5fmxvb2c8n4q6t1yr';
export const UNKNOWN_REPORT = 'rpt_01kaj9f3n6ez8bq4v7k9s2y6wd';
export const UNKNOWN_RELAY = 'rly_5r8kq2m0v4e1atjb7x9nw3h6cz';
