import { BoundedMap } from '../../kernel/bounds/bounded-map.js';
import type { Address, Signature } from '../address.js';
import { LedgerError } from '../ledger-error.js';
import type { LedgerInstruction, LedgerSignature, LedgerTransaction } from '../ledger-reader.js';

/** The questions that a search asks one provider. */
export interface CreatorQuestions {
  /** Finalized transactions that name the account, newest first, that are older than `before`. */
  mentions(
    account: Address,
    page: { readonly before?: Signature; readonly limit: number },
  ): Promise<readonly LedgerSignature[]>;
  transaction(signature: Signature): Promise<LedgerTransaction | null>;
}

const PAGE_SIZE = 1_000;
/** Limit for transactions that only name the account, which anyone can send for the fee: this many pages cost 0.05 SOL. */
const MAX_PAGES = 10;
/** Maximum number read in one search. */
const MAX_TRANSACTIONS = 20;
const MAX_ACCOUNTS = 1_000;

/**
 * Finds the oldest successful transaction in which a program used an account. A search reads a limited number of transactions,
 * the oldest first. If that is not enough, it rejects, and the next search continues where it stopped: a finalized transaction
 * does not change.
 */
export class CreatorSearch {
  /** For the accounts of the latest searches, the newest transaction that was read, as were all older ones, and is not the creator. */
  private readonly passed = new BoundedMap<string, Signature>(MAX_ACCOUNTS);

  constructor(private readonly questions: CreatorQuestions) {}

  /** Returns null if the provider shows none. Rejects with `LedgerError`. */
  async creatorOf(account: Address, program: Address): Promise<Signature | null> {
    const key = `${account} ${program}`;
    const oldestFirst = (await this.allMentions(account)).map(({ signature }) => signature).toReversed();
    const passed = this.passed.get(key);
    const unread = passed === undefined ? oldestFirst : oldestFirst.slice(oldestFirst.indexOf(passed) + 1);
    let isMissing = false;
    for (const signature of unread.slice(0, MAX_TRANSACTIONS)) {
      const found = await this.questions.transaction(signature);
      // A provider may list a transaction that it can return only later.
      isMissing ||= found === null;
      if (found !== null && uses(found, account, program)) return signature;
      if (!isMissing) this.passed.set(key, signature);
    }
    if (unread.length > MAX_TRANSACTIONS) throw unfinished();
    return null;
  }

  /** Successful transactions, newest first. */
  private async allMentions(account: Address): Promise<readonly LedgerSignature[]> {
    const mentions: LedgerSignature[] = [];
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const before = mentions.at(-1)?.signature;
      const older = await this.questions.mentions(account, { limit: PAGE_SIZE, ...(before && { before }) });
      mentions.push(...older);
      if (older.length < PAGE_SIZE) return mentions.filter(({ failed }) => !failed);
    }
    throw unfinished();
  }
}

function uses({ failed, instructions }: LedgerTransaction, account: Address, program: Address): boolean {
  const isUse = ({ programId, accounts }: LedgerInstruction) =>
    programId === program && accounts.includes(account);
  return !failed && instructions.flatMap((one) => [one, ...one.inner]).some(isUse);
}

const unfinished = () =>
  new LedgerError('timeout', 'More transactions name the account than one search reads.');
