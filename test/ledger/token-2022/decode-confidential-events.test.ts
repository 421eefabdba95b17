import { describe, expect, it } from '@jest/globals';
import * as token from '@solana-program/token-2022';
import { createNoopSigner } from '@solana/kit';
import { fc } from '../../kit/properties.js';
import { base64 } from '../../../src/kernel/bytes.js';
import {
  addressBytes,
  decodeConfidentialEvents,
  instructionOrder,
  TOKEN_2022_PROGRAM,
  type ConfidentialEvent,
  type InstructionPath,
} from '../../../src/ledger/index.js';
import { account, asRead, pattern, transactionOf, type Written } from './instruction-kit.js';

const mint = account(2);
const source = account(3);
const destination = account(4);
const owner = account(5);
const ownerSigner = createNoopSigner(owner);
const sysvar = account(6);
const records = [account(11), account(12), account(13), account(14), account(15)] as const;
const callingProgram = account(9);

const ae = pattern(36, 1);
const lo = pattern(64, 40);
const hi = pattern(64, 90);

const inContexts = {
  equalityProofInstructionOffset: 0,
  ciphertextValidityProofInstructionOffset: 0,
  rangeProofInstructionOffset: 0,
};

const transfer = (changes: Partial<token.ConfidentialTransferInput> = {}) =>
  token.getConfidentialTransferInstruction({
    sourceToken: source,
    mint,
    destinationToken: destination,
    equalityRecord: records[0],
    ciphertextValidityRecord: records[1],
    rangeRecord: records[2],
    authority: owner,
    newSourceDecryptableAvailableBalance: ae,
    transferAmountAuditorCiphertextLo: lo,
    transferAmountAuditorCiphertextHi: hi,
    ...inContexts,
    ...changes,
  });

const deposit = (amount = 1_000_000n) =>
  token.getConfidentialDepositInstruction({ token: source, mint, authority: owner, amount, decimals: 6 });

function decodeOne(built: Parameters<typeof asRead>[0]): ConfidentialEvent {
  const { events, malformed } = decodeConfidentialEvents(transactionOf([asRead(built)]));
  expect(malformed).toEqual([]);
  expect(events).toHaveLength(1);
  return events[0]!;
}

const here = { instructionIndex: 0, instructionPath: [0, 0, 0], authority: owner };
const place = { path: [0, 0, 0], order: 0 };

describe('an instruction as the token-2022 client builds it', () => {
  it('a transfer names its accounts and carries the auditor ciphertexts byte for byte', () => {
    expect(decodeOne(transfer())).toEqual({
      ...place,
      type: 'confidential_transfer',
      mint,
      sourceAccount: source,
      destinationAccount: destination,
      ciphertexts: { auditor: { lo, hi } },
      publicData: here,
      tokenAccounts: [source, destination],
    });
  });

  it('a transfer with fee carries the auditor ciphertexts of the amount, and none of the fee', () => {
    const built = token.getConfidentialTransferWithFeeInstruction({
      sourceToken: source,
      mint,
      destinationToken: destination,
      equalityRecord: records[0],
      transferAmountCiphertextValidityRecord: records[1],
      feeSigmaRecord: records[2],
      feeCiphertextValidityRecord: records[3],
      rangeRecord: records[4],
      authority: owner,
      newSourceDecryptableAvailableBalance: ae,
      transferAmountAuditorCiphertextLo: lo,
      transferAmountAuditorCiphertextHi: hi,
      equalityProofInstructionOffset: 0,
      transferAmountCiphertextValidityProofInstructionOffset: 0,
      feeSigmaProofInstructionOffset: 0,
      feeCiphertextValidityProofInstructionOffset: 0,
      rangeProofInstructionOffset: 0,
    });
    expect(decodeOne(built)).toMatchObject({
      type: 'confidential_transfer_with_fee',
      mint,
      sourceAccount: source,
      destinationAccount: destination,
      ciphertexts: { auditor: { lo, hi } },
      publicData: here,
    });
  });

  it('a deposit shows its amount, up to the largest u64', () => {
    expect(decodeOne(deposit((1n << 64n) - 1n))).toEqual({
      ...place,
      type: 'confidential_deposit',
      mint,
      sourceAccount: source,
      destinationAccount: source,
      ciphertexts: {},
      publicData: { ...here, amount: '18446744073709551615', decimals: 6 },
      tokenAccounts: [source],
    });
  });

  it('a withdrawal shows its amount', () => {
    const built = token.getConfidentialWithdrawInstruction({
      token: source,
      mint,
      equalityRecord: records[0],
      rangeRecord: records[1],
      authority: owner,
      amount: 77n,
      decimals: 2,
      newDecryptableAvailableBalance: ae,
      equalityProofInstructionOffset: 0,
      rangeProofInstructionOffset: 0,
    });
    expect(decodeOne(built)).toMatchObject({
      type: 'confidential_withdraw',
      mint,
      sourceAccount: source,
      destinationAccount: source,
      ciphertexts: {},
      publicData: { ...here, amount: '77', decimals: 2 },
    });
  });

  it('a confidential mint credits its account', () => {
    const built = token.getConfidentialMintInstruction({
      token: destination,
      mint,
      equalityRecord: records[0],
      ciphertextValidityRecord: records[1],
      rangeRecord: records[2],
      authority: owner,
      newDecryptableSupply: ae,
      mintAmountAuditorCiphertextLo: lo,
      mintAmountAuditorCiphertextHi: hi,
      ...inContexts,
    });
    expect(decodeOne(built)).toEqual({
      ...place,
      type: 'confidential_mint',
      mint,
      destinationAccount: destination,
      ciphertexts: { auditor: { lo, hi } },
      publicData: here,
      tokenAccounts: [destination],
    });
  });

  const burn = {
    token: source,
    mint,
    equalityRecord: records[0],
    ciphertextValidityRecord: records[1],
    rangeRecord: records[2],
    authority: owner,
    newDecryptableAvailableBalance: ae,
    burnAmountAuditorCiphertextLo: lo,
    burnAmountAuditorCiphertextHi: hi,
    ...inContexts,
  };
  const burned = {
    ...place,
    type: 'confidential_burn',
    mint,
    sourceAccount: source,
    ciphertexts: { auditor: { lo, hi } },
    tokenAccounts: [source],
  };

  it('a confidential burn debits its account', () => {
    expect(decodeOne(token.getConfidentialBurnInstruction(burn))).toEqual({ ...burned, publicData: here });
  });

  it('a burn that the burn authority of the mint signed too is a burn like any other', () => {
    const permissionedBurnAuthority = account(21);
    const built = token.getPermissionedConfidentialBurnInstruction({
      ...burn,
      permissionedBurnAuthority: createNoopSigner(permissionedBurnAuthority),
    });
    expect(decodeOne(built)).toEqual({ ...burned, publicData: { ...here, permissionedBurnAuthority } });
  });

  it('configuring an account tells which mint it is of', () => {
    const built = token.getConfigureConfidentialTransferAccountInstruction({
      token: source,
      mint,
      instructionsSysvarOrContextState: records[0],
      authority: owner,
      decryptableZeroBalance: ae,
      maximumPendingBalanceCreditCounter: 65536n,
      proofInstructionOffset: 0,
    });
    expect(decodeOne(built)).toEqual({
      ...place,
      type: 'configure_account',
      mint,
      sourceAccount: source,
      ciphertexts: {},
      publicData: { ...here, maximumPendingBalanceCreditCounter: '65536' },
      tokenAccounts: [source],
    });
  });

  it('configuring from a registry has no authority of its own', () => {
    const registry = account(22);
    const built = token.getConfigureConfidentialTransferAccountWithRegistryInstruction({
      token: source,
      mint,
      elgamalRegistry: registry,
    });
    expect(decodeOne(built)).toEqual({
      ...place,
      type: 'configure_account',
      mint,
      sourceAccount: source,
      ciphertexts: {},
      publicData: { instructionIndex: 0, instructionPath: [0, 0, 0], elGamalRegistry: registry },
      tokenAccounts: [source],
    });
  });

  it('applying a pending balance names an account, and no mint', () => {
    const built = token.getApplyConfidentialPendingBalanceInstruction({
      token: source,
      authority: owner,
      expectedPendingBalanceCreditCounter: 3n,
      newDecryptableAvailableBalance: ae,
    });
    expect(decodeOne(built)).toEqual({
      ...place,
      type: 'apply_pending_balance',
      sourceAccount: source,
      ciphertexts: {},
      publicData: { ...here, expectedPendingBalanceCreditCounter: '3' },
      tokenAccounts: [source],
    });
  });

  it('emptying an account names an account, and no mint', () => {
    const built = token.getEmptyConfidentialTransferAccountInstruction({
      token: source,
      instructionsSysvarOrContextState: records[0],
      authority: owner,
      proofInstructionOffset: 0,
    });
    expect(decodeOne(built)).toMatchObject({
      type: 'empty_account',
      sourceAccount: source,
      publicData: here,
    });
  });

  it('approving an account names account and mint', () => {
    const built = token.getApproveConfidentialTransferAccountInstruction({
      token: source,
      mint,
      authority: ownerSigner,
    });
    expect(decodeOne(built)).toMatchObject({ type: 'approve_account', mint, sourceAccount: source });
  });

  it('updating a mint shows its new auditor key in base64', () => {
    const key = account(31);
    const built = token.getUpdateConfidentialTransferMintInstruction({
      mint,
      authority: ownerSigner,
      autoApproveNewAccounts: true,
      auditorElgamalPubkey: key,
    });
    expect(decodeOne(built)).toEqual({
      ...place,
      type: 'update_mint',
      mint,
      ciphertexts: {},
      publicData: {
        ...here,
        autoApproveNewAccounts: true,
        auditorElGamalPubkey: base64.encode(addressBytes(key)),
      },
      tokenAccounts: [],
    });
  });

  it('updating a mint to have no auditor shows null', () => {
    const built = token.getUpdateConfidentialTransferMintInstruction({
      mint,
      authority: ownerSigner,
      autoApproveNewAccounts: false,
      auditorElgamalPubkey: null,
    });
    expect(decodeOne(built).publicData).toMatchObject({
      autoApproveNewAccounts: false,
      auditorElGamalPubkey: null,
    });
  });

  it.each([
    [token.getEnableConfidentialCreditsInstruction, 'confidential', true],
    [token.getDisableConfidentialCreditsInstruction, 'confidential', false],
    [token.getEnableNonConfidentialCreditsInstruction, 'non_confidential', true],
    [token.getDisableNonConfidentialCreditsInstruction, 'non_confidential', false],
  ] as const)('a credits switch says which credits it changes and how (%#)', (build, credits, enabled) => {
    expect(decodeOne(build({ token: source, authority: owner }))).toEqual({
      ...place,
      type: 'credits_changed',
      sourceAccount: source,
      ciphertexts: {},
      publicData: { ...here, credits, enabled },
      tokenAccounts: [source],
    });
  });
});

describe('the authority of an instruction', () => {
  it('stands behind the instructions sysvar when the proofs are in the transaction', () => {
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

  it('is the multisignature account, not the last of its signers', () => {
    const read = asRead(transfer());
    const signed = { ...read, accounts: [...read.accounts, account(41), account(42)] };
    const [event] = decodeConfidentialEvents(transactionOf([signed])).events;
    expect(event?.publicData.authority).toBe(owner);
  });

  it('stands behind the record accounts that proof instructions read', () => {
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

describe('where an instruction stands', () => {
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

  it('bytes that look like a transfer are nothing in another program', () => {
    const read = asRead(transfer());
    expect(paths([{ ...read, programId: callingProgram }])).toEqual([]);
  });

  it('a failed transaction has no event', () => {
    const failed = transactionOf([asRead(transfer())], { failed: true });
    expect(decodeConfidentialEvents(failed)).toEqual({ events: [], malformed: [] });
  });

  it('as one number, it sorts as the path does', () => {
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

describe('an instruction that cannot be read', () => {
  const malformedOf = (instruction: Written) => decodeConfidentialEvents(transactionOf([instruction]));

  it.each([
    ['a transfer', asRead(transfer())],
    ['a deposit', asRead(deposit())],
  ])('%s cut short, or too long, is reported and no event', (_, read) => {
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

  it('a credits switch with bytes behind it executes, and so is an event', () => {
    const read = asRead(token.getEnableConfidentialCreditsInstruction({ token: source, authority: owner }));
    const { events, malformed } = malformedOf({ ...read, data: new Uint8Array([...read.data, 9, 9]) });
    expect(events.map((event) => event.type)).toEqual(['credits_changed']);
    expect(malformed).toEqual([]);
  });

  it('a batch that ends too early gives what could be read, and is reported', () => {
    const read = asRead(token.getBatchInstruction([deposit(), transfer()]));
    const { events, malformed } = malformedOf({ ...read, data: read.data.slice(0, -1) });
    expect(events.map((event) => event.path)).toEqual([[0, 0, 1]]);
    expect(malformed).toEqual([{ path: [0, 0, 0], reason: 'broken_batch' }]);
  });

  it('a batch within a batch is reported: the program refuses it', () => {
    const inner = token.getBatchInstruction([deposit()]);
    const data = new Uint8Array([255, 3, inner.data.length, ...inner.data]);
    expect(malformedOf({ programId: TOKEN_2022_PROGRAM, accounts: [source, mint, owner], data })).toEqual({
      events: [],
      malformed: [{ path: [0, 0, 1], reason: 'nested_batch' }],
    });
  });
});

describe('any bytes at all', () => {
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

  it('wrapped in a batch, instructions give the events they give alone', () => {
    const member = fc.constantFrom(transfer(), deposit());
    fc.assert(
      fc.property(fc.array(member, { minLength: 1, maxLength: 8 }), (members) => {
        const alone = decodeConfidentialEvents(transactionOf(members.map(asRead)));
        const batched = decodeConfidentialEvents(transactionOf([asRead(token.getBatchInstruction(members))]));
        const what = ({ type, mint: of, ciphertexts }: ConfidentialEvent) => ({ type, of, ciphertexts });
        expect(batched.events.map(what)).toEqual(alone.events.map(what));
        expect(batched.malformed).toEqual([]);
      }),
    );
  });

  it('cut anywhere, a batch of transfers never gives an event it did not hold, nor loses one silently', () => {
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
