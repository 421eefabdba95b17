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
/** The waits while the end is not known. */
export type WaitForProof = Exclude<Wait, 'signing_key'>;

/** What each wait is for, and what limits it, or why nothing does. `docs/relaying.md` has the same texts. */
export const WAIT_BOUNDS: Readonly<Record<Wait, string>> = {
  landing:
    'the transaction to land, or more than half of the providers to pass the expiry of its blockhash (150 blocks; up to 600 if a provider was silent or returned a wrong slot when the transaction was signed; at the latest 600 blocks and 10 minutes). There is no time limit, because fewer providers prove nothing',
  finality:
    'the ledger to finalize or drop the transaction, and more than half of the providers to show it, which usually takes one more check. There is no time limit, because only finalized state ends a relay',
  majority:
    'more than half of the configured providers to answer and to agree. There is no time limit, because fewer providers prove nothing',
  effect:
    'more than half of the providers (all of them, if there are one or two) to show the effect of the transaction on accounts, which usually takes one more check. There is no time limit, because one answer alone proves nothing',
  agreement:
    'the providers to stop contradicting each other. The relay continues as soon as more than half of them agree. There is no time limit, because the gateway cannot know which of them is right',
  minimum_time:
    '45 seconds to pass since the transaction was signed: the shortest time in which the ledger can produce 150 blocks',
  silent_providers:
    'the providers that do not answer, lag or contradict the others, at most 10 minutes after signing. Then more than half of the providers decide',
  spender:
    'a majority of providers to show the transaction that spent the nullifiers; providers with full history can show it. There is no time limit, because that transaction may be this relay’s own',
  signing_key:
    'the key that signs the receipts, because its store cannot be reached or refuses. The end of the relay is known. There is no time limit, because an end is recorded together with its receipts. Signing is tried again at most 30 seconds after the store is available again',
};
