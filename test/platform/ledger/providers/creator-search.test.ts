import { describe, expect, it } from '@jest/globals';
import { base58 } from '../../../../src/platform/kernel/encoding/bytes.js';
import { LedgerError, signature, type Signature } from '../../../../src/platform/ledger/index.js';
import { startFaultLedger } from '../../../kit/ledger/fault-ledger.js';
import { fc } from '../../../kit/properties.js';
import { anAddress, historyRow, transactionAnswer } from '../answers.js';
import { openNodes } from './open-nodes.js';

const { open, nodeAt } = openNodes();
const PROGRAM = anAddress(2);
/** The fee payer of every transaction of this history. Each transaction names it, and one is by the program. */
const ACCOUNT = anAddress(1);
const OTHER_PROGRAM = { accountKeys: [ACCOUNT, anAddress(9)] };

const nth = (index: number): Signature =>
  signature(base58.encode(Uint8Array.from({ length: 64 }, (_, at) => (at < 2 ? index >> (8 * at) : 7))));

/** A provider with this number of transactions that name the account after and before its creation. */
async function history(after: number, before: number) {
  const names = Array.from({ length: after + 1 + before }, (_, index) => nth(index));
  const creator = names[after]!;
  const rows = names.map((name, at) => historyRow(0, 20_000 - at, { signature: name }));
  const ledger = await startFaultLedger({
    answers: {
      getSignaturesForAddress([, asked]) {
        const page = asked as { readonly before?: Signature; readonly limit: number };
        const start = page.before === undefined ? 0 : names.indexOf(page.before) + 1;
        return rows.slice(start, start + page.limit);
      },
      getTransaction: ([name]) =>
        transactionAnswer(name as Signature, {
          slot: 20_000 - names.indexOf(name as Signature),
          message: name === creator ? {} : OTHER_PROGRAM,
        }),
    },
  });
  open.push(ledger);
  return { ledger, creator, names };
}

describe('the search for the transaction that created an account', () => {
  it('ends for any number of transactions that name the account, and reads none twice', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(90), fc.nat(90), async (after, before) => {
        const { ledger, creator } = await history(after, before);
        const node = nodeAt(ledger.rpcUrl);
        const search = async (left: number): Promise<Signature | null> => {
          const read = ledger.countOf('getTransaction');
          const found = await node.creatorOf(ACCOUNT, PROGRAM).catch((thrown: unknown) => thrown);
          expect(ledger.countOf('getTransaction') - read).toBeLessThanOrEqual(20);
          if (!(found instanceof LedgerError)) return found as Signature | null;
          expect(found.kind).toBe('timeout');
          if (left === 0) throw found;
          return search(left - 1);
        };
        expect(await search(Math.floor(before / 20))).toBe(creator);
        expect(ledger.countOf('getTransaction')).toBe(before + 1);
      }),
      { numRuns: 20 },
    );
  });

  it('goes back past a thousand later transactions', async () => {
    const { ledger, creator } = await history(2_500, 3);
    expect(await nodeAt(ledger.rpcUrl).creatorOf(ACCOUNT, PROGRAM)).toBe(creator);
    expect(ledger.countOf('getSignaturesForAddress')).toBe(3);
  });

  it('rejects after ten thousand transactions, and does not return that there is none', async () => {
    const { ledger } = await history(10_000, 0);
    await expect(nodeAt(ledger.rpcUrl).creatorOf(ACCOUNT, PROGRAM)).rejects.toMatchObject({
      kind: 'timeout',
    });
    expect(ledger.countOf('getSignaturesForAddress')).toBe(10);
    expect(ledger.countOf('getTransaction')).toBe(0);
  });

  it('asks again for a transaction that the provider lists but does not have yet', async () => {
    const { ledger, creator } = await history(1, 1);
    const node = nodeAt(ledger.rpcUrl);
    ledger.fail('getTransaction', { kind: 'result', result: null }, 3);
    expect(await node.creatorOf(ACCOUNT, PROGRAM)).toBeNull();
    expect(await node.creatorOf(ACCOUNT, PROGRAM)).toBe(creator);
  });

  it('returns that there is none if every transaction was read', async () => {
    const { ledger } = await history(0, 30);
    const node = nodeAt(ledger.rpcUrl);
    await expect(node.creatorOf(ACCOUNT, anAddress(5))).rejects.toMatchObject({ kind: 'timeout' });
    expect(await node.creatorOf(ACCOUNT, anAddress(5))).toBeNull();
    expect(await node.creatorOf(ACCOUNT, anAddress(5))).toBeNull();
    expect(ledger.countOf('getTransaction')).toBe(31);
  });
});
