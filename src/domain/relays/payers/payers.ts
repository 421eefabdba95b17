import type { Clock } from '../../../platform/kernel/clock.js';
import type { Address } from '../../../platform/ledger/index.js';
import type { Relay } from '../relay.js';
import { createPayerBalance, type BalanceNodes, type PayerBalance } from './payer-balance.js';
import type { RelaySigner } from './relay-signer.js';

/** A `retiring` payer signs nothing new. It is watched until none of its attempts is open. */
export type PayerState = 'paying' | 'retiring';

export interface Payer {
  readonly address: Address;
  readonly state: PayerState;
  readonly balance: PayerBalance;
}

/** The accounts that pay for relays, as configured for this process. Transactions signed by other payers are watched, too. */
export interface Payers {
  readonly all: readonly Payer[];
  /** Whether this process can sign. */
  readonly canSign: boolean;
  /**
   * Adds a key that was not available at the start. Returns the state of its account; `undefined` if the key was already there.
   */
  add(signer: RelaySigner): PayerState | undefined;
  /** The balance that each payer keeps to pay for requests that were accepted earlier. */
  readonly reserveLamports: number;
  /** Whether a payer has its reserve; `undefined` if there is no payer, or none is known to have it. */
  canPay(): Promise<boolean | undefined>;
  /** Chooses the payer of the next attempt, as of the next look. Requires `canSign`. */
  choose(relay: Turn): Promise<RelaySigner>;
}

/** What decides which payer's turn it is. */
type Turn = Pick<Relay, 'id' | 'attemptNumber' | 'failedLooks'>;

export interface PayersOptions {
  /** The available keys, each of a different account. */
  readonly signers: readonly RelaySigner[];
  /** Accounts that sign nothing new. Their keys may still be in `signers`. */
  readonly retiring?: readonly Address[];
  readonly nodes: BalanceNodes;
  readonly clock: Clock;
  readonly reserveLamports?: number;
  /** Called with each balance that is read. */
  readonly balanceRead?: (payer: Pick<Payer, 'address' | 'state'>, lamports: number) => void;
  /** Called with each provider whose balance a majority contradicts. */
  readonly lied?: (provider: string) => void;
}

const DEFAULT_RESERVE_LAMPORTS = 50_000_000;

export function createPayers(options: PayersOptions): Payers {
  const { nodes, clock, balanceRead, lied, reserveLamports = DEFAULT_RESERVE_LAMPORTS } = options;
  const retiring = new Set(options.retiring);
  const payer = (address: Address, state: PayerState): Payer => ({
    ...{ address, state },
    balance: createPayerBalance(nodes, address, clock, {
      reserveLamports,
      balanceRead: (lamports) => balanceRead?.({ address, state }, lamports),
      lied,
    }),
  });
  const paying: (Payer & { readonly signer: RelaySigner })[] = [];
  const atHand = new Set<Address>();
  const add = (signer: RelaySigner): PayerState | undefined => {
    const { address } = signer;
    if (atHand.has(address)) return undefined;
    atHand.add(address);
    if (retiring.has(address)) return 'retiring';
    paying.push({ signer, ...payer(address, 'paying') });
    return 'paying';
  };
  for (const signer of options.signers) add(signer);
  const leaving = [...retiring].map((address) => payer(address, 'retiring'));
  return {
    get all() {
      return [...paying, ...leaving];
    },
    get canSign() {
      return paying.length > 0;
    },
    add,
    reserveLamports,
    async canPay() {
      const balances = await Promise.all(paying.map(({ balance }) => balance()));
      if (balances.some((lamports) => lamports !== undefined && lamports >= reserveLamports)) return true;
      return balances.length === 0 || balances.includes(undefined) ? undefined : false;
    },
    async choose(relay) {
      const [only] = paying;
      if (!only) throw new Error('Nothing is prepared without a key.');
      if (paying.length === 1) return only.signer;
      const first = turnOf(relay) % paying.length;
      const turned = [...paying.slice(first), ...paying.slice(0, first)];
      const seen = await Promise.all(
        turned.map(async ({ signer, balance }) => ({ signer, lamports: (await balance()) ?? 0 })),
      );
      // The reserves exist for accepted requests: if no payer has its reserve, the richest one pays.
      const next = seen.find(({ lamports }) => lamports >= reserveLamports);
      return (next ?? seen.toSorted((one, other) => other.lamports - one.lamports)[0]!).signer;
    },
  };
}

/**
 * The position of a look in the order of payers. It depends only on the request, so that workers need no coordination and
 * payers have equal shares. Another attempt uses another payer, and so does the look after one that found nothing.
 */
function turnOf({ id, attemptNumber, failedLooks }: Turn): number {
  let turn = (attemptNumber ?? 0) + failedLooks;
  for (let at = 0; at < id.length; at += 1) turn += id.charCodeAt(at);
  return turn;
}
