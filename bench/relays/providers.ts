import { LOCAL_POOL_PROGRAM_ID, localPoolProgram, startLocalLedger } from '#devnet/index.js';
import type { Benchmark, Result } from '../kit/benchmark.ts';
import { compare, quantile, timed } from '../kit/compare.ts';
import type { Manner } from '../ledger-node/provider.ts';
import { openRelayer, type Relayer } from './relayer.ts';
import { PROVIDERS } from './relaying.ts';

/** Relays of a block, one after the other. */
const RELAYS = 5;
/** Relays that are submitted together. */
const TOGETHER = 50;
/** How often a transaction that does not land is seen to be sent. */
const SENDINGS = 6;

/**
 * Relays by a whole gateway, from submission to their end, where one of three providers hangs or trickles, compared with the same
 * where each answers; how long many take that are submitted together; and how long a transaction that does not land waits to
 * be sent again.
 */
export const benchmark: Benchmark = async (conditions) => {
  const { quick, pairs, parts, tell } = conditions;
  const ledger = parts.use(await startLocalLedger());
  ledger.addProgram(LOCAL_POOL_PROGRAM_ID, localPoolProgram());
  const open = async (manner: Manner) => {
    const relayer = parts.use(await openRelayer(conditions, ledger, { manner }));
    tell(`a gateway, one of whose ${PROVIDERS} providers ${manner}`);
    return relayer;
  };
  const healthy = await open('answers');
  const impaired = { hangs: await open('hangs'), trickles: await open('trickles') };
  const relays = quick ? 1 : RELAYS;
  const arm = (relayer: Relayer) => () => timed(relays, () => relayer.relay(relays));
  const results: Result[] = [];
  for (const [manner, relayer] of Object.entries(impaired)) {
    const comparison = await compare({ product: arm(relayer), reference: arm(healthy) }, pairs);
    results.push({
      what: `Relays, one of three providers ${manner}`,
      unit: 'relays',
      reference: 'each provider answers',
      ...comparison,
    });
  }
  const together: Record<string, string> = {};
  for (const [at, relayer] of [healthy, ...Object.values(impaired)].entries()) {
    const endedMs = await relayer.relayTogether(quick ? 2 : TOGETHER);
    together[['each answers', ...Object.keys(impaired)][at]!] = medianAndGreatest(endedMs);
  }
  tell('relays that are submitted together have ended');
  const gaps = await Promise.all(
    [healthy, impaired.hangs, impaired.trickles].map((relayer) => relayer.rebroadcast(quick ? 2 : SENDINGS)),
  );
  tell('transactions that do not land are sent again');
  return results.map((result, at) => ({
    ...result,
    additional: {
      ...(at === 0
        ? prefixed(`${quick ? 2 : TOGETHER} together, end s, one of three providers`, together)
        : {}),
      ...figures([healthy, impaired.hangs, impaired.trickles][at + 1]!, gaps[at + 1]!),
      ...prefixed('of the reference:', figures(healthy, gaps[0]!)),
    },
  }));
};

const prefixed = (prefix: string, values: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix} ${name}`, value]));

/** In seconds. */
const medianAndGreatest = (timesMs: readonly number[]) =>
  [0.5, 1].map((part) => (quantile(timesMs, part) / 1000).toFixed(2)).join(' and ');

function figures({ firstSentMs, endedMs }: Relayer, gaps: readonly number[]): Record<string, string> {
  return {
    'first send s': medianAndGreatest(firstSentMs),
    'end s': medianAndGreatest(endedMs),
    'sent again after s': medianAndGreatest(gaps),
  };
}
