import type { Fact, RequestRow } from './facts.ts';
import type { Block, Ledger } from './ledger.ts';
import type { Payer } from './payers.ts';
import type { Machine } from './scheduler.ts';
import type { LedgerTransaction } from './transaction.ts';

/** What must be true in every world. */
export const INVARIANTS = {
  lands_once: 'no nullifier lands twice through us',
  stored_before_sent: 'a provider sees only bytes that are stored',
  nothing_lost: 'no acknowledged request is lost',
  true_end: 'every end is true on the ledger',
  signed_on_chain:
    'nothing is signed with a blockhash that no block had, if less than half of the providers lie',
  no_early_retry: 'nothing is signed again while an earlier signature may land',
  ends_in_time: 'every request ends within the stated bound once a majority is honest and reachable',
  in_order: 'the changes of a request are in order, and their numbers and times grow',
  retired_rests: 'a process that knows that a payer retires signs nothing for it',
  reserve_kept:
    'if no payer has its reserve, nothing is accepted; only then does a payer without its reserve sign',
  forgotten: 'a package that was refused at submission is deleted after a day',
  fenced: 'only the worker that claimed a request last writes about it',
  no_surprise: 'every failure is one that the code expects',
} as const;
export type Invariant = keyof typeof INVARIANTS;

export class Violation extends Error {
  readonly invariant: Invariant;
  readonly detail: string;

  constructor(invariant: Invariant, detail: string) {
    super(`${INVARIANTS[invariant]}: ${detail}`);
    this.invariant = invariant;
    this.detail = detail;
  }
}

/** A request as the commits describe it. */
export interface KnownRequest {
  readonly id: string;
  status: string;
  reason: string | null;
  sequence: number;
  waitingFor: string | null;
  at: number;
  /** When its status last changed, in ms of simulated time. */
  changedAt: number;
  readonly attempts: KnownAttempt[];
  /** The worker that last claimed it. */
  holder: string | null;
  /** What its wallet knows. Absent until the answer contains the id. */
  nullifier?: string;
  isProvable?: boolean;
}

interface KnownAttempt {
  readonly number: number;
  readonly signature: string;
  readonly blockhash: string;
  outcome: string | null;
}

/** What the oracle needs to know about the world to decide which failures the relayer cannot avoid. */
export interface Circumstances {
  readonly now: () => number;
  readonly payers: readonly Payer[];
  /** Whether enough providers may lie that an invented blockhash can be signed. */
  readonly halfMayLie: boolean;
  /** Whether only payers have failed since this time. */
  readonly wasFairSince: (time: number) => boolean;
}

/** A balance is used for a minute after it was read, and a look takes some time. */
const BALANCE_AGE_MS = 90_000;

const ENDS: ReadonlySet<string> = new Set(['succeeded', 'rejected', 'failed']);

/** Compares the relayer's actions with the ledger, at each commit and at each finalized block. */
export class Oracle {
  readonly requests = new Map<string, KnownRequest>();
  /** The first answer to each submitted package. All later answers must be the same. */
  readonly acknowledged = new Map<string, string>();
  readonly #attempts = new Map<string, { readonly request: KnownRequest; readonly attempt: KnownAttempt }>();
  /** The payer that each process knows to retire, by process name. */
  readonly #retired = new Map<string, string>();
  readonly #transactions = new Map<string, LedgerTransaction>();
  ends: Record<string, number> = {};

  readonly #ledger: Ledger;
  readonly #circumstances: Circumstances;

  constructor(ledger: Ledger, circumstances: Circumstances) {
    this.#ledger = ledger;
    this.#circumstances = circumstances;
  }

  get open(): KnownRequest[] {
    return [...this.requests.values()].filter(({ status }) => !ENDS.has(status));
  }

  committed(fact: Fact, machine: Machine): void {
    switch (fact.table) {
      case 'request':
        this.#changed(fact.id, fact.before, fact.after, machine);
        break;
      case 'event':
        this.#event(fact);
        break;
      case 'attempt':
        this.#attempt(fact, machine);
        break;
      case 'conclusion':
        this.#conclusion(fact);
        break;
    }
  }

  /** Records that a process was started with the information that this payer (in hex) retires. */
  retired(process: string, payer: string): void {
    this.#retired.set(process, payer);
  }

  /** Records that a submission was refused because no payer has its reserve. */
  refusedAsPoor(): void {
    const { now, payers, wasFairSince } = this.#circumstances;
    const since = now() - BALANCE_AGE_MS;
    if (!wasFairSince(since)) return;
    const rich = payers.find((payer) => !payer.isRetiring && payer.wasRichSince(since));
    if (rich) throw new Violation('reserve_kept', `refused although ${rich.address} has its reserve`);
  }

  #requireReserve(id: string): void {
    const { now, payers, wasFairSince } = this.#circumstances;
    const since = now() - BALANCE_AGE_MS;
    if (wasFairSince(since) && payers.every(({ poorSince }) => poorSince < since))
      throw new Violation('reserve_kept', `${id} was accepted although no payer has its reserve`);
  }

  #requireRicher(id: string, publicKey: string): void {
    const { now, payers, wasFairSince } = this.#circumstances;
    const since = now() - BALANCE_AGE_MS;
    const signer = payers.find((payer) => payer.publicKey === publicKey);
    if (!signer || signer.poorSince >= since || !wasFairSince(since)) return;
    const richer = payers.find((payer) => payer !== signer && !payer.isRetiring && payer.wasRichSince(since));
    if (richer)
      throw new Violation('reserve_kept', `${signer.address} signed ${id}, and ${richer.address} has more`);
  }

  /** Records that bytes were sent to a provider. */
  handed(transaction: LedgerTransaction): void {
    this.#transactions.set(transaction.signature, transaction);
    if (!this.#attempts.has(transaction.signature))
      throw new Violation('stored_before_sent', `${short(transaction.signature)} was sent but is not stored`);
  }

  finalized({ landings, slot }: Block): void {
    for (const { transaction, failure } of landings) {
      if (transaction.isForeign) continue;
      const known = this.#attempts.get(transaction.signature);
      if (!known)
        throw new Violation('stored_before_sent', `${short(transaction.signature)} landed, not stored`);
      const { request, attempt } = known;
      const creator = this.#ledger.creator(transaction.nullifiers[0]!);
      if (
        failure !== null &&
        creator &&
        creator.transaction !== transaction &&
        !creator.transaction.isForeign
      )
        throw new Violation(
          'lands_once',
          `${request.id} pays again for a nullifier that ${short(creator.transaction.signature)} spent`,
        );
      if (attempt.outcome === 'dead')
        throw new Violation('true_end', `${short(attempt.signature)} was proven dead but landed at ${slot}`);
      if (failure === null && (request.status === 'failed' || request.status === 'rejected'))
        throw new Violation('true_end', `${request.id} is ${request.status} but its transaction succeeded`);
    }
  }

  /** Records the answer to a submission. */
  answered(digest: string, id: string): void {
    const before = this.acknowledged.get(digest);
    if (before !== undefined && before !== id)
      throw new Violation('nothing_lost', `one package has the ids ${before} and ${id}`);
    this.acknowledged.set(digest, id);
    if (!this.requests.has(id))
      throw new Violation('nothing_lost', `${id} was acknowledged but is not stored`);
  }

  /** Records that a subscriber received a change. */
  seen(id: string, last: number, sequence: number): void {
    if (sequence !== last + 1)
      throw new Violation('in_order', `a subscriber of ${id} received change ${sequence} after ${last}`);
    const stored = this.requests.get(id)?.sequence ?? 0;
    if (sequence > stored)
      throw new Violation('in_order', `a subscriber of ${id} received change ${sequence} of ${stored}`);
  }

  /** Checks that every request has ended. */
  requireEnds(): void {
    for (const { id, status, waitingFor } of this.open)
      throw new Violation('ends_in_time', `${id} is ${status} and waits for ${waitingFor}`);
  }

  /** Compares everything that was acknowledged with the tables at the end. */
  finally(
    rows: readonly { readonly id: string; readonly status: string; readonly sequence: number }[],
  ): void {
    const stored = new Map(rows.map((row) => [row.id, row]));
    for (const id of this.acknowledged.values())
      if (!stored.has(id)) throw new Violation('nothing_lost', `${id} was acknowledged but is missing`);
    this.requireEnds();
    for (const request of this.requests.values()) {
      this.#requireTrueEnd(request, null);
      this.ends[`${request.status}${request.reason === null ? '' : ` ${request.reason}`}`] =
        (this.ends[`${request.status}${request.reason === null ? '' : ` ${request.reason}`}`] ?? 0) + 1;
    }
  }

  #changed(id: string, before: RequestRow | null, after: RequestRow, machine: Machine): void {
    const request = this.requests.get(id);
    if (request) request.waitingFor = after.waitingFor;
    if (!request || !before) {
      this.requests.set(id, {
        ...{
          id,
          status: after.status,
          reason: null,
          sequence: 0,
          waitingFor: null,
          at: 0,
          changedAt: this.#circumstances.now(),
          attempts: [],
          holder: null,
        },
      });
      if (!before) this.#requireReserve(id);
      return;
    }
    if (after.token !== before.token) {
      if (before.isHeld)
        throw new Violation('fenced', `${machine.name} took ${id}, which ${before.owner} holds`);
      if (after.token < before.token)
        throw new Violation('fenced', `the fencing token of ${id} decreased to ${after.token}`);
      request.holder = machine.name;
      return;
    }
    const isAttempt = before.status === 'failed' && after.status === 'queued';
    const isRefusal = before.status === 'accepted' && after.status === 'rejected' && request.holder === null;
    if (isAttempt || isRefusal || request.holder === machine.name) return;
    throw new Violation(
      'fenced',
      `${machine.name} changed ${id} from ${before.status} to ${after.status}, but ${request.holder} claimed it last`,
    );
  }

  #event(fact: Extract<Fact, { table: 'event' }>): void {
    const request = this.requests.get(fact.id);
    if (!request) throw new Violation('in_order', `a change of ${fact.id} was written before the request`);
    if (fact.sequence !== request.sequence + 1)
      throw new Violation('in_order', `${fact.id} has change ${fact.sequence} after ${request.sequence}`);
    if (fact.at < request.at)
      throw new Violation(
        'in_order',
        `change ${fact.sequence} of ${fact.id} is older than the one before it`,
      );
    Object.assign(request, {
      status: fact.status,
      reason: fact.reason,
      sequence: fact.sequence,
      at: fact.at,
    });
    if (ENDS.has(fact.status)) this.#requireTrueEnd(request, fact);
    request.changedAt = this.#circumstances.now();
  }

  #attempt(
    { id, number, signature, blockhash, payer }: Extract<Fact, { table: 'attempt' }>,
    { name }: Machine,
  ): void {
    const request = this.requests.get(id)!;
    if (this.#retired.get(name) === payer)
      throw new Violation('retired_rests', `${name} signed ${id} for ${payer}, which retires`);
    this.#requireRicher(id, payer);
    if (!this.#circumstances.halfMayLie && !this.#ledger.everHashed.has(blockhash))
      throw new Violation('signed_on_chain', `${id} was signed with ${short(blockhash)}`);
    for (const { request: other, attempt } of this.#attempts.values()) {
      const isSameNullifier =
        other === request || (request.nullifier !== undefined && other.nullifier === request.nullifier);
      if (!isSameNullifier) continue;
      const landed = this.#ledger.landing(attempt.signature);
      if (landed && landed.failure === null)
        throw new Violation(
          'no_early_retry',
          `${id} signed again although ${short(attempt.signature)} landed`,
        );
      if (this.#ledger.mayLand(attempt.signature, attempt.blockhash))
        throw new Violation(
          'no_early_retry',
          `${id} signed again although ${short(attempt.signature)} may land`,
        );
    }
    const attempt = { number, signature, blockhash, outcome: null };
    request.attempts.push(attempt);
    this.#attempts.set(signature, { request, attempt });
  }

  #conclusion({ signature, outcome }: Extract<Fact, { table: 'conclusion' }>): void {
    const { attempt } = this.#attempts.get(signature)!;
    attempt.outcome = outcome;
    const isFinal = this.#ledger.isFinalized(signature);
    const failure = this.#ledger.landing(signature)?.failure ?? null;
    const isTrue = {
      landed: isFinal && failure === null,
      failed: isFinal && failure !== null,
      dead: !isFinal && !this.#ledger.mayLand(signature, attempt.blockhash),
    }[outcome];
    if (!isTrue)
      throw new Violation(
        'true_end',
        `${short(signature)} was concluded to be ${outcome}: ${this.truth(attempt)}`,
      );
  }

  #requireTrueEnd(request: KnownRequest, fact: Extract<Fact, { table: 'event' }> | null): void {
    const problem = this.#falsehood(request, fact);
    if (problem === undefined) return;
    const { id, status, reason, attempts } = request;
    const truth = attempts.map((attempt) => this.truth(attempt)).join('; ');
    throw new Violation(
      'true_end',
      `${id} ${status} ${reason ?? ''}: ${problem} (${truth || 'nothing signed'})`,
    );
  }

  #falsehood(
    { status, reason, attempts, nullifier, isProvable, changedAt }: KnownRequest,
    fact: Extract<Fact, { table: 'event' }> | null,
  ): string | undefined {
    const success = attempts.find(
      ({ signature }) =>
        this.#ledger.isFinalized(signature) && this.#ledger.landing(signature)!.failure === null,
    );
    if (status === 'succeeded') {
      if (!success) return 'none of its transactions succeeded';
      if (fact && fact.by !== 'state' && fact.signature !== success.signature)
        return 'another of its transactions succeeded';
      return undefined;
    }
    if (success) return `${short(success.signature)} succeeded`;
    const live = attempts.find(({ signature, blockhash }) => this.#ledger.mayLand(signature, blockhash));
    // A nullifier that another transaction spent cannot be spent again: our transaction has no effect if it lands.
    if (live && reason !== 'nullifiers_spent') return `${short(live.signature)} may still land`;
    const foreign = nullifier === undefined ? undefined : this.#ledger.creator(nullifier);
    switch (reason) {
      case 'transaction_failed':
        return attempts.some(({ signature }) => this.#ledger.isFinalized(signature))
          ? undefined
          : 'none of its transactions failed';
      case 'send_failed':
        return attempts.length === 0 ? 'nothing was signed' : undefined;
      case 'infrastructure_failed': {
        const { payers, wasFairSince } = this.#circumstances;
        const isHelpless = !wasFairSince(changedAt) || !payers.some((payer) => payer.wasAbleSince(changedAt));
        return fact === null || isHelpless ? undefined : 'everything that it needed was available';
      }
      case 'nullifiers_spent':
        if (nullifier === undefined) return undefined;
        return foreign?.transaction.isForeign && foreign.slot <= this.#ledger.finalizedSlot
          ? undefined
          : 'no other transaction spent its nullifier';
      case 'invalid_proof':
        return isProvable === true ? 'its proof is valid' : undefined;
      case 'simulation_failed':
        // A fork that ended may have spent it.
        return nullifier === undefined || this.#ledger.everSpent.has(nullifier)
          ? undefined
          : 'its transaction would succeed';
      case null:
      default:
        return `no request of this world can end by ${reason}`;
    }
  }

  truth({ signature, blockhash }: KnownAttempt): string {
    const landed = this.#ledger.landing(signature);
    if (landed) {
      const how = landed.failure === null ? 'succeeded' : 'failed';
      const final = this.#ledger.isFinalized(signature) ? 'final' : 'not final';
      return `${short(signature)} ${how} at ${landed.slot}, ${final}`;
    }
    return `${short(signature)} ${this.#ledger.mayLand(signature, blockhash) ? 'may land' : 'can never land'}`;
  }
}

const short = (text: string) => text.slice(0, 8);
