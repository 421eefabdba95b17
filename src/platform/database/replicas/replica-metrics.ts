import { Counter, Gauge, type Registry } from 'prom-client';
import type { ReplicatedReads } from './replicated-reads.js';

/**
 * Reports for each replica whether it is used, its lag, and how many reads it and the primary answered. Without replicas
 * the metrics have no values.
 */
export function watchReplicas(registry: Registry, reads: ReplicatedReads | undefined): void {
  const registers = [registry];
  const replicas = reads?.replicas ?? [];
  new Gauge({
    name: 'lucarne_replica_in_use',
    help: '1 if this instance reads from the replica, 0 while the primary answers instead. The log gives the reason.',
    labelNames: ['replica'] as const,
    registers,
    collect() {
      for (const { name, leftOut } of replicas) this.set({ replica: name }, leftOut === undefined ? 1 : 0);
    },
  });
  new Gauge({
    name: 'lucarne_replica_lag_seconds',
    help: 'Time that the replica last took to replay up to the position of the primary, measured every second.',
    labelNames: ['replica'] as const,
    registers,
    collect() {
      for (const { name, lagMs } of replicas)
        if (lagMs !== undefined) this.set({ replica: name }, lagMs / 1000);
    },
  });
  new Counter({
    name: 'lucarne_replicated_reads_total',
    help: 'Reads that may go to replicas, by the server that answered: the replica, or “primary”.',
    labelNames: ['server'] as const,
    registers,
    collect() {
      this.reset();
      for (const { name, reads: count } of replicas) this.inc({ server: name }, count);
      if (reads) this.inc({ server: 'primary' }, reads.readsOfPrimary);
    },
  });
}
