import { Gauge, type Registry } from 'prom-client';
import type { Reader } from '../../../platform/database/index.js';
import { listPayers } from './list-payers.js';
import type { Payer, Payers, PayersOptions } from './payers.js';

/** Gauges of the payers. The returned callback receives each balance. Each scrape reads the open attempts from `reader`. */
export function createPayerMetrics(
  registry: Registry,
  reader: Reader,
  payers: () => Payers,
): Required<Pick<PayersOptions, 'balanceRead'>> {
  const registers = [registry];
  const labelNames = ['payer', 'state'] as const;
  const balance = new Gauge({
    name: 'lucarne_relayer_balance_lamports',
    help: 'Balance of an account that pays for relays, as this instance read it last, by address and state; none while it is not known.',
    ...{ labelNames, registers },
    collect() {
      // The next scrape shows the result, so that providers that hang do not delay this one.
      for (const { address: payer, state, balance: read } of payers().all)
        void read().then((lamports) => lamports === undefined && balance.remove({ payer, state }));
    },
  });
  new Gauge({
    name: 'lucarne_relayer_reserve_lamports',
    help: 'The balance below which an account signs only where no other one has more.',
    registers,
    collect() {
      this.set(payers().reserveLamports);
    },
  });
  new Gauge({
    name: 'lucarne_relayer_open_attempts',
    help:
      'Signed transactions, of all instances, whose outcome is not proven, by the account that pays. ' +
      'One in state “removed” is in no configuration of this instance.',
    ...{ labelNames, registers },
    async collect() {
      // Without a database, the scrape must still answer, with the last values.
      const listed = await listPayers(reader, payers().all).catch(() => undefined);
      if (!listed) return;
      this.reset();
      for (const { address: payer, state, openAttempts } of listed) this.set({ payer, state }, openAttempts);
    },
  });
  return {
    balanceRead: ({ address: payer, state }: Pick<Payer, 'address' | 'state'>, lamports) =>
      balance.set({ payer, state }, lamports),
  };
}
