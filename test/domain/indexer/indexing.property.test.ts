import { describe, expect, it } from '@jest/globals';
import { fc } from '../../kit/properties.js';
import { sql } from '../../../src/platform/database/index.js';
import { LedgerError, type Address } from '../../../src/platform/ledger/index.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { forFile } from '../../kit/for-file.js';
import { bindTestMint, storedMint, storedRecords } from './bound-mint.js';
import { databaseKilledAt, indexerFoundation, takeOver } from './follower-kit.js';
import { addressOf, instructions, ScriptedLedger } from './scripted-ledger.js';

const mint = addressOf('mint');
const auditorKey = new Uint8Array(32).fill(7);
const accounts = ['alice', 'bob', 'carol'].map(addressOf);

/** A transaction on the ledger, with the number of its instructions that are events of the mint. */
const transaction = fc.record({
  kind: fc.constantFrom('deposit', 'transfer', 'apply', 'all', 'stranger', 'failed'),
  account: fc.nat(2),
  other: fc.nat(2),
  sameSlot: fc.boolean(),
});
/** A step of the workers. */
const step = fc.oneof(
  { weight: 5, arbitrary: transaction.map((value) => ({ kind: 'transaction' as const, value })) },
  { weight: 2, arbitrary: fc.constant({ kind: 'turn' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('killed' as const),
      commit: fc.integer({ min: 1, max: 3 }),
      moment: fc.constantFrom('before' as const, 'after' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cut off' as const), calls: fc.nat(6) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'another worker' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'rescan' as const }) },
);

function happen(
  ledger: ScriptedLedger,
  opened: Set<Address>,
  { kind, account, other, sameSlot }: { kind: string; account: number; other: number; sameSlot: boolean },
): number {
  const [from, to] = [accounts[account]!, accounts[other]!];
  for (const needed of [from, to]) {
    if (opened.has(needed)) continue;
    opened.add(needed);
    ledger.addAccount(needed, mint);
  }
  const slot = ledger.chain.at(-1)!.slot + (sameSlot ? 0 : 1);
  const deposit = instructions.deposit(from, mint);
  const transfer = instructions.transfer(from, mint, to);
  const apply = instructions.applyPending(to);
  switch (kind) {
    case 'deposit':
      ledger.add([deposit], { slot });
      return 1;
    case 'transfer':
      ledger.add([transfer], { slot });
      return 1;
    case 'apply':
      ledger.add([apply], { slot });
      return 1;
    case 'all':
      ledger.add([apply, deposit, transfer], { slot });
      return 3;
    case 'failed':
      ledger.add([deposit, apply], { slot, failed: true });
      return 0;
    default:
      ledger.add([instructions.deposit(addressOf('stranger'), addressOf('other mint'))], { slot });
      return 0;
  }
}

const database = forFile(await createTestDatabase());

describe('for any sequence of events', () => {
  it('the records are the events of the ledger, each once, at positions without gaps', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        await database.rows(sql`truncate assets cascade`);
        const ledger = new ScriptedLedger();
        const bound = await bindTestMint(database, mint, { auditorPublicKey: auditorKey });
        ledger.addMint(mint, auditorKey);
        const opened = new Set<Address>();
        let expected = 0;
        let follower = await takeOver(database, ledger);

        for (const happening of steps) {
          switch (happening.kind) {
            case 'transaction':
              expected += happen(ledger, opened, happening.value);
              break;
            case 'turn':
              await follower.turn();
              break;
            case 'killed': {
              const killed = databaseKilledAt(database, happening.commit, happening.moment);
              const doomed = await takeOver(database, ledger, { foundation: indexerFoundation(killed) });
              await doomed.turn();
              follower = await takeOver(database, ledger);
              break;
            }
            case 'cut off': {
              let calls = 0;
              ledger.onCall = () => {
                calls += 1;
                if (calls > happening.calls) throw new LedgerError('unreachable', 'cut off');
              };
              await follower.turn();
              ledger.onCall = () => undefined;
              break;
            }
            case 'another worker':
              follower = await takeOver(database, ledger, { owner: 'another' });
              break;
            case 'rescan':
              await database.rows(sql`
                update followed_addresses set frontier_signature = null, frontier_slot = null`);
              follower = await takeOver(database, ledger);
              break;
          }
        }
        await follower.turn();

        const records = await storedRecords(database, bound);
        const events = records.filter(({ type }) => type !== 'configure_account');
        expect(records.map(({ position }) => position)).toEqual(records.map((_, index) => index + 1));
        expect(new Set(records.map(({ signature, path }) => `${signature}/${path.join('.')}`)).size).toBe(
          records.length,
        );
        expect(events).toHaveLength(expected);
        expect(records.length - events.length).toBe(opened.size);
        expect(await storedMint(database, bound)).toMatchObject({
          status: 'active',
          reason: null,
          recordCount: records.length,
        });
      }),
      { numRuns: 300, endOnFailure: true },
    );
  }, 480_000);
});
