import type { Foundation } from '../../platform/database/index.js';
import { isUnavailable } from '../../platform/kernel/errors.js';
import {
  type Address,
  LedgerError,
  type LedgerReader,
  type MentionSubscription,
} from '../../platform/ledger/index.js';
import { transactionsTopic } from '../transactions/index.js';
import type { FollowedMint } from './following/chunk-findings.js';
import { DueAddresses } from './following/due-addresses.js';
import { type FollowedAddress, loadFollowedAddresses } from './following/followed-addresses.js';
import { indexPass, MAX_PASS_ADDRESSES, type PassResult } from './index-pass.js';
import type { IndexerMetrics } from './indexer-metrics.js';
import type { IndexerTiming } from './indexer-timing.js';
import { IndexingProblem } from './indexing-problem.js';
import { checkMintOnLedger, loadMintRecord, type MintRecord } from './mint-expectation.js';
import type { MintLease } from './mint-lease.js';
import { writeProgress } from './mint-progress.js';
import { leaveMint, surrenderMint, verifyMint } from './mint-verification.js';
import {
  ACTIVE,
  type IndexingReason,
  isMintWrong,
  OBSERVED,
  type MintState,
  reasonOfLedgerError,
  stateAfterFailure,
} from './mint-state.js';
import { RecentSignatures } from './following/recent-signatures.js';
import { backOffMs, LeaseLost, pause, WakeUp } from '../../platform/jobs/index.js';

export interface FollowerOptions {
  readonly foundation: Pick<Foundation, 'database' | 'signals' | 'log'>;
  readonly ledger: LedgerReader;
  readonly lease: MintLease;
  readonly metrics: IndexerMetrics;
  readonly timing: IndexerTiming;
  /** Transactions fetched, and committed, together. */
  readonly chunkSize: number;
}

/** Accounts of one mint whose mentions are subscribed to. The indexer reads the others in turn. */
const MAX_SUBSCRIBED_ACCOUNTS = 1_000;
/** Minimum time between two turns, however many announcements arrive. */
const MIN_PAUSE_MS = 20;

/** Follows one mint while it holds the lease: checks it, indexes its past, then new transactions. */
export class MintFollower {
  readonly lease: MintLease;
  readonly #options: FollowerOptions;
  readonly #log: Foundation['log'];
  readonly #wakeUp = new WakeUp();
  readonly #due: DueAddresses;
  readonly #recent = new RecentSignatures();
  readonly #gaps = new Set<Address>();
  #followed = new Map<Address, FollowedAddress>();
  #record: MintRecord | undefined;
  #subscription: MentionSubscription | undefined;
  #subscribed = 0;
  #state: MintState = { status: 'pending', reason: null };
  #failures = 0;
  #checkpoint: number | undefined;
  /** The problem of the mint itself at its last check. */
  #mintProblem: IndexingReason | undefined;
  #mintCheckedAt = -Infinity;
  #progressWrittenAt = -Infinity;
  #gapsTriedAt = -Infinity;
  #stopped = false;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.lease = options.lease;
    this.#due = new DueAddresses(options.lease.mintAddress);
    this.#log = options.foundation.log.child({
      assetId: options.lease.assetId,
      mint: options.lease.mintAddress,
    });
  }

  get state(): MintState {
    return this.#state;
  }

  /** Ends after `stop`, or when the lease is lost. Never rejects. */
  async run(): Promise<void> {
    try {
      while (!this.#stopped) {
        await this.#wakeUp.wait(await this.turn());
        await pause(MIN_PAUSE_MS);
      }
    } catch (thrown) {
      if (thrown instanceof LeaseLost) this.#log.warn({}, 'Another worker follows the mint now.');
      else this.#log.error({ err: thrown }, 'Following the mint failed.');
    } finally {
      this.#subscription?.close();
      this.#options.metrics.mintLeft(this.lease.mintAddress);
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#wakeUp.wake();
  }

  /**
   * Runs one pass, and returns the milliseconds until the next.
   *
   * @throws {LeaseLost}
   */
  async turn(): Promise<number> {
    try {
      return await this.#turn();
    } catch (thrown) {
      try {
        if (thrown instanceof LedgerError) {
          this.#log.debug({ kind: thrown.kind, err: thrown }, 'The ledger could not be read.');
          return await this.#fail(reasonOfLedgerError(thrown.kind));
        }
        if (thrown instanceof IndexingProblem) return await this.#fail(thrown.reason, thrown.detail);
        throw thrown;
      } catch (failure) {
        return this.#failUnexpectedly(failure);
      }
    }
  }

  async #turn(): Promise<number> {
    const { ledger, timing, foundation, lease } = this.#options;
    this.#record ??= await this.#load();
    const finalizedSlot = await ledger.finalizedSlot();
    this.#measureLag(finalizedSlot);
    await this.#checkMint(finalizedSlot);
    const mint = this.#indexable();
    if (!mint) {
      this.#due.done(this.#followed.keys(), finalizedSlot, performance.now());
      return await this.#fail(this.#mintProblem ?? 'mint_not_found');
    }

    if (performance.now() - this.#gapsTriedAt >= timing.recheckIntervalMs) {
      this.#gapsTriedAt = performance.now();
      this.#due.add(this.#gaps);
    }
    const { result, records } = await this.#pass(mint, finalizedSlot);
    if (this.#stopped) return 0;
    if (result.keyChangedAt !== undefined) {
      this.#mintCheckedAt = -Infinity;
      await this.#checkMint(Math.max(finalizedSlot, result.keyChangedAt));
    }
    // Without a slot, the change was compared with a slot that the ledger had not reached.
    const isLost = result.lostKey || (result.keyChangedAt !== undefined && this.#record.verifiedSlot === 0);
    if (isLost && this.#mintProblem === 'auditor_key_mismatch') {
      await leaveMint(foundation.database, lease);
      this.#record = { ...this.#record, verifiedSlot: null };
      return await this.#fail(this.#mintProblem);
    }
    const delay = result.lostKey ? MIN_PAUSE_MS : this.#delay();
    await this.#conclude(result, records, finalizedSlot, delay);
    return delay;
  }

  async #load(): Promise<MintRecord> {
    const { foundation, lease, ledger } = this.#options;
    const record = await loadMintRecord(foundation.database, lease);
    this.#followed = await loadFollowedAddresses(foundation.database, lease.assetId);
    this.#state = { status: record.status, reason: record.reason as IndexingReason | null };
    this.#failures = record.failures;
    this.#due.add(this.#followed.keys());
    // Subscribed first, so that transactions during the read of the past are announced.
    const addresses = [...this.#followed.keys()].slice(0, MAX_SUBSCRIBED_ACCOUNTS);
    this.#subscribed = addresses.length;
    this.#subscription ??= ledger.subscribeToMentions(addresses, (signal) => {
      this.#due.hear(signal, this.#followed, performance.now());
      // While the ledger fails, announcements do not shorten the pause. Only its recovery does.
      const isHeldUp = this.#failures > 0 && this.#mintProblem === undefined;
      if (signal.kind === 'connected' || (signal.kind === 'mention' && !isHeldUp)) this.#wakeUp.wake();
    });
    return record;
  }

  /** The mint in the form in which it may be indexed. Undefined if nothing of it may be indexed. */
  #indexable(): FollowedMint | undefined {
    if (this.#record === undefined) return undefined;
    const { auditorPublicKeys, observed } = this.#record;
    const isObserved = observed && (this.#mintProblem ?? 'auditor_key_mismatch') === 'auditor_key_mismatch';
    const verifiedSlot = isObserved ? Infinity : this.#record.verifiedSlot;
    return verifiedSlot === null
      ? undefined
      : { address: this.lease.mintAddress, auditorPublicKeys, verifiedSlot };
  }

  /** Checks the mint if its last check is old, because its authority can change its key, and change it back. */
  async #checkMint(finalizedSlot: number): Promise<void> {
    const { ledger, lease, timing, foundation } = this.#options;
    const { verifiedSlot } = this.#record!;
    const age = performance.now() - this.#mintCheckedAt;
    const wasIndexable = this.#indexable() !== undefined;
    if (wasIndexable && age < timing.recheckIntervalMs) return;
    // The organization may have rotated its auditor key meanwhile.
    const record = { ...(await loadMintRecord(foundation.database, lease)), verifiedSlot };
    this.#record = record;
    const { slot, failure } = await checkMintOnLedger(ledger, lease, record, finalizedSlot);
    if (failure === undefined && (await verifyMint(foundation.database, lease, slot))) {
      this.#record = { ...record, verifiedSlot: Math.max(slot, record.verifiedSlot ?? 0) };
      this.#mintProblem = undefined;
    } else {
      // Without a failure, a newer view than this one verified another organization.
      this.#mintProblem = failure ?? 'auditor_key_mismatch';
      if (this.#mintProblem === 'auditor_key_mismatch' && record.verifiedSlot !== null) {
        // A view from before the verification: a node lags, or an earlier answer lied about its slot, which must not hide changes.
        const remembered = slot < record.verifiedSlot ? 0 : record.verifiedSlot;
        await surrenderMint(foundation.database, lease, remembered);
        this.#record = { ...record, verifiedSlot: remembered };
      }
    }
    // Announcements during the time without indexing were not processed.
    if (!wasIndexable && this.#indexable()) this.#due.add(this.#followed.keys());
    this.#mintCheckedAt = performance.now();
  }

  async #pass(mint: FollowedMint, finalizedSlot: number): Promise<{ result: PassResult; records: number }> {
    const { foundation, ledger, lease, metrics, chunkSize } = this.#options;
    const due = this.#due.take(this.#followed, MAX_PASS_ADDRESSES);
    let records = 0;
    const result = await indexPass({
      ledger,
      database: foundation.database,
      lease,
      metrics,
      mint,
      followed: this.#followed,
      recent: this.#recent,
      due,
      finalizedSlot,
      chunkSize,
      onLearned: (addresses) => this.#subscribe(addresses),
      onCommitted: (count) => {
        records += count;
        if (count > 0) foundation.signals.publish(transactionsTopic(lease.assetId));
      },
      isStopped: () => this.#stopped,
    });
    this.#due.done(result.walked, finalizedSlot, performance.now());
    for (const address of result.walked) this.#gaps.delete(address);
    for (const address of result.gaps) this.#gaps.add(address);
    return { result, records };
  }

  #subscribe(addresses: readonly Address[]): void {
    this.#due.add(addresses);
    const room = addresses.slice(0, Math.max(0, MAX_SUBSCRIBED_ACCOUNTS - this.#subscribed));
    this.#subscribed += room.length;
    this.#due.addSubscribed(room);
    if (room.length > 0) this.#subscription?.add(room);
  }

  async #conclude(
    { problem }: PassResult,
    records: number,
    finalizedSlot: number,
    delayMs: number,
  ): Promise<void> {
    const { foundation, lease, timing, metrics } = this.#options;
    const reason = this.#gaps.size > 0 ? 'history_gap' : this.#mintProblem;
    const state = this.#stateFor(reason);
    if (reason === 'history_gap') metrics.passFailed(reason);
    const isWhole = this.#gaps.size === 0 && !this.#due.isBehind;
    if (isWhole) this.#checkpoint = finalizedSlot;
    this.#measureLag(finalizedSlot);
    const isNews = this.#failures > 0 || records > 0 || this.#isNews(state);
    const isTime = performance.now() - this.#progressWrittenAt >= timing.progressIntervalMs;
    if (!isNews && !isTime) return;
    await writeProgress(foundation.database, lease, {
      state,
      failures: 0,
      delayMs,
      ...(isWhole && { checkpointSlot: finalizedSlot }),
    });
    this.#progressWrittenAt = performance.now();
    this.#failures = 0;
    this.#show(state, problem?.detail);
  }

  #stateFor(reason: IndexingReason | undefined): MintState {
    if (reason === undefined) return ACTIVE;
    return reason === 'auditor_key_mismatch' && this.#record?.observed === true
      ? OBSERVED
      : stateAfterFailure(this.#state, reason, 1);
  }

  async #fail(reason: IndexingReason, detail: object = {}): Promise<number> {
    const { foundation, lease, timing, metrics } = this.#options;
    this.#failures += 1;
    metrics.passFailed(reason);
    const pauseMs = backOffMs(timing.retry, this.#failures);
    // A wrong mint is checked again as soon as it is announced.
    const delayMs =
      isMintWrong(reason) && this.#due.awaitsAnnounced
        ? Math.min(pauseMs, timing.announcedIntervalMs)
        : pauseMs;
    const state = stateAfterFailure(this.#state, reason, this.#failures);
    await writeProgress(foundation.database, lease, { state, failures: this.#failures, delayMs });
    this.#show(state, detail);
    return delayMs;
  }

  /** The database failed, or Lucarne has a defect. The failure cannot be stored, and the state in memory may be outdated. */
  #failUnexpectedly(thrown: unknown): number {
    if (thrown instanceof LeaseLost) throw thrown;
    const { timing, metrics } = this.#options;
    this.#failures += 1;
    this.#record = undefined;
    metrics.passFailed(isUnavailable(thrown) ? 'database' : 'internal');
    this.#log.error({ err: thrown, failures: this.#failures }, 'Indexing the mint failed.');
    return backOffMs(timing.retry, this.#failures);
  }

  #measureLag(finalizedSlot: number): void {
    if (this.#checkpoint === undefined) return;
    const { metrics, lease } = this.#options;
    metrics.slotsBehind(lease.mintAddress, Math.max(0, finalizedSlot - this.#checkpoint));
  }

  #delay(): number {
    const { timing } = this.#options;
    if (this.#due.isBehind) return MIN_PAUSE_MS;
    return this.#due.awaitsAnnounced ? timing.announcedIntervalMs : timing.pollIntervalMs;
  }

  #isNews({ status, reason }: MintState): boolean {
    return status !== this.#state.status || reason !== this.#state.reason;
  }

  #show(state: MintState, detail: object = {}): void {
    if (!this.#isNews(state)) return;
    this.#state = state;
    if (state.status === 'active') this.#log.info({}, 'The mint is indexed.');
    else this.#log.warn({ ...state, ...detail }, 'Indexing of the mint is delayed.');
  }
}
