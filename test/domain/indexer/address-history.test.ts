import { describe, expect, it } from '@jest/globals';
import { fc } from '../../kit/properties.js';
import type { Address, HistoryPage, Signature } from '../../../src/platform/ledger/index.js';
import {
  OVERLAP_SLOTS,
  readHistory,
  type HistoryEntry,
} from '../../../src/domain/indexer/following/address-history.js';
import { addressOf, instructions, ScriptedLedger } from './scripted-ledger.js';

const mint = addressOf('mint');
const account = addressOf('account');

function ledgerOf(length: number, transactionsPerSlot = 1): ScriptedLedger {
  const ledger = new ScriptedLedger();
  for (let index = 0; index < length; index += 1) {
    ledger.add([instructions.deposit(account, mint)], { slot: 10 + Math.floor(index / transactionsPerSlot) });
  }
  return ledger;
}

async function walk(
  ledger: ScriptedLedger,
  frontierIndex: number | undefined,
  known: (signature: Signature) => boolean = () => true,
) {
  const frontier = frontierIndex === undefined ? undefined : ledger.chain[frontierIndex];
  return all(await readHistory(ledger, { address: mint, frontier, minContextSlot: 0, isKnown: known }));
}

async function all(history: AsyncIterable<HistoryEntry>): Promise<HistoryEntry[]> {
  const entries: HistoryEntry[] = [];
  for await (const entry of history) entries.push(entry);
  return entries;
}

const signaturesOf = (entries: readonly { readonly signature: Signature }[]) =>
  entries.map(({ signature }) => signature);

/** A node that returns at most this number of entries per page, whatever was requested. */
function shortPages(ledger: ScriptedLedger, most: number): void {
  const honest = ledger.list.bind(ledger);
  ledger.list = (address: Address, page: HistoryPage) =>
    honest(address, { ...page, limit: Math.min(most, page.limit ?? 1000) });
}

describe('the history of an address', () => {
  it('contains everything, oldest first, when nothing is indexed', async () => {
    const ledger = ledgerOf(2_345);
    expect(signaturesOf(await walk(ledger, undefined))).toEqual(signaturesOf(ledger.chain));
  });

  it('contains what is newer than the frontier', async () => {
    const ledger = ledgerOf(300);
    expect(signaturesOf(await walk(ledger, 120))).toEqual(signaturesOf(ledger.chain.slice(121)));
  });

  it('is complete for any length of pages and slots', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 9 }),
        fc.option(fc.nat(59), { nil: undefined }),
        async (length, perSlot, pageLength, frontier) => {
          const ledger = ledgerOf(length, perSlot);
          shortPages(ledger, pageLength);
          const index = frontier === undefined ? undefined : Math.min(frontier, length - 1);
          const expected = ledger.chain.slice(index === undefined ? 0 : index + 1);
          expect(signaturesOf(await walk(ledger, index))).toEqual(signaturesOf(expected));
        },
      ),
      { numRuns: 100 },
    );
  });

  it('includes transactions just below the frontier, unless they were read before', async () => {
    const ledger = ledgerOf(200);
    const [late, looked] = [ledger.chain[99]!, ledger.chain[98]!];
    const entries = await walk(ledger, 100, (signature) => signature !== late.signature);
    expect(entries[0]).toMatchObject({ signature: late.signature, fresh: false });
    expect(signaturesOf(entries)).not.toContain(looked.signature);
    expect(entries.slice(1).every(({ fresh }) => fresh)).toBe(true);
  });

  it('does not go further below the frontier than the overlap', async () => {
    const ledger = ledgerOf(200);
    const entries = await walk(ledger, 100, () => false);
    expect(entries.filter(({ fresh }) => !fresh)).toHaveLength(OVERLAP_SLOTS);
  });

  it('has a gap when it passes the frontier without listing it', async () => {
    const ledger = ledgerOf(50);
    const frontier = ledger.chain[20]!;
    const honest = ledger.list.bind(ledger);
    ledger.list = (address, page) =>
      honest(address, page).filter(({ signature }) => signature !== frontier.signature);
    await expect(walk(ledger, 20)).rejects.toMatchObject({ reason: 'history_gap' });
  });

  it('has a gap when it ends above the frontier', async () => {
    const ledger = ledgerOf(50);
    const honest = ledger.list.bind(ledger);
    ledger.list = (address, page) => honest(address, page).filter(({ slot }) => slot > 40);
    await expect(walk(ledger, 20)).rejects.toMatchObject({ reason: 'history_gap' });
  });

  it('has a gap when the ledger returns nothing anymore', async () => {
    const ledger = ledgerOf(5);
    ledger.list = () => [];
    await expect(walk(ledger, 2)).rejects.toMatchObject({ reason: 'history_gap' });
  });

  it('is refused when `before` loops within a slot', async () => {
    const ledger = ledgerOf(30, 30);
    const honest = ledger.list.bind(ledger);
    // Ignores `before` when it is asked for a position inside the slot.
    ledger.list = (address) => honest(address, { limit: 10 });
    await expect(walk(ledger, undefined)).rejects.toMatchObject({ kind: 'nonsense' });
  });

  it('is refused when it loops over several pages', async () => {
    const ledger = ledgerOf(40, 40);
    const honest = ledger.list.bind(ledger);
    const first = honest(mint, { limit: 10 });
    ledger.list = (address, page) =>
      page.before === ledger.chain[10]!.signature ? first : honest(address, { ...page, limit: 10 });
    await expect(walk(ledger, undefined)).rejects.toMatchObject({ kind: 'nonsense' });
  });

  it('is refused when it is not ordered by slot', async () => {
    const ledger = ledgerOf(30);
    const honest = ledger.list.bind(ledger);
    ledger.list = (address, page) => honest(address, page).toReversed();
    await expect(walk(ledger, undefined)).rejects.toMatchObject({ kind: 'nonsense' });
  });

  it('is read a second time page by page when it is long, and refused when a page changed meanwhile', async () => {
    const ledger = ledgerOf(100);
    shortPages(ledger, 10);
    const history = await readHistory(ledger, {
      address: mint,
      frontier: undefined,
      minContextSlot: 0,
      isKnown: () => true,
    });
    const honest = ledger.list.bind(ledger);
    ledger.list = (address, page) => honest(address, page).slice(1);
    await expect(all(history)).rejects.toMatchObject({ kind: 'nonsense' });
  });
});
