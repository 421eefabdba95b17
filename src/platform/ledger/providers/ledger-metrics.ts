import { Counter, Histogram, type Registry } from 'prom-client';
import type { LedgerCall } from './ledger-call.js';

/** Counts and times each call to a provider. Pass the result as the `observe` option of a ledger. */
export function createLedgerMetrics(registry: Registry): (call: LedgerCall) => void {
  const registers = [registry];
  const calls = new Counter({
    name: 'lucarne_ledger_calls_total',
    help: 'Calls to Solana RPC providers, by method, provider and outcome.',
    labelNames: ['method', 'provider', 'outcome'] as const,
    registers,
  });
  const duration = new Histogram({
    name: 'lucarne_ledger_call_duration_seconds',
    help: 'Time of a call to a Solana RPC provider, by method.',
    labelNames: ['method'] as const,
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 5, 15],
    registers,
  });
  return ({ method, provider, outcome, durationMs }) => {
    calls.inc({ method, provider, outcome });
    duration.observe({ method }, durationMs / 1000);
  };
}
