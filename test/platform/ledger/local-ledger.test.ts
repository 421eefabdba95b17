import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as kit from '@solana/kit';
import { getCreateAccountInstruction } from '@solana-program/system';
import * as token from '@solana-program/token-2022';
import { verifyPubkeyValidity } from '@solana-program/zk-elgamal-proof';
import { AeKey, ElGamalKeypair, PubkeyValidityProofData } from '@solana/zk-sdk/node';
import { silentLog } from '../../../src/platform/kernel/log.js';
import {
  address,
  checkMint,
  createLedger,
  decodeConfidentialEvents,
  signature,
  TOKEN_2022_PROGRAM,
  type LedgerReader,
  type LedgerSignal,
  type LedgerTransaction,
  type Signature,
} from '../../../src/platform/ledger/index.js';
import { startLocalLedger, type LocalLedger } from '../../../devnet/index.js';
import { startFaultLedger } from '../../kit/ledger/fault-ledger.js';
import { anAddress, aSignature } from './answers.js';

let local: LocalLedger;
let ledger: LedgerReader;
let payer: kit.KeyPairSigner;
let mint: kit.KeyPairSigner;
let tokenAccount: kit.Address;
const auditor = new ElGamalKeypair();
const auditorKey = auditor.pubkey().toBytes();
const ae = new AeKey();
const programAddress = token.TOKEN_2022_PROGRAM_ADDRESS;

async function rpc(method: string, params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(local.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: '1', method, params }),
  });
  const answer = (await response.json()) as { result?: unknown; error?: { message: string } };
  if (answer.error !== undefined) throw new Error(answer.error.message);
  return answer.result;
}

async function send(
  instructions: readonly kit.Instruction[],
  version: 'legacy' | 0 | 1 = 0,
): Promise<Signature> {
  const { value } = (await rpc('getLatestBlockhash', [])) as { value: { blockhash: kit.Blockhash } };
  const lifetime = { blockhash: value.blockhash, lastValidBlockHeight: 1n << 60n };
  const message = kit.pipe(
    kit.createTransactionMessage({ version: version as 0 }),
    (begun) => kit.setTransactionMessageFeePayerSigner(payer, begun),
    (begun) => kit.setTransactionMessageLifetimeUsingBlockhash(lifetime, begun),
    (begun) => kit.appendTransactionMessageInstructions(instructions, begun),
    // A v1 message without limits has a budget of zero.
    (begun) => (version === 1 ? withLimits(begun) : begun),
  );
  const signed = await kit.signTransactionMessageWithSigners(message);
  const wire = Buffer.from(kit.getTransactionEncoder().encode(signed)).toString('base64');
  return signature((await rpc('sendTransaction', [wire, { encoding: 'base64' }])) as string);
}

function withLimits<M extends kit.TransactionMessage>(message: M): M {
  const sized = kit.setTransactionMessageLoadedAccountsDataSizeLimit(64 * 1024 * 1024, message);
  return kit.setTransactionMessageComputeUnitLimit(400_000, sized);
}

async function read(name: Signature): Promise<LedgerTransaction> {
  const transaction = await ledger.transaction(name);
  if (transaction === null) throw new Error('The ledger does not have it.');
  return transaction;
}

const rent = (bytes: bigint) => rpc('getMinimumBalanceForRentExemption', [Number(bytes)]) as Promise<number>;

const deposit = (amount: bigint) =>
  token.getConfidentialDepositInstruction({
    token: tokenAccount,
    mint: mint.address,
    authority: payer,
    amount,
    decimals: 2,
  });

const apply = () =>
  token.getApplyConfidentialPendingBalanceInstruction({
    token: tokenAccount,
    authority: payer,
    expectedPendingBalanceCreditCounter: 0n,
    newDecryptableAvailableBalance: ae.encrypt(0n).toBytes(),
  });

async function deployMint(): Promise<Signature> {
  const extensions = [
    token.extension('ConfidentialTransferMint', {
      authority: payer.address,
      autoApproveNewAccounts: true,
      auditorElgamalPubkey: kit.getAddressDecoder().decode(auditorKey),
    }),
  ];
  const space = BigInt(token.getMintSize(extensions));
  return send([
    getCreateAccountInstruction({
      payer,
      newAccount: mint,
      lamports: BigInt(await rent(space)),
      space,
      programAddress,
    }),
    ...token.getPreInitializeInstructionsForMintExtensions(mint.address, extensions),
    token.getInitializeMint2Instruction({ mint: mint.address, decimals: 2, mintAuthority: payer.address }),
  ]);
}

async function configureAccount(): Promise<Signature> {
  const owner = payer.address;
  [tokenAccount] = await token.findAssociatedTokenPda({
    owner,
    tokenProgram: programAddress,
    mint: mint.address,
  });
  const proofData = new PubkeyValidityProofData(new ElGamalKeypair()).toBytes();
  const [verify] = await verifyPubkeyValidity({ rpc: undefined as never, payer, proofData });
  return send([
    token.getCreateAssociatedTokenIdempotentInstruction({
      ata: tokenAccount,
      mint: mint.address,
      owner,
      payer,
      tokenProgram: programAddress,
    }),
    token.getReallocateInstruction({
      token: tokenAccount,
      payer,
      owner: payer,
      newExtensionTypes: [token.ExtensionType.ConfidentialTransferAccount],
    }),
    token.getConfigureConfidentialTransferAccountInstruction({
      token: tokenAccount,
      mint: mint.address,
      authority: payer,
      decryptableZeroBalance: ae.encrypt(0n).toBytes(),
      maximumPendingBalanceCreditCounter: 65536n,
      instructionsSysvarOrContextState: kit.address('Sysvar1nstructions1111111111111111111111111'),
      proofInstructionOffset: 1,
    }),
    verify!,
    token.getMintToCheckedInstruction({
      mint: mint.address,
      token: tokenAccount,
      mintAuthority: payer,
      amount: 1_000_000n,
      decimals: 2,
    }),
  ]);
}

let deployed: Signature;
let configured: Signature;

beforeAll(async () => {
  local = await startLocalLedger();
  ledger = createLedger({ rpcUrls: [local.rpcUrl], wsUrls: [local.wsUrl], timeoutMs: 5_000, log: silentLog });
  payer = await kit.generateKeyPairSigner();
  mint = await kit.generateKeyPairSigner();
  local.airdrop(payer.address, 10_000_000_000);
  deployed = await deployMint();
  configured = await configureAccount();
});

afterAll(async () => {
  await ledger.close();
  await local.close();
});

describe('on a ledger that runs the real programs', () => {
  it('a mint deployed with an auditor key passes its check, and no other', async () => {
    const account = await ledger.mintAccount(address(mint.address));
    expect(account).toMatchObject({ status: 'mint', decimals: 2, hasConfidentialMintBurn: false });
    expect(checkMint(account, { auditorPublicKeys: [auditorKey], decimals: 2 })).toEqual({ ok: true });
    const other = new ElGamalKeypair().pubkey().toBytes();
    expect(checkMint(account, { auditorPublicKeys: [other], decimals: 2 })).toEqual({
      ok: false,
      reason: 'auditor_key_mismatch',
    });
  });

  it.each([
    ['an empty address', () => anAddress(77), 'absent'],
    ['a wallet', () => address(payer.address), 'other_owner'],
    ['a token account', () => address(tokenAccount), 'not_a_mint'],
  ] as const)('%s is not a mint', async (_, where, status) => {
    expect(await ledger.mintAccount(where())).toMatchObject({ status });
  });

  it('configuring an account is an event, but initializing the mint is not', async () => {
    expect(decodeConfidentialEvents(await read(deployed))).toEqual({ events: [], malformed: [] });
    const { events, malformed } = decodeConfidentialEvents(await read(configured));
    expect(malformed).toEqual([]);
    expect(events).toMatchObject([
      {
        type: 'configure_account',
        path: [2, 0, 0],
        mint: mint.address,
        sourceAccount: tokenAccount,
        publicData: { authority: payer.address },
      },
    ]);
  });

  it('calls of the associated-token program to Token-2022 are read as inner instructions', async () => {
    const { instructions } = await read(configured);
    expect(instructions[0]?.inner.map(({ programId }) => programId)).toContain(TOKEN_2022_PROGRAM);
  });

  it.each(['legacy', 0, 1] as const)('a transaction of version %s is read whole', async (version) => {
    const name = await send([deposit(3n), apply()], version);
    const transaction = await read(name);
    expect(transaction).toMatchObject({ signature: name, version, failed: false, signer: payer.address });
    expect(
      decodeConfidentialEvents(transaction).events.map(({ type, path, publicData }) => [
        type,
        path,
        publicData.authority,
        publicData.amount,
      ]),
    ).toEqual([
      ['confidential_deposit', [0, 0, 0], payer.address, '3'],
      ['apply_pending_balance', [1, 0, 0], payer.address, undefined],
    ]);
  });

  it('deposits that the program executed in a batch are found', async () => {
    const name = await send([token.getBatchInstruction([deposit(5n), deposit(8n)])]);
    const { events } = decodeConfidentialEvents(await read(name));
    expect(events.map(({ path, publicData }) => [path, publicData.amount])).toEqual([
      [[0, 0, 1], '5'],
      [[0, 0, 2], '8'],
    ]);
  });

  it('a new auditor key is an event and visible in the mint', async () => {
    const other = new ElGamalKeypair().pubkey().toBytes();
    const rotation = (key: Uint8Array) =>
      send([
        token.getUpdateConfidentialTransferMintInstruction({
          mint: mint.address,
          authority: payer,
          autoApproveNewAccounts: false,
          auditorElgamalPubkey: kit.getAddressDecoder().decode(key),
        }),
      ]);
    const { events } = decodeConfidentialEvents(await read(await rotation(other)));
    expect(events).toMatchObject([
      {
        type: 'update_mint',
        mint: mint.address,
        publicData: { auditorElGamalPubkey: Buffer.from(other).toString('base64') },
      },
    ]);
    const account = await ledger.mintAccount(address(mint.address));
    expect(checkMint(account, { auditorPublicKeys: [other], decimals: 2 })).toEqual({ ok: true });
    await rotation(auditorKey);
  });

  it('history pages are newest first, each transaction once', async () => {
    await send([deposit(1n)]);
    const whole = await ledger.signaturesFor(address(mint.address));
    const paged: Signature[] = [];
    for (;;) {
      const before = paged.at(-1);
      const page = await ledger.signaturesFor(address(mint.address), {
        limit: 2,
        ...(before === undefined ? {} : { before }),
      });
      if (page.length === 0) break;
      paged.push(...page.map((row) => row.signature));
    }
    expect(paged).toEqual(whole.map((row) => row.signature));
    expect(paged.at(-1)).toBe(deployed);
    expect(await ledger.finalizedSlot()).toBeGreaterThanOrEqual(whole[0]!.slot);
  });

  it('an unknown transaction gives null', async () => {
    expect(await ledger.transaction(aSignature(9))).toBeNull();
  });

  it('several transactions are read together, in the requested order', async () => {
    const reads = await ledger.transactions([configured, aSignature(9), deployed]);
    expect(reads.map(({ status, signature: name }) => [status, name])).toEqual([
      ['found', configured],
      ['missing', aSignature(9)],
      ['found', deployed],
    ]);
  });

  it('a mention of the mint is announced', async () => {
    let announced: (signal: LedgerSignal) => void = () => undefined;
    const connected = new Promise<LedgerSignal>((resolve) => (announced = resolve));
    const mention = new Promise<LedgerSignal>((resolve) => {
      const subscription = ledger.subscribeToMentions([address(mint.address)], (signal) => {
        if (signal.kind === 'connected') announced(signal);
        if (signal.kind !== 'mention') return;
        subscription.close();
        resolve(signal);
      });
    });
    await connected;
    const name = await send([deposit(21n)]);
    expect(await mention).toMatchObject({ address: mint.address, signature: name });
  });

  it('everything is still read through a node that fails intermittently', async () => {
    await using faulty = await startFaultLedger({ upstream: local });
    await using lagging = createLedger({
      rpcUrls: [faulty.rpcUrl],
      wsUrls: [faulty.wsUrl],
      timeoutMs: 5_000,
      log: silentLog,
      random: () => 0,
    });
    for (const kind of ['drop', 'cut', 'stale'] as const) faulty.fail('*', { kind }, 1);
    const rows = await lagging.signaturesFor(address(mint.address));
    faulty.fail('getTransaction', { kind: 'status', status: 429 }, 1);
    const reads = await lagging.transactions(rows.map((row) => row.signature));
    expect(reads.map(({ status }) => status)).toEqual(rows.map(() => 'found'));
  });
});
