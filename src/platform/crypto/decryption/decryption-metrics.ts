import { Gauge, type Registry } from 'prom-client';
import type { DecryptionPool } from './decryption-pool.js';

/** Shows at each scrape how much work the pool still has. */
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
