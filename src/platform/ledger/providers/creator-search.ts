import type { Address, Signature } from '../address.js';
import { LedgerError } from '../ledger-error.js';
import type { LedgerInstruction, LedgerSignature, LedgerTransaction } from '../ledger-reader.js';

/** What a search asks one provider. */
export interface CreatorQuestions {
  /** Finalized transactions that name the account, newest first, that are older than `before`. */
  mentions(
    account: Address,
    page: { readonly before?: Signature; readonly limit: number },
  ): Promise<readonly LedgerSignature[]>;
  transaction(signature: Signature): Promise<LedgerTransaction | null>;
}

const PAGE_SIZE = 1_000;
/** Anyone can name the account of somebody else in a transaction, for the fee. So this many pages cost 0.05 SOL. */
const MAX_PAGES = 10;
/** In one search. */
const MAX_TRANSACTIONS = 20;
const MAX_REMEMBERED = 10_000;

/**
 * Finds the oldest successful transaction in which a program used an account. A search reads a bounded number of
 * transactions. If that is not enough it rejects, and the next one continues: a finalized transaction that is not the creator never
 * becomes it, so none is read twice.
 */
export class CreatorSearch {
  /** Transactions that were read and did not use the account by the program. */
  private readonly others = new Set<string>();

  constructor(private readonly questions: CreatorQuestions) {}

  /** Null: the provider shows none. Rejects with `LedgerError`. */
  async creatorOf(account: Address, program: Address): Promise<Signature | null> {
    const keyOf = (signature: Signature) => `${account} ${program} ${signature}`;
    const mentions = await this.allMentions(account);
    const unread = mentions.filter(({ signature, failed }) => !failed && !this.others.has(keyOf(signature)));
    const oldestFirst = unread.toReversed();
    for (const { signature } of oldestFirst.slice(0, MAX_TRANSACTIONS)) {
      const found = await this.questions.transaction(signature);
      if (found === null) continue;
      const instructions = found.instructions.flatMap((one) => [one, ...one.inner]);
      const uses = ({ programId, accounts }: LedgerInstruction) =>
        programId === program && accounts.includes(account);
      if (!found.failed && instructions.some(uses)) return signature;
      this.remember(keyOf(signature));
    }
    if (oldestFirst.length > MAX_TRANSACTIONS) throw unfinished();
    return null;
  }

  private async allMentions(account: Address): Promise<readonly LedgerSignature[]> {
    const mentions: LedgerSignature[] = [];
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const before = mentions.at(-1)?.signature;
      const older = await this.questions.mentions(account, { limit: PAGE_SIZE, ...(before && { before }) });
      mentions.push(...older);
      if (older.length < PAGE_SIZE) return mentions;
    }
    throw unfinished();
  }

  private remember(key: string): void {
    this.others.add(key);
    if (this.others.size <= MAX_REMEMBERED) return;
    for (const oldest of this.others) {
      this.others.delete(oldest);
      return;
    }
  }
}

const unfinished = () =>
  new LedgerError('timeout', 'More transactions name the account than one search reads.');
