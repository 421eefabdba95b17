import { Gauge, type Registry } from 'prom-client';
import { acrossOrganizations, query, type Reader } from '../database/index.js';
import type { Keyring } from './keyring.js';

/** Metrics of the master key in use, of whether this instance reaches it, and of the values that are left to reseal. */
export function watchKeys(registry: Registry, keyring: Keyring, reader: Reader): void {
  const registers = [registry];
  new Gauge({
    name: 'lucarne_master_key_version',
    help: 'The newest version of the master key that this instance has reached.',
    registers,
    collect() {
      this.set(keyring.master.version);
    },
  });
  new Gauge({
    name: 'lucarne_master_key_reachable',
    help: '1 if this instance reached the master key at its last check, once a minute and after a rotation. At 0 it serves with the data keys that it holds, and cannot start again.',
    registers,
    collect() {
      this.set(keyring.master.isReachable ? 1 : 0);
    },
  });
  new Gauge({
    name: 'lucarne_values_to_reseal',
    help: 'Stored values that “lucarne master-key reseal” has yet to seal again, by purpose.',
    labelNames: ['purpose'] as const,
    registers,
    async collect() {
      // Without a database, the scrape must still answer, with the last values.
      const rows = await acrossOrganizations(() =>
        reader.rows(query.selectFrom('resealing').select(['purpose', 'values_left as left'])),
      ).catch(() => undefined);
      for (const { purpose, left } of rows ?? []) this.set({ purpose }, left);
    },
  });
}
