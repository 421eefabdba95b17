import type { Kernel } from './compile.ts';
import { constantsSource } from './proof-kernel/constants-source.ts';
import { fieldSource } from './proof-kernel/field-source.ts';

export const amountKernel: Kernel = { name: 'amount-kernel', features: [], generated: {} };

/** With `checked`, it traps at a step whose bounds are not proven: docs/proof-kernel.md. */
export const proofKernel = ({ checked }: { readonly checked: boolean }): Kernel => ({
  name: 'proof-kernel',
  features: ['relaxed-simd'],
  generated: { 'constants.ts': constantsSource(checked), 'field.ts': fieldSource() },
});
