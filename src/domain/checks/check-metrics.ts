import { Counter, Gauge, type Registry } from 'prom-client';
import type { CheckReason, ScreeningStep } from './check-rules.js';

/** The metrics of checks. */
export interface CheckMetrics {
  readonly checked: (reason: CheckReason) => void;
  readonly screeningFailed: (step: ScreeningStep) => void;
  readonly sanctionsLoadFailed: () => void;
}

export interface SanctionsState {
  readonly version: string;
  readonly ageSeconds: number;
  readonly entries: number;
}

/** Each scrape calls `sanctions` for the loaded list. Without a list, its gauges are omitted. */
export function createCheckMetrics(
  registry: Registry,
  sanctions: () => SanctionsState | undefined,
): CheckMetrics {
  const registers = [registry];
  const checks = new Counter({
    name: 'lucarne_checks_total',
    help: 'Address checks that this instance recorded, by reason.',
    labelNames: ['reason'] as const,
    registers,
  });
  const screeningFailures = new Counter({
    name: 'lucarne_screening_failures_total',
    help: 'Screening steps that gave no answer, by step. These checks approve nothing.',
    labelNames: ['step'] as const,
    registers,
  });
  const sanctionsLoadFailures = new Counter({
    name: 'lucarne_sanctions_load_failures_total',
    help: 'Failed attempts to read the sanctions file. The previous list stays in force.',
    registers,
  });
  new Gauge({
    name: 'lucarne_sanctions_list_info',
    help: 'The sanctions list in force: date of issue and SHA-256 of its file. Always 1.',
    labelNames: ['version'] as const,
    registers,
    collect() {
      this.reset();
      const list = sanctions();
      if (list) this.set({ version: list.version }, 1);
    },
  });
  const gauge = (name: string, help: string, value: 'ageSeconds' | 'entries') =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        const list = sanctions();
        if (list) this.set(list[value]);
        else this.remove();
      },
    });
  gauge('lucarne_sanctions_list_age_seconds', 'Time since the sanctions list was issued.', 'ageSeconds');
  gauge('lucarne_sanctions_list_entries', 'Addresses of the sanctions list.', 'entries');
  return {
    checked: (reason) => checks.inc({ reason }),
    screeningFailed: (step) => screeningFailures.inc({ step }),
    sanctionsLoadFailed: () => sanctionsLoadFailures.inc(),
  };
}
