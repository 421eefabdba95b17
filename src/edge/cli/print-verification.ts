import type { Verification } from '../../platform/kernel/verification.js';
import { print, styled, type Terminal } from './terminal.js';

export function printVerification({ valid, checks, unverified }: Verification, terminal: Terminal): void {
  const width = Math.max(12, ...checks.map(({ name }) => name.length + 1));
  for (const { name, passed, detail } of checks) {
    const mark = passed ? styled(terminal, 'green', 'pass') : styled(terminal, 'red', 'FAIL');
    print(terminal, `${mark}  ${name.replaceAll('_', ' ').padEnd(width)}${detail}`);
  }
  if (!valid) return;
  print(terminal);
  print(terminal, 'A file alone cannot prove:');
  for (const limit of unverified) print(terminal, `  - ${limit}`);
}
