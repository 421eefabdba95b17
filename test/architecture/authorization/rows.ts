import type { Need } from '../../../src/edge/graphql/needs.js';

// Who may do what, written by hand: nothing here is derived from the tested code. Add a row for each new field of the schema
// and each new route. The matrix reports missing ones.

/** One permission that is sufficient: a name in a bucket, or a scope of an API key. */
export type Permission = Need;

/** `anyone`: even without credentials; `caller`: with any credentials; `member`: with a session. */
export type May = Permission | 'anyone' | 'caller' | 'member';

export const isPermission = (may: May): may is Permission => may.includes(' ');

/** `past`: authorized, even if the arguments are then refused. */
export type Outcome = 'answered' | 'past' | 400 | 401 | 403 | 404;

interface Expectation {
  /** Any one of these is sufficient. Other callers with credentials get 403, and callers without credentials 401. */
  readonly may: readonly May[];
  /** In addition, one of these is required. */
  readonly also?: readonly Permission[];
  /**
   * The outcome for authorized callers. Default: an answer for a query, and `past` for a mutation, which then has nonsense
   * arguments.
   */
  readonly outcome?: Outcome;
  /**
   * The outcome for a caller of another organization with all permissions there who requests the same object. Set in rows with
   * an object.
   */
  readonly stranger?: Outcome;
  /** The same for a member of this organization with all permissions in another application. */
  readonly neighbour?: Outcome;
}

/** Placeholders such as `{asset}` stand for objects of the organization: see `seedThings`. */
export interface FieldRow extends Expectation {
  /** `query name`, `mutation name` or `subscription name`. A second row of the same field adds the object. */
  readonly field: string;
  readonly of?: string;
  /** The arguments for the object. Default: the minimum that the types allow. */
  readonly given?: string;
}

export interface RouteRow extends Expectation {
  readonly route: string;
  /** Which credentials count. Others are ignored. */
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
