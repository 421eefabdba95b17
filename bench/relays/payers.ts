import { LOCAL_POOL_PROGRAM_ID, localPoolProgram, startLocalLedger } from '#devnet/index.js';
import type { Benchmark } from '../kit/benchmark.ts';
import { compare, timed } from '../kit/compare.ts';
import { openRelayer } from './relayer.ts';

const PAYERS = 4;
/** Relays that are submitted together. */
const TOGETHER = 50;
const MAX_PAIRS = 8;

/**
 * Relays that are submitted together, from the first submission to the last end, by a gateway with several payers, compared with
 * the same by a gateway with one. The local ledger runs one transaction after the other, for any payer: this measures what the
 * gateway itself gains or loses, and not what a ledger gains that runs transactions of different payers in parallel.
 */
export const benchmark: Benchmark = async (conditions) => {
  const { quick, pairs, parts, tell } = conditions;
  const ledger = parts.use(await startLocalLedger());
  ledger.addProgram(LOCAL_POOL_PROGRAM_ID, localPoolProgram());
  const open = async (payers: number) => {
    const relayer = parts.use(await openRelayer(conditions, ledger, { payers }));
    tell(`a gateway with ${payers} ${payers === 1 ? 'payer' : 'payers'}`);
    return relayer;
  };
  const [one, several] = [await open(1), await open(PAYERS)];
  const relays = quick ? 2 : TOGETHER;
  const arm = (relayer: typeof one) => () => timed(relays, () => relayer.relayTogether(relays));
  const comparison = await compare(
    { product: arm(several), reference: arm(one) },
    Math.min(pairs, MAX_PAIRS),
  );
  return [
    {
      what: `Relays, ${relays} together, ${PAYERS} payers`,
      unit: 'relays',
      reference: 'one payer',
      ...comparison,
    },
  ];
};
