import { Gauge, type Registry } from 'prom-client';
import type { DecryptionPool } from './decryption-pool.js';

/** A gauge of the unfinished work of the pool, updated at each scrape. */
export function watchDecryption(registry: Registry, pool: Pick<DecryptionPool, 'stats'>): void {
  new Gauge({
    name: 'lucarne_decryption_unfinished',
    help: 'Ciphertexts that wait for a decryption worker or are being decrypted.',
    registers: [registry],
    collect() {
      this.set(pool.stats.unfinished);
    },
  });
}
