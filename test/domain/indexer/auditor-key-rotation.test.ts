import { describe, expect, it } from '@jest/globals';
import { operatorOf } from '../../../src/domain/access/index.js';
import { bindMint, createAsset, importAuditorKey } from '../../../src/domain/assets/index.js';
import { auditorKeysOf } from '../../../src/domain/assets/auditor-keys/auditor-keys.js';
import { auditorKeyCoverage } from '../../../src/domain/assets/auditor-keys/auditor-key-coverage.js';
import { rotateAuditorKey } from '../../../src/domain/assets/auditor-keys/rotate-auditor-key.js';
import { decryptRecords } from '../../../src/domain/transactions/index.js';
import { transactionsAfter } from '../../../src/domain/transactions/transaction.js';
import { formatElGamalKeypair, generateElGamalKeypair } from '../../../src/platform/crypto/index.js';
import { encrypt } from '../../kit/ledger/encrypt.js';
import { sql } from '../../../src/platform/database/index.js';
import { base64 } from '../../../src/platform/kernel/encoding/bytes.js';
import { inlinePool } from '../../kit/ledger/inline-pool.js';
import { fc } from '../../kit/properties.js';
import { type SeededOrganization, seedOrganization, openTestFoundation } from '../../kit/seed.js';
import { EURO } from '../assets/kit.js';
import { storedMint } from './bound-mint.js';
import { takeOver } from './follower-kit.js';
import { addressOf, instructions, ScriptedLedger } from './scripted-ledger.js';

const mint = addressOf('mint');
const [alice, bob] = [addressOf('alice'), addressOf('bob')] as const;
const NO_KEY = new Uint8Array(32);
const foreign = generateElGamalKeypair().publicKey;
const NEVER = new AbortController().signal;

let home: SeededOrganization;
const { database, foundation } = await openTestFoundation();

const newest = async () => (await auditorKeysOf(database, home.organization.id))[0]!.publicKey;
let today = foundation.clock.now().getTime();
/** Rotates on the next day, because an organization rotates only a few times a day. */
function rotate() {
  const now = new Date((today += 86_400_000));
  const clock = { now: () => now };
  return rotateAuditorKey({ ...foundation, clock }, home.owner.principal, { reason: 'The yearly rotation' });
}

/** A mint with the organization's first key, bound and indexed, and the next actions of its authority and holders. */
async function openMint(
  options: { readonly begunWith?: Uint8Array; readonly observe?: boolean; readonly decimals?: number } = {},
) {
  await database.rows(sql`truncate assets cascade`);
  home = await seedOrganization(foundation);
  const ledger = new ScriptedLedger();
  const asset = await createAsset(foundation, home.apiKey.principal, EURO);
  let onMint = options.begunWith ?? (await newest());
  ledger.addMint(mint, onMint, options.decimals);
  ledger.addAccount(alice, mint);
  ledger.addAccount(bob, mint);
  const binding = { assetId: asset.id, mintAddress: mint };
  const bind = (observe = false) => bindMint(foundation, home.apiKey.principal, { ...binding, observe });
  await bind(options.observe);
  const follower = await takeOver(database, ledger);
  let amount = 0n;
  /** The amounts and their keys, in the order of the ledger. */
  const paid: { readonly amount: bigint; readonly key: Uint8Array }[] = [];
  const slotOf = (sameSlot: boolean) => ledger.chain.at(-1)!.slot + (sameSlot ? 0 : 1);
  return {
    ledger,
    follower,
    paid,
    asset,
    bound: binding,
    bind,
    pay(sameSlot = false) {
      amount += 1n;
      const key = onMint.some((byte) => byte !== 0) ? onMint : foreign;
      const ciphertexts = new Uint8Array([...encrypt(key, amount), ...encrypt(key, 0n)]);
      ledger.add([instructions.transfer(alice, mint, bob, ciphertexts)], { slot: slotOf(sameSlot) });
      paid.push({ amount, key });
    },
    update(key: Uint8Array, sameSlot = false) {
      onMint = key;
      ledger.setMint(mint, key);
      ledger.add([instructions.updateMint(mint, key)], { slot: slotOf(sameSlot) });
    },
    transfers: async () =>
      (await transactionsAfter(database, home.organization.id, asset.id, 0, 200)).filter(
        ({ type }) => type === 'confidential_transfer',
      ),
    coverage: async () => (await auditorKeyCoverage(foundation, home.apiKey.principal, asset.id, {})).rows,
  };
}

describe('a mint whose authority installs the next auditor key', () => {
  it('stays indexed by a worker that followed it before the rotation', async () => {
    const story = await openMint();
    await story.follower.turn();
    await rotate();
    story.pay();
    story.update(await newest());
    story.pay();
    await story.follower.turn();
    await story.follower.turn();
    expect(await storedMint(database, story.bound)).toMatchObject({ status: 'active', isVerified: true });
    expect(await story.transfers()).toHaveLength(2);
  });

  it('has each record decrypted with the key of its time in one attempt, for any order of rotations and payments', async () => {
    const step = fc.record({
      kind: fc.constantFrom('pay', 'pay', 'rotate', 'newest', 'first', 'foreign', 'none', 'turn'),
      sameSlot: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
        const story = await openMint();
        const first = await newest();
        for (const { kind, sameSlot } of steps) {
          if (kind === 'pay') story.pay(sameSlot);
          else if (kind === 'rotate') await rotate();
          else if (kind === 'turn') await story.follower.turn();
          else {
            const keys = { newest: await newest(), first, foreign, none: NO_KEY };
            story.update(keys[kind], sameSlot);
          }
        }
        story.update(first);
        await story.follower.turn();
        await story.follower.turn();

        const records = await story.transfers();
        const own = await auditorKeysOf(database, home.organization.id);
        const isOwn = (key: Uint8Array) =>
          own.some(({ publicKey }) => base64.encode(publicKey) === base64.encode(key));
        const pool = inlinePool();
        const amounts = await decryptRecords(foundation, pool, story.asset, records, NEVER);
        expect(records.map(({ id }) => amounts.get(id))).toMatchObject(
          story.paid.map(({ amount, key }) =>
            isOwn(key) ? { kind: 'amount', value: amount } : { kind: 'undecryptable' },
          ),
        );
        const attempts = story.paid.map(({ key }) => (isOwn(key) ? 1 : own.length));
        expect(pool.asked).toBe(attempts.reduce((sum, count) => sum + count, 0));
      }),
      { numRuns: 20, endOnFailure: true },
    );
  }, 480_000);
});

describe('the auditor key coverage of a mint', () => {
  it('gives for each range of slots the key of the mint, and whether the organization has it', async () => {
    const story = await openMint();
    const first = await newest();
    const begun = story.ledger.chain[0]!.slot;
    story.update(NO_KEY);
    story.update(foreign);
    story.update(new Uint8Array(32).fill(255));
    await rotate();
    story.update(await newest());
    await story.follower.turn();
    expect(
      (await story.coverage()).map(({ fromSlot, toSlot, auditorElGamalPubkey, epoch, readable, reason }) => [
        ...[
          fromSlot - begun,
          toSlot === null ? null : toSlot - begun,
          auditorElGamalPubkey,
          epoch,
          readable,
          reason,
        ],
      ]),
    ).toEqual([
      [0, 3, base64.encode(first), 1, true, null],
      [3, 4, null, null, false, 'no_auditor'],
      [4, 5, base64.encode(foreign), null, false, 'foreign_key'],
      [5, 6, base64.encode(new Uint8Array(32).fill(255)), null, false, 'invalid_key'],
      [6, null, base64.encode(await newest()), 2, true, null],
    ]);
  });

  it('has the changes of one slot in ledger order', async () => {
    const story = await openMint();
    story.update(foreign);
    story.update(NO_KEY, true);
    story.update(await newest(), true);
    await story.follower.turn();
    expect((await story.coverage()).map(({ reason }) => reason)).toEqual([
      null,
      'foreign_key',
      'no_auditor',
      null,
    ]);
  });
});

describe('a mint that is observed only', () => {
  it.each([
    ['no key', NO_KEY, 'no_auditor'],
    ['another’s key', foreign, 'foreign_key'],
  ])('is indexed although it has %s, and says that nothing of it is readable', async (_, key, reason) => {
    const story = await openMint({ begunWith: key, observe: true });
    story.pay();
    await story.follower.turn();
    expect(await storedMint(database, story.bound)).toMatchObject({
      status: 'active',
      reason: 'auditor_key_mismatch',
      isVerified: false,
      isCaughtUp: true,
    });
    expect(await story.coverage()).toMatchObject([{ readable: false, reason, epoch: null, toSlot: null }]);
    const records = await story.transfers();
    expect(records).toMatchObject([{ ciphertexts: { auditor: {} } }]);
    const amounts = await decryptRecords(foundation, inlinePool(), story.asset, records, NEVER);
    expect([...amounts.values()]).toEqual([{ kind: 'undecryptable' }]);
  });

  it('is readable from the change that installs the organization’s key, and stays indexed after the next change', async () => {
    const story = await openMint({ begunWith: foreign, observe: true });
    story.pay();
    await story.follower.turn();
    story.update(await newest());
    story.pay();
    await story.follower.turn();
    expect(await storedMint(database, story.bound)).toMatchObject({ isVerified: true, reason: null });
    story.update(foreign);
    story.pay();
    await story.follower.turn();
    expect(await storedMint(database, story.bound)).toMatchObject({
      status: 'active',
      reason: 'auditor_key_mismatch',
      isVerified: false,
    });
    const records = await story.transfers();
    const amounts = await decryptRecords(foundation, inlinePool(), story.asset, records, NEVER);
    expect(records.map(({ id }) => amounts.get(id)?.kind)).toEqual([
      'undecryptable',
      'amount',
      'undecryptable',
    ]);
    expect((await story.coverage()).map(({ readable }) => readable)).toEqual([false, true, false]);
  });

  it('is indexed only once that is requested, by the same worker', async () => {
    const story = await openMint({ begunWith: foreign });
    story.pay();
    await story.follower.turn();
    expect(await storedMint(database, story.bound)).toMatchObject({ status: 'error', recordCount: 0 });
    await story.bind(true);
    await story.follower.turn();
    expect(await storedMint(database, story.bound)).toMatchObject({ status: 'active', isVerified: false });
    expect(await story.transfers()).toHaveLength(1);
    // An observed mint stays observed.
    await story.bind(false);
    await story.follower.turn();
    expect(await storedMint(database, story.bound)).toMatchObject({ status: 'active' });
  });

  it('must have the decimals of the asset', async () => {
    const story = await openMint({ begunWith: foreign, observe: true, decimals: 9 });
    await story.follower.turn();
    expect(await storedMint(database, story.bound)).toMatchObject({
      status: 'error',
      reason: 'decimals_mismatch',
    });
  });

  it('is readable as soon as its key is imported, and stays available to other organizations', async () => {
    const theirs = generateElGamalKeypair();
    const story = await openMint({ begunWith: theirs.publicKey, observe: true });
    story.pay();
    await story.follower.turn();
    await importAuditorKey(foundation, operatorOf(home.organization.id), {
      keypair: formatElGamalKeypair(theirs),
      reason: 'The mint was configured before',
    });
    story.pay();
    await story.follower.turn();
    expect(await story.coverage()).toMatchObject([{ readable: true, reason: null, epoch: 2 }]);
    const amounts = await decryptRecords(
      foundation,
      inlinePool(),
      story.asset,
      await story.transfers(),
      NEVER,
    );
    expect([...amounts.values()]).toMatchObject([
      { kind: 'amount', value: 1n },
      { kind: 'amount', value: 2n },
    ]);
    expect(await storedMint(database, story.bound)).toMatchObject({ isVerified: false });
  });
});
