import { describe, expect, it } from '@jest/globals';
import { LedgerError } from '../../../src/platform/ledger/index.js';
import { storedMint, storedRecords } from './bound-mint.js';
import { takeOver } from './follower-kit.js';
import { instructions } from './scripted-ledger.js';
import { alice, bob, followerStories, mint } from './follower-stories.js';

const stories = followerStories();
const { openAccounts, typesOf } = stories;

describe('an untrustworthy ledger', () => {
  it('is reported for a new mint immediately, and for an active one when it persists', async () => {
    openAccounts();
    stories.ledger.onCall = () => {
      throw new LedgerError('unreachable', 'down');
    };
    const follower = await takeOver(stories.database, stories.ledger);
    await follower.turn();
    expect(await storedMint(stories.database, stories.bound)).toMatchObject({
      status: 'pending',
      reason: 'ledger_unreachable',
      failures: 1,
    });
    stories.ledger.onCall = () => undefined;
    await follower.turn();
    stories.ledger.onCall = () => {
      throw new LedgerError('nonsense', 'gibberish');
    };
    await follower.turn();
    await follower.turn();
    expect(await storedMint(stories.database, stories.bound)).toMatchObject({
      status: 'active',
      failures: 2,
    });
    await follower.turn();
    expect(await storedMint(stories.database, stories.bound)).toMatchObject({
      status: 'pending',
      reason: 'ledger_nonsense',
    });
    stories.ledger.onCall = () => undefined;
    await follower.turn();
    expect(await storedMint(stories.database, stories.bound)).toMatchObject({
      status: 'active',
      reason: null,
      failures: 0,
    });
  });

  it('is not skipped where it lists a transaction that it does not return', async () => {
    openAccounts();
    const withheld = stories.ledger.add([instructions.deposit(alice, mint)]);
    stories.ledger.add([instructions.transfer(alice, mint, bob)]);
    stories.ledger.withheld.add(withheld.signature);
    const follower = await takeOver(stories.database, stories.ledger);
    for (let attempt = 0; attempt < 3; attempt += 1) await follower.turn();
    expect(await typesOf()).toEqual(['configure_account', 'configure_account']);
    expect(await storedMint(stories.database, stories.bound)).toMatchObject({
      status: 'error',
      reason: 'transaction_unavailable',
    });
    stories.ledger.withheld.clear();
    await follower.turn();
    expect((await typesOf()).slice(2)).toEqual(['confidential_deposit', 'confidential_transfer']);
    expect(await storedMint(stories.database, stories.bound)).toMatchObject({
      status: 'active',
      reason: null,
    });
  });

  it('is not trusted when a transaction contradicts its history', async () => {
    openAccounts();
    const honest = stories.ledger.transactions.bind(stories.ledger);
    stories.ledger.transactions = async (signatures) =>
      (await honest(signatures)).map((read) =>
        read.status === 'found' ? { ...read, transaction: { ...read.transaction, failed: true } } : read,
      );
    await (await takeOver(stories.database, stories.ledger)).turn();
    expect(await storedMint(stories.database, stories.bound)).toMatchObject({
      status: 'pending',
      reason: 'ledger_nonsense',
    });
    expect(await typesOf()).toEqual([]);
  });

  it('stops the indexer at an instruction of an unknown form', async () => {
    openAccounts();
    stories.ledger.add([instructions.truncatedDeposit(alice, mint)]);
    stories.ledger.add([instructions.deposit(alice, mint)]);
    const follower = await takeOver(stories.database, stories.ledger);
    await follower.turn();
    await follower.turn();
    expect(await typesOf()).toEqual(['configure_account', 'configure_account']);
    expect(await storedMint(stories.database, stories.bound)).toMatchObject({
      status: 'error',
      reason: 'undecodable_instruction',
    });
  });

  it('causes a gap when it has lost the frontier, and closes it when it returns', async () => {
    openAccounts();
    const follower = await takeOver(stories.database, stories.ledger);
    await follower.turn();
    const [forgotten] = stories.ledger.chain.slice(-1);
    stories.ledger.add([instructions.deposit(alice, mint)]);
    const honest = stories.ledger.list.bind(stories.ledger);
    stories.ledger.list = (address, page) =>
      honest(address, page).filter(({ slot }) => slot > forgotten!.slot);
    await follower.turn();
    expect(await storedMint(stories.database, stories.bound)).toMatchObject({
      status: 'error',
      reason: 'history_gap',
    });
    expect(await typesOf()).toEqual(['configure_account', 'configure_account']);

    stories.ledger.list = honest;
    await follower.turn();
    expect(await storedMint(stories.database, stories.bound)).toMatchObject({
      status: 'active',
      reason: null,
    });
    expect((await typesOf()).at(-1)).toBe('confidential_deposit');
  });

  it('causes a gap when its history has no beginning, and is read completely once it has', async () => {
    openAccounts();
    stories.ledger.add([instructions.deposit(alice, mint)]);
    const honest = stories.ledger.list.bind(stories.ledger);
    // Pruned: everything older than bob's account is missing.
    const pruned = stories.ledger.chain[2]!.slot;
    stories.ledger.list = (address, page) => honest(address, page).filter(({ slot }) => slot >= pruned);
    const follower = await takeOver(stories.database, stories.ledger);
    await follower.turn();
    expect(await storedMint(stories.database, stories.bound)).toMatchObject({
      status: 'error',
      reason: 'history_gap',
    });
    expect(await typesOf()).toEqual(['configure_account', 'confidential_deposit']);

    stories.ledger.list = honest;
    await follower.turn();
    expect(await storedMint(stories.database, stories.bound)).toMatchObject({
      status: 'active',
      reason: null,
      recordCount: 3,
    });
    expect(await typesOf()).toEqual(['configure_account', 'confidential_deposit', 'configure_account']);
  });

  it('is detected when it truncates a history during the walk', async () => {
    openAccounts();
    for (let index = 0; index < 1_500; index += 1) stories.ledger.add([instructions.deposit(alice, mint)]);
    const honest = stories.ledger.list.bind(stories.ledger);
    stories.ledger.list = (address, page) => (page.before === undefined ? honest(address, page) : []);
    const follower = await takeOver(stories.database, stories.ledger, { chunkSize: 500 });
    await follower.turn();
    expect(await storedMint(stories.database, stories.bound)).toMatchObject({
      status: 'error',
      reason: 'history_gap',
    });
    stories.ledger.list = honest;
    await follower.turn();
    expect(await storedMint(stories.database, stories.bound)).toMatchObject({
      status: 'active',
      recordCount: 1_502,
    });
  });

  it('is searched just below the frontier for what a node listed late', async () => {
    openAccounts();
    const late = stories.ledger.add([instructions.deposit(alice, mint)]);
    stories.ledger.add([instructions.deposit(bob, mint)]);
    const honest = stories.ledger.list.bind(stories.ledger);
    stories.ledger.list = (address, page) =>
      honest(address, page).filter(({ signature }) => signature !== late.signature);
    const follower = await takeOver(stories.database, stories.ledger);
    await follower.turn();
    expect(await storedMint(stories.database, stories.bound)).toMatchObject({ recordCount: 3 });
    stories.ledger.list = honest;
    await follower.turn();
    expect((await storedRecords(stories.database, stories.bound)).at(-1)).toMatchObject({
      position: 4,
      signature: late.signature,
    });
    expect(await storedMint(stories.database, stories.bound)).toMatchObject({
      latestSlot: stories.ledger.chain.at(-1)!.slot,
    });
  });
});
