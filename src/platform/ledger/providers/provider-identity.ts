import { messageOf } from '../../kernel/errors.js';
import { isAddress } from '../address.js';
import { nonsense } from '../ledger-error.js';
import { AnswerBudget } from './answer-budget.js';
import { callJsonRpc, providerLabel } from './json-rpc.js';

/** The cluster that a provider reports, and how far the provider is. */
export interface ProviderIdentity {
  /** Host and position. */
  readonly label: string;
  readonly answer:
    { readonly genesisHash: string; readonly finalizedSlot: number } | { readonly failure: string };
}

/** Asks all providers at the same time, so that their slots can be compared. */
export function askIdentities(rpcUrls: readonly string[], timeoutMs: number): Promise<ProviderIdentity[]> {
  const options = { timeoutMs, closed: new AbortController().signal, budget: new AnswerBudget() };
  return Promise.all(
    rpcUrls.map(async (url, at) => {
      const label = providerLabel(url, at);
      try {
        const [genesisHash, finalizedSlot] = await Promise.all([
          callJsonRpc(url, 'getGenesisHash', [], options),
          callJsonRpc(url, 'getSlot', [{ commitment: 'finalized' }], options),
        ]);
        // A genesis hash has the form of an address: 32 bytes in base58.
        if (typeof genesisHash !== 'string' || !isAddress(genesisHash))
          throw nonsense('The genesis hash is malformed.');
        if (!Number.isSafeInteger(finalizedSlot)) throw nonsense('The slot is malformed.');
        return { label, answer: { genesisHash, finalizedSlot: finalizedSlot as number } };
      } catch (thrown) {
        return { label, answer: { failure: messageOf(thrown) } };
      }
    }),
  );
}
