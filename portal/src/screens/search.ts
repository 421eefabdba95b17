import { EVENT_TYPES } from '../../../src/domain/activity-log/event-types.ts';
import { CASE_TRANSACTION_TYPES } from '../../../src/domain/cases/records/case-transaction-types.ts';
import { FLAGS, type Flag } from './flags.ts';
import { RELAY_STATUSES } from '../../../src/domain/relays/relay-state.ts';
import { CONFIDENTIAL_EVENT_TYPES } from '../../../src/platform/ledger/token-2022/confidential-event.ts';

/** What stands after the `?` of an address, as the router has read it. */
export type Search = Readonly<Record<string, unknown>>;

// Search parameters hold enums, dates and ids only; anything else is as if it were not there.
const wordIn =
  (pattern: RegExp) =>
  (value: unknown): string | undefined =>
    typeof value === 'string' && pattern.test(value) ? value : undefined;
const dayIn = wordIn(/^\d{4}-\d{2}-\d{2}$/);
const idIn = wordIn(/^[a-z]{3}_[0-9a-z]+$/);
/** An entry of the log by its index, or by its id. */
const entryIn = (value: unknown): string | number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : idIn(value);
/** The gateway and an operator of it act, too, and are no rows. */
const actorIn = wordIn(/^([a-z]{3}_[0-9a-z]+|gateway|operator)$/);
/** The foreignId of an application, which is its id here. */
const applicationIn = wordIn(/^[a-z0-9][a-z0-9-]{0,62}$/);
/** A path of the portal, and nothing that a browser could take for another host. */
const pathIn = wordIn(/^\/(?![/\\])/);

const oneOf = <Known extends string>(known: readonly Known[], value: unknown): Known | undefined =>
  known.find((one) => one === value);

/** Why a sign-in by a provider was refused, as far as the page says something else of each. */
const PROBLEMS = ['unauthenticated', 'not_found', 'unavailable', 'second_factor_required'] as const;
export type SignInProblem = (typeof PROBLEMS)[number];
/** Every refused sign-in has a message: an unknown reason uses the first one. */
const problemIn = (value: unknown): SignInProblem | undefined =>
  value === undefined ? undefined : (oneOf(PROBLEMS, value) ?? 'unauthenticated');
const idsIn = (value: unknown): string[] | undefined =>
  Array.isArray(value) ? value.filter((id) => idIn(id) !== undefined) : undefined;

/** Without the members that are not there. */
function present<Members extends object>(members: Members) {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Members]?: Exclude<Members[Name], undefined>;
  };
}

export const signInSearch = ({ next, ended, left, problem }: Search) =>
  present({
    next: pathIn(next),
    ended: ended === 'changed' ? ended : ended ? (true as const) : undefined,
    left: left ? (true as const) : undefined,
    problem: problemIn(problem),
  });

export const requestsSearch = ({ view }: Search) => present({ view: oneOf(['decided'], view) });

export const newRequestSearch = ({ from, to, assets, auditors, flags }: Search) =>
  present({
    from: dayIn(from),
    to: dayIn(to),
    assets: idsIn(assets),
    auditors: idsIn(auditors),
    flags: Array.isArray(flags) ? FLAGS.filter((flag: Flag) => flags.includes(flag)) : undefined,
  });

export const caseSearch = ({ tab, type, asset, from, to }: Search) =>
  present({
    tab: oneOf(['transactions', 'reports', 'activity'], tab),
    type: oneOf(CASE_TRANSACTION_TYPES, type),
    asset: idIn(asset),
    from: dayIn(from),
    to: dayIn(to),
  });

export const assetSearch = ({ type }: Search) => present({ type: oneOf(CONFIDENTIAL_EVENT_TYPES, type) });

export const reportsSearch = ({ report }: Search) => present({ report: idIn(report) });

export const logSearch = ({ event, from, to, by, of: objectId, entry }: Search) =>
  present({
    entry: entryIn(entry),
    event: oneOf(EVENT_TYPES, event),
    from: dayIn(from),
    to: dayIn(to),
    by: actorIn(by),
    of: idIn(objectId),
  });

export const addressesSearch = ({ check, status }: Search) =>
  present({ check: idIn(check), status: oneOf(['approved', 'revoked'], status) });

export const relaysSearch = ({ status, app, from, to }: Search) =>
  present({
    status: oneOf(RELAY_STATUSES, status),
    app: applicationIn(app),
    from: dayIn(from),
    to: dayIn(to),
  });

export const disclosuresSearch = ({ view, asset }: Search) =>
  present({ view: oneOf(['decided'], view), asset: idIn(asset) });
