/** What a request that has not ended waits for. */
export const WAITS = [
  'landing',
  'finality',
  'majority',
  'effect',
  'agreement',
  'minimum_time',
  'silent_providers',
  'spender',
] as const;
export type Wait = (typeof WAITS)[number];

/** What each wait is for, and what bounds it. */
export const WAIT_BOUNDS: Readonly<Record<Wait, string>> = {
  landing: 'the transaction to land, at most until its blockhash expires (150 blocks)',
  finality: 'the ledger to finalize the transaction, at most until its blockhash expires (150 blocks)',
  majority: 'answers of more than half of the configured providers; it continues as soon as they answer',
  effect: 'every provider to show the effect of the transaction on accounts, usually the next look',
  agreement: 'providers to stop contradicting each other; it continues as soon as more than half agree',
  minimum_time: 'the shortest time in which 150 blocks can pass since the transaction was signed (45 s)',
  silent_providers: 'the providers that are silent or lag, at most 10 minutes after signing',
  spender:
    'a majority of providers to show the transaction that spent the nullifiers; configure providers with full history',
};
