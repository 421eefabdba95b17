import { describe, expect, it } from '@jest/globals';
import * as token from '@solana-program/token-2022';
import { fc } from '../../../kit/properties.js';
import {
  decodeConfidentialEvents,
  instructionOrder,
  TOKEN_2022_PROGRAM,
  type ConfidentialEvent,
  type InstructionPath,
} from '../../../../src/platform/ledger/index.js';
import {
  account,
  asRead,
  transactionOf,
  type Written,
  mint,
  source,
  destination,
  owner,
  ae,
  lo,
  hi,
  transfer,
  deposit,
  decodeOne,
} from './instruction-kit.js';

const sysvar = account(6);
const callingProgram = account(9);

describe('the authority of an instruction', () => {
  it('is after the instructions sysvar when the proofs are in the transaction', () => {
    const built = token.getConfidentialTransferInstruction({
      sourceToken: source,
      mint,
      destinationToken: destination,
      instructionsSysvar: sysvar,
      authority: owner,
      newSourceDecryptableAvailableBalance: ae,
      transferAmountAuditorCiphertextLo: lo,
      transferAmountAuditorCiphertextHi: hi,
      equalityProofInstructionOffset: 1,
      ciphertextValidityProofInstructionOffset: 2,
      rangeProofInstructionOffset: 3,
    });
    expect(decodeOne(built).publicData.authority).toBe(owner);
  });

  it('is the multisignature account, not its last signer', () => {
    const read = asRead(transfer());
    const signed = { ...read, accounts: [...read.accounts, account(41), account(42)] };
    const [event] = decodeConfidentialEvents(transactionOf([signed])).events;
    expect(event?.publicData.authority).toBe(owner);
  });

  it('is after the record accounts that proof instructions read', () => {
    const read = asRead(
      transfer({
        instructionsSysvar: sysvar,
        equalityProofInstructionOffset: -1,
      }),
    );
    const signed = { ...read, accounts: [...read.accounts, account(41)] };
    const proof: Written = { programId: account(50), accounts: [], data: new Uint8Array(5) };
    const { events } = decodeConfidentialEvents(transactionOf([proof, signed]));
    expect(events.map((event) => event.publicData.authority)).toEqual([owner]);
  });
});

describe('the position of an instruction', () => {
  const batchOf = (...members: Parameters<typeof token.getBatchInstruction>[0]) =>
    asRead(token.getBatchInstruction(members));

  const paths = (instructions: readonly Written[]) =>
    decodeConfidentialEvents(transactionOf(instructions)).events.map((event) => [event.type, event.path]);

  it('a transfer inside a batch is found', () => {
    expect(paths([batchOf(transfer(), deposit())])).toEqual([
      ['confidential_transfer', [0, 0, 1]],
      ['confidential_deposit', [0, 0, 2]],
    ]);
  });

  it('a transfer inside a batch keeps its accounts and bytes', () => {
    const { events } = decodeConfidentialEvents(transactionOf([batchOf(deposit(), transfer())]));
    expect(events[1]).toMatchObject({
      sourceAccount: source,
      destinationAccount: destination,
      mint,
      ciphertexts: { auditor: { lo, hi } },
      publicData: { authority: owner, instructionIndex: 0, instructionPath: [0, 0, 2] },
    });
  });

  it('transfers made by another program are found, in a batch or not', () => {
    const caller: Written = {
      programId: callingProgram,
      accounts: [],
      data: new Uint8Array([1]),
      inner: [asRead(transfer()), batchOf(deposit(), transfer())],
    };
    expect(paths([asRead(deposit()), caller])).toEqual([
      ['confidential_deposit', [0, 0, 0]],
      ['confidential_transfer', [1, 1, 0]],
      ['confidential_deposit', [1, 2, 1]],
      ['confidential_transfer', [1, 2, 2]],
    ]);
  });

  it('bytes that look like a transfer in another program are ignored', () => {
    const read = asRead(transfer());
    expect(paths([{ ...read, programId: callingProgram }])).toEqual([]);
  });

  it('a failed transaction has no event', () => {
    const failed = transactionOf([asRead(transfer())], { failed: true });
    expect(decodeConfidentialEvents(failed)).toEqual({ events: [], malformed: [] });
  });

  it('sorts as one number like the path', () => {
    const path = fc.tuple(fc.nat(4000), fc.nat(4095), fc.nat(16383)) as fc.Arbitrary<InstructionPath>;
    fc.assert(
      fc.property(path, path, (left, right) => {
        const difference = left[0] - right[0] || left[1] - right[1] || left[2] - right[2];
        expect(Math.sign(instructionOrder(left) - instructionOrder(right))).toBe(Math.sign(difference));
        expect(Number.isSafeInteger(instructionOrder(left))).toBe(true);
      }),
    );
  });
});

describe('an unreadable instruction', () => {
  const malformedOf = (instruction: Written) => decodeConfidentialEvents(transactionOf([instruction]));

  it.each([
    ['a transfer', asRead(transfer())],
    ['a deposit', asRead(deposit())],
  ])('%s that is too short or too long is reported and is not an event', (_, read) => {
    for (const length of [2, read.data.length - 1, read.data.length + 1]) {
      const data = new Uint8Array(length);
      data.set(read.data.subarray(0, length));
      expect(malformedOf({ ...read, data })).toEqual({
        events: [],
        malformed: [{ path: [0, 0, 0], reason: 'unexpected_length' }],
      });
    }
  });

  it('a transfer without its accounts is reported', () => {
    const read = asRead(transfer());
    expect(malformedOf({ ...read, accounts: read.accounts.slice(0, 3) })).toEqual({
      events: [],
      malformed: [{ path: [0, 0, 0], reason: 'missing_accounts' }],
    });
  });

  it('a credits switch with trailing bytes executes, and is an event', () => {
    const read = asRead(token.getEnableConfidentialCreditsInstruction({ token: source, authority: owner }));
    const { events, malformed } = malformedOf({ ...read, data: new Uint8Array([...read.data, 9, 9]) });
    expect(events.map((event) => event.type)).toEqual(['credits_changed']);
    expect(malformed).toEqual([]);
  });

  it('a truncated batch gives its readable instructions, and is reported', () => {
    const read = asRead(token.getBatchInstruction([deposit(), transfer()]));
    const { events, malformed } = malformedOf({ ...read, data: read.data.slice(0, -1) });
    expect(events.map((event) => event.path)).toEqual([[0, 0, 1]]);
    expect(malformed).toEqual([{ path: [0, 0, 0], reason: 'broken_batch' }]);
  });

  it('a batch within a batch is reported, because the program refuses it', () => {
    const inner = token.getBatchInstruction([deposit()]);
    const data = new Uint8Array([255, 3, inner.data.length, ...inner.data]);
    expect(malformedOf({ programId: TOKEN_2022_PROGRAM, accounts: [source, mint, owner], data })).toEqual({
      events: [],
      malformed: [{ path: [0, 0, 1], reason: 'nested_batch' }],
    });
  });
});

describe('arbitrary bytes', () => {
  const accounts = fc.array(fc.nat(255).map(account), { maxLength: 12 });
  const header = fc.constantFrom([27], [42], [46], [255], [255, 4, 169, 27, 7], []);
  const bytes = fc
    .tuple(header, fc.uint8Array({ maxLength: 300 }))
    .map(([head, tail]) => new Uint8Array([...head, ...tail]));
  const tokenInstruction = fc.record({ programId: fc.constant(TOKEN_2022_PROGRAM), accounts, data: bytes });

  it('never throw, and never give an event with a ciphertext that is not 64 bytes', () => {
    const written = fc.record({
      programId: fc.constant(TOKEN_2022_PROGRAM),
      accounts,
      data: bytes,
      inner: fc.array(tokenInstruction, { maxLength: 3 }),
    });
    fc.assert(
      fc.property(fc.array(written, { maxLength: 4 }), (instructions) => {
        const { events } = decodeConfidentialEvents(transactionOf(instructions));
        for (const { ciphertexts } of events) {
          if (ciphertexts.auditor === undefined) continue;
          expect([ciphertexts.auditor.lo.length, ciphertexts.auditor.hi.length]).toEqual([64, 64]);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('instructions wrapped in a batch give the same events as alone', () => {
    const member = fc.constantFrom(transfer(), deposit());
    fc.assert(
      fc.property(fc.array(member, { minLength: 1, maxLength: 8 }), (members) => {
        const alone = decodeConfidentialEvents(transactionOf(members.map(asRead)));
        const batched = decodeConfidentialEvents(transactionOf([asRead(token.getBatchInstruction(members))]));
        const what = ({ type, mint: address, ciphertexts }: ConfidentialEvent) => ({
          type,
          of: address,
          ciphertexts,
        });
        expect(batched.events.map(what)).toEqual(alone.events.map(what));
        expect(batched.malformed).toEqual([]);
      }),
    );
  });

  it('a batch of transfers that is truncated anywhere gives no invented event, and loses none silently', () => {
    const read = asRead(token.getBatchInstruction([transfer(), transfer()]));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: read.data.length - 1 }), (length) => {
        const cut = transactionOf([{ ...read, data: read.data.slice(0, length) }]);
        const { events, malformed } = decodeConfidentialEvents(cut);
        const whole = Math.floor((length - 1) / 171);
        expect(events).toHaveLength(whole);
        expect(malformed).toHaveLength((length - 1) % 171 === 0 ? 0 : 1);
      }),
    );
  });
});
