import type { Clock } from '../../../platform/kernel/clock.js';
import type { Address } from '../../../platform/ledger/index.js';
import type { Relay } from '../relay.js';
import { createPayerBalance, type BalanceNodes, type PayerBalance } from './payer-balance.js';
import type { RelaySigner } from './relay-signer.js';

/** A `retiring` payer signs nothing new, and is watched until no attempt of its is open. */
export type PayerState = 'paying' | 'retiring';

export interface Payer {
  readonly address: Address;
  readonly state: PayerState;
  readonly balance: PayerBalance;
}

/** The accounts that pay for relays, as this process knows them. What was signed by any other one is watched, too. */
export interface Payers {
  readonly all: readonly Payer[];
  /** Whether this process can sign. */
  readonly canSign: boolean;
  /** Takes a key that is at hand only now. Returns the state of its account; `undefined` when its key was at hand before. */
  add(signer: RelaySigner): PayerState | undefined;
  /** Each payer's own: what it keeps to pay for what was accepted before. */
  readonly reserveLamports: number;
  /** Whether a payer has its reserve; `undefined` when there is none, or none is known to. */
  canPay(): Promise<boolean | undefined>;
  /** Who pays for the next attempt of the request, as of its next look. Only where `canSign`. */
  choose(relay: Turn): Promise<RelaySigner>;
}

/** What the turn of a payer follows from. */
type Turn = Pick<Relay, 'id' | 'attemptNumber' | 'failedLooks'>;

export interface PayersOptions {
  /** The keys that are at hand, each of another account. */
  readonly signers: readonly RelaySigner[];
  /** Accounts that sign nothing new. Their keys may be among `signers`, or be gone. */
  readonly retiring?: readonly Address[];
  readonly nodes: BalanceNodes;
  readonly clock: Clock;
  readonly reserveLamports?: number;
  /** Called with each balance that is read. */
  readonly told?: (payer: Pick<Payer, 'address' | 'state'>, lamports: number) => void;
  /** Called with each provider whose word about a balance a majority contradicts. */
  readonly lied?: (provider: string) => void;
}

const DEFAULT_RESERVE_LAMPORTS = 50_000_000;

export function createPayers(options: PayersOptions): Payers {
  const { nodes, clock, told, lied, reserveLamports = DEFAULT_RESERVE_LAMPORTS } = options;
  const retiring = new Set(options.retiring);
  const payer = (address: Address, state: PayerState): Payer => ({
    ...{ address, state },
    balance: createPayerBalance(nodes, address, clock, {
      reserveLamports,
      told: (lamports) => told?.({ address, state }, lamports),
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
      // The reserves are there for what was accepted: where nobody has more, the richest pays.
      const next = seen.find(({ lamports }) => lamports >= reserveLamports);
      return (next ?? seen.toSorted((one, other) => other.lamports - one.lamports)[0]!).signer;
    },
  };
}

/**
 * The place of a look in the order of payers. It is the request's own, so that workers agree on nothing and wait for
 * nobody, and payers have equal shares. Another attempt is another payer's, and so is the look after one that found nothing.
 */
function turnOf({ id, attemptNumber, failedLooks }: Turn): number {
  let turn = (attemptNumber ?? 0) + failedLooks;
  for (let at = 0; at < id.length; at += 1) turn += id.charCodeAt(at);
  return turn;
}
