import { base64, equalBytes } from '../../../platform/kernel/encoding/bytes.js';
import {
  decodeConfidentialEvents,
  decodeInitializations,
  type Address,
  type ConfidentialEvent,
  type InstructionPath,
  type LedgerTransaction,
  type Signature,
} from '../../../platform/ledger/index.js';
import type { FollowedKind } from '../../assets/index.js';
import type { FollowedAddress } from './followed-addresses.js';
import { IndexingProblem } from '../indexing-problem.js';
import type { MergedEntry } from './merge-histories.js';

/** One instruction in its stored form. */
export interface IndexedRecord {
  readonly signature: Signature;
  readonly slot: number;
  /** Unix seconds. */
  readonly blockTime: number | null;
  readonly signer: Address;
  readonly event: ConfidentialEvent;
}

/** Amounts are encrypted to this key from this instruction on. Null is no auditor. */
export interface AuditorKeyChange {
  readonly signature: Signature;
  readonly slot: number;
  /** Empty for the first key of the mint. */
  readonly path: InstructionPath | readonly [];
  /** 32 bytes. */
  readonly publicKey: Uint8Array | null;
}

export interface FrontierMove {
  readonly signature: Signature;
  readonly slot: number;
  /** The first new transaction of the chunk. */
  readonly oldest: Signature;
}

/** The indexed mint. */
export interface FollowedMint {
  readonly address: Address;
  /** The organization's auditor key in every epoch. */
  readonly auditorPublicKeys: readonly Uint8Array[];
  /** The newest slot at which the ledger showed one of them on the mint. Infinity if any key is accepted. */
  readonly verifiedSlot: number;
}

/** The findings in a chunk's transactions for one mint, in order. Pure. */
export class ChunkFindings {
  readonly records: IndexedRecord[] = [];
  readonly keyChanges: AuditorKeyChange[] = [];
  readonly frontiers = new Map<Address, FrontierMove>();
  readonly origins = new Set<Address>();
  /** Accounts that the mint gained or lost within the chunk. */
  readonly kinds = new Map<Address, FollowedKind>();

  #lostKey = false;

  constructor(
    private readonly mint: FollowedMint,
    private readonly followed: ReadonlyMap<Address, FollowedAddress>,
  ) {}

  /**
   * Whether the mint got another organization's key after the slot at which it was verified. What follows belongs to the
   * organization only if the ledger shows its key again.
   */
  get lostKey(): boolean {
    return this.#lostKey;
  }

  /** A failed transaction changed nothing, so only the frontiers move past it. */
  skip(entry: MergedEntry): void {
    this.#moveFrontiers(entry);
  }

  /** @throws {IndexingProblem} `undecodable_instruction`. Then no part of the transaction was added. */
  add(entry: MergedEntry, transaction: LedgerTransaction): void {
    const { events, malformed } = decodeConfidentialEvents(transaction);
    const [first] = malformed;
    if (first !== undefined) {
      const detail = { signature: transaction.signature, path: first.path.join('.'), cause: first.reason };
      throw new IndexingProblem('undecodable_instruction', detail);
    }
    this.#findOrigins(entry, transaction);
    for (const event of events) this.#addEvent(event, transaction);
    this.#moveFrontiers(entry);
  }

  #addEvent(event: ConfidentialEvent, transaction: LedgerTransaction): void {
    if (event.mint === undefined) {
      if (event.tokenAccounts.some((account) => this.#kindOf(account) === 'token_account')) {
        this.#record(event, transaction);
      }
      return;
    }
    if (event.mint === this.mint.address) {
      this.#record(event, transaction);
      for (const account of event.tokenAccounts) this.#become(account, 'token_account');
      return;
    }
    for (const account of event.tokenAccounts) {
      if (this.#kindOf(account) === 'token_account') this.#become(account, 'former_account');
    }
  }

  #record(event: ConfidentialEvent, { signature, slot, blockTime, signer }: LedgerTransaction): void {
    this.records.push({ signature, slot, blockTime, signer, event });
    if (event.type !== 'update_mint') return;
    const key = event.publicData.auditorElGamalPubkey;
    const publicKey = typeof key === 'string' ? (base64.decode(key) ?? null) : null;
    this.keyChanges.push({ signature, slot, path: event.path, publicKey });
    const isOwn = this.mint.auditorPublicKeys.some((own) => publicKey !== null && equalBytes(own, publicKey));
    this.#lostKey = !isOwn && slot > this.mint.verifiedSlot;
  }

  #kindOf(address: Address): FollowedKind | undefined {
    return this.kinds.get(address) ?? this.followed.get(address)?.kind;
  }

  #become(account: Address, kind: FollowedKind): void {
    if (this.#kindOf(account) !== kind) this.kinds.set(account, kind);
  }

  #findOrigins(entry: MergedEntry, transaction: LedgerTransaction): void {
    const sought = entry.mentions.filter(({ address }) => this.followed.get(address)?.originSeen === false);
    if (sought.length === 0) return;
    for (const initialization of decodeInitializations(transaction)) {
      const { address, kind } = initialization;
      if (!sought.some((mention) => mention.address === address)) continue;
      if ((kind === 'confidential_mint') !== (address === this.mint.address)) continue;
      this.origins.add(address);
      if (kind !== 'confidential_mint') continue;
      const { signature, slot } = transaction;
      this.keyChanges.push({
        signature,
        slot,
        path: [],
        publicKey: initialization.auditorPublicKey ?? null,
      });
    }
  }

  #moveFrontiers({ signature, slot, mentions }: MergedEntry): void {
    for (const { address, fresh } of mentions) {
      if (!fresh) continue;
      const oldest = this.frontiers.get(address)?.oldest ?? signature;
      this.frontiers.set(address, { signature, slot, oldest });
    }
  }
}
