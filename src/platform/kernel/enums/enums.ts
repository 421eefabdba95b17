import { invalidMember, type ErrorDetail } from '../errors.js';

/** Whether `value` is in a closed list. */
export function isOneOf<Value extends string>(list: readonly Value[], value: unknown): value is Value {
  return (list as readonly unknown[]).includes(value);
}

/** Parses a value of a closed list. Any other value is `BAD_USER_INPUT`, and the error contains the list. */
export function parseOneOf<Value extends string>(
  member: string,
  list: readonly Value[],
  value: unknown,
  detail?: ErrorDetail,
): Value {
  if (!isOneOf(list, value)) throw invalidMember(member, `must be one of ${list.join(', ')}`, detail);
  return value;
}

/** The same for an optional value, such as a filter. */
export function parseOptionalOneOf<Value extends string>(
  member: string,
  list: readonly Value[],
  value: unknown,
): Value | undefined {
  return value === undefined || value === null ? undefined : parseOneOf(member, list, value);
}
