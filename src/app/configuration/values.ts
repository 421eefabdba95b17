import path from 'node:path';
import { ConfigurationError } from '../../platform/kernel/configuration-error.js';
import type { Read, VariableName } from './variables.js';

export function parseFile(read: Read, name: VariableName): string | undefined {
  const file = read(name);
  return file === undefined ? undefined : path.resolve(file);
}

/** Values separated by commas; none if the variable is not set. */
export function parseList(read: Read, name: VariableName): string[] {
  const values = (read(name) ?? '').split(',').map((value) => value.trim());
  return values.filter((value) => value !== '');
}

const MAX_COUNT = 999_999_999;

export function parseLimit(read: Read, name: VariableName, otherwise: number, max = MAX_COUNT): number {
  const value = read(name);
  return value === undefined ? otherwise : parseCount(name, value, max);
}

/** An amount in lamports. A whole SOL has a thousand million of them. */
export const parseLamports = (read: Read, name: VariableName, otherwise: number): number =>
  parseLimit(read, name, otherwise, Number.MAX_SAFE_INTEGER);

export function parseCount(name: VariableName, value: string, max = MAX_COUNT): number {
  if (!/^[1-9]\d{0,15}$/.test(value) || Number(value) > max)
    throw invalid(name, value, `a whole number from 1 to ${max}`);
  return Number(value);
}

export function parseSwitch(name: VariableName, value: string): boolean {
  if (value === '0' || value === 'false') return false;
  if (value === '1' || value === 'true') return true;
  throw invalid(name, value, '1 or 0');
}

export function parseChoice<Choice extends string>(
  name: VariableName,
  choices: readonly Choice[],
  value: string,
): Choice {
  const choice = choices.find((candidate) => candidate === value);
  if (choice === undefined) throw invalid(name, value, `one of ${choices.join(', ')}`);
  return choice;
}

export function parseUrl(read: Read, name: VariableName, protocols: readonly string[]): URL | undefined {
  const value = read(name);
  return value === undefined ? undefined : parseUrlValue(name, value, protocols);
}

export function parseUrlValue(name: VariableName, value: string, protocols: readonly string[]): URL {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  // A URL can hold a password: it is not repeated.
  if (!url || !protocols.includes(url.protocol)) {
    throw new ConfigurationError(`${name} must be a URL that begins with ${protocols.join('// or ')}//.`);
  }
  return url;
}

export function invalid(name: VariableName, value: string, expected: string): ConfigurationError {
  return new ConfigurationError(`${name} is “${value}”; it must be ${expected}.`);
}
