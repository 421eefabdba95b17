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
  'signing_key',
] as const;
export type Wait = (typeof WAITS)[number];
/** While the end is not known. */
export type WaitForProof = Exclude<Wait, 'signing_key'>;

/** What each wait is for, and what bounds it, or why nothing does. `docs/relaying.md` has the same words. */
export const WAIT_BOUNDS: Readonly<Record<Wait, string>> = {
  landing:
    'the transaction to land, or more than half of the providers to pass the expiry of its blockhash (150 blocks, or 600 and 10 minutes if a provider named it wrong when it was signed); there is no time limit, because fewer prove nothing',
  finality:
    'the ledger to finalize or drop the transaction, and more than half of the providers to show it, which usually takes one more check; there is no time limit, because only finalized state ends a relay',
  majority:
    'more than half of the configured providers to answer and to agree; there is no time limit, because fewer prove nothing',
  effect:
    'more than half of the providers (all of them, if there are one or two) to show the effect of the transaction on accounts, which usually takes one more check; there is no time limit, because one answer alone proves nothing',
  agreement:
    'providers to stop contradicting each other; there is no time limit, because nobody can tell which of them is right: the relay continues as soon as more than half agree',
  minimum_time: 'the shortest time in which 150 blocks can pass since the transaction was signed (45 s)',
  silent_providers:
    'the providers that are silent, lag or contradict the others, at most 10 minutes after signing: then more than half decide',
  spender:
    'a majority of providers to show the transaction that spent the nullifiers; there is no time limit, because the transaction may be this relay’s own. Providers with full history can show it',
  signing_key:
    'the key that signs the receipts, because its store cannot be reached or refuses; the end is known. There is no time limit, because an end is recorded together with its receipts; signing is tried again at most 30 s after the store is back',
};
