import { print, styled, type Terminal } from './terminal.js';

/** What a check of a file found. */
export interface Verification {
  readonly valid: boolean;
  readonly checks: readonly { readonly name: string; readonly passed: boolean; readonly detail: string }[];
  /** What a file alone cannot show. */
  readonly unverified: readonly string[];
}

export function printVerification({ valid, checks, unverified }: Verification, terminal: Terminal): void {
  for (const { name, passed, detail } of checks) {
    const mark = passed ? styled(terminal, 'green', 'pass') : styled(terminal, 'red', 'FAIL');
    print(terminal, `${mark}  ${name.replaceAll('_', ' ').padEnd(18)}${detail}`);
  }
  if (!valid) return;
  print(terminal);
  print(terminal, 'A file alone cannot show:');
  for (const limit of unverified) print(terminal, `  - ${limit}`);
}
