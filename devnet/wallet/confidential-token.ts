import {
  generateKeyPairSigner,
  getAddressDecoder,
  none,
  some,
  type Address,
  type Instruction,
  type KeyPairSigner,
} from '@solana/kit';
import { getCreateAccountInstruction } from '@solana-program/system';
import {
  extension,
  ExtensionType,
  findAssociatedTokenPda,
  getApplyConfidentialPendingBurnInstruction,
  getApproveConfidentialTransferAccountInstruction,
  getConfidentialMintInstruction,
  getConfigureConfidentialTransferAccountInstruction,
  getCreateAssociatedTokenIdempotentInstruction,
  getInitializeMint2Instruction,
  getMintSize,
  getPreInitializeInstructionsForMintExtensions,
  getReallocateInstruction,
  getUpdateConfidentialMintBurnDecryptableSupplyInstruction,
  getUpdateConfidentialTransferMintInstruction,
  TOKEN_2022_PROGRAM_ADDRESS,
} from '@solana-program/token-2022';
import { verifyPubkeyValidity } from '@solana-program/zk-elgamal-proof';
import { AeKey, ElGamalKeypair, PubkeyValidityProofData } from '@solana/zk-sdk/node';
import { proveAmount } from './amount-proofs.js';
import { auditorKey, ConfidentialAccount, encryptionKey, pick } from './confidential-account.js';
import { LedgerSender } from './ledger-sender.js';
import { closeContexts, verifyInContexts } from './proof-contexts.js';
import {
  confidentialAccountState,
  confidentialMintState,
  decryptWithAe,
  mintBurnState,
} from './token-accounts.js';

export interface WalletOptions {
  readonly rpcUrl: string;
  /** Pays and is the authority of every mint; without it the ledger's faucet funds a new one. */
  readonly payer?: KeyPairSigner;
  readonly onProgress?: (line: string) => void;
}

export interface MintOptions {
  readonly decimals: number;
  /** The auditor's ElGamal key, 32 bytes; without it nobody can audit the mint. */
  readonly auditorPublicKey?: Uint8Array;
  /** Whether new accounts may receive at once; otherwise `approveAccount` lets them in. */
  readonly autoApproveNewAccounts?: boolean;
  /** Lets the supply itself be confidential; public minting and deposits are then refused. */
  readonly confidentialMintBurn?: boolean;
  readonly transferFee?: { readonly basisPoints: number; readonly maximum: bigint };
}

const AIRDROP_LAMPORTS = 100_000_000_000n;
const MAX_PENDING_CREDITS = 65_536n;
const EMPTY_CIPHERTEXT = new Uint8Array(64);

/** Opens a wallet for confidential tokens on any Solana JSON-RPC that serves Token-2022 with ZK ElGamal proofs. */
export async function createWallet(options: WalletOptions): Promise<Wallet> {
  const sender = await LedgerSender.open(options.rpcUrl, {
    payer: options.payer,
    airdropLamports: AIRDROP_LAMPORTS,
  });
  return new Wallet(sender, options.onProgress ?? (() => undefined));
}

export class Wallet {
  /** Base58 address of the payer and mint authority. */
  readonly address: string;

  constructor(
    readonly sender: LedgerSender,
    private readonly progress: (line: string) => void,
  ) {
    this.address = sender.payer.address;
  }

  /** Creates a mint with the confidential-transfer extension, and what else the options ask for. */
  async deployMint(options: MintOptions): Promise<ConfidentialMint> {
    const { payer } = this.sender;
    const mint = await generateKeyPairSigner();
    const supply = { elgamal: new ElGamalKeypair(), ae: new AeKey() };
    const extensions = mintExtensions(options, payer.address, supply);
    const space = getMintSize(extensions);
    this.progress(`deploy the mint ${mint.address}`);
    const signature = await this.sender.send([
      getCreateAccountInstruction({
        payer,
        newAccount: mint,
        lamports: await this.sender.rent(space),
        space,
        programAddress: TOKEN_2022_PROGRAM_ADDRESS,
      }),
      ...getPreInitializeInstructionsForMintExtensions(mint.address, extensions),
      getInitializeMint2Instruction({
        mint: mint.address,
        decimals: options.decimals,
        mintAuthority: payer.address,
      }),
    ]);
    return new ConfidentialMint({
      sender: this.sender,
      progress: this.progress,
      mint: mint.address,
      decimals: options.decimals,
      hasTransferFee: options.transferFee !== undefined,
      supply,
      signature,
    });
  }
}

interface SupplyKeys {
  readonly elgamal: ElGamalKeypair;
  readonly ae: AeKey;
}

interface MintParts {
  readonly sender: LedgerSender;
  readonly progress: (line: string) => void;
  readonly mint: Address;
  readonly decimals: number;
  readonly hasTransferFee: boolean;
  readonly supply: SupplyKeys;
  readonly signature: string;
}

/** A mint whose authorities are the wallet's payer. Methods answer signatures of confirmed transactions. */
export class ConfidentialMint {
  readonly address: string;
  readonly authority: string;
  readonly decimals: number;
  /** The signature of the transaction that created it. */
  readonly signature: string;

  constructor(private readonly parts: MintParts) {
    this.address = parts.mint;
    this.authority = parts.sender.payer.address;
    this.decimals = parts.decimals;
    this.signature = parts.signature;
  }

  /** Creates an owner with an associated token account that is ready for confidential transfers. */
  async configureAccount(name = 'account'): Promise<ConfidentialAccount> {
    const { sender, progress, mint, decimals, hasTransferFee } = this.parts;
    const { payer, rpc } = sender;
    const owner = await generateKeyPairSigner();
    const [elgamal, ae] = [new ElGamalKeypair(), new AeKey()];
    const [token] = await findAssociatedTokenPda({
      owner: owner.address,
      tokenProgram: TOKEN_2022_PROGRAM_ADDRESS,
      mint,
    });
    const proofData = new PubkeyValidityProofData(elgamal).toBytes();
    const verification = await verifyPubkeyValidity({ rpc, payer, proofData });
    progress(`${name}: configure the account ${token}`);
    await sender.send([
      getCreateAssociatedTokenIdempotentInstruction({
        ata: token,
        mint,
        owner: owner.address,
        payer,
        tokenProgram: TOKEN_2022_PROGRAM_ADDRESS,
      }),
      getReallocateInstruction({
        token,
        payer,
        owner,
        newExtensionTypes: [
          ExtensionType.ConfidentialTransferAccount,
          ...(hasTransferFee ? [ExtensionType.ConfidentialTransferFeeAmount] : []),
        ],
      }),
      getConfigureConfidentialTransferAccountInstruction({
        token,
        mint,
        authority: owner,
        decryptableZeroBalance: ae.encrypt(0n).toBytes(),
        maximumPendingBalanceCreditCounter: MAX_PENDING_CREDITS,
        proofInstructionOffset: 1,
      }),
      ...verification,
    ]);
    return new ConfidentialAccount({ sender, progress, mint, decimals, name, owner, token, elgamal, ae });
  }

  /** Lets an account of a mint without automatic approval take part. */
  async approveAccount(account: ConfidentialAccount): Promise<string> {
    const { sender, mint } = this.parts;
    this.parts.progress(`${account.name}: approve the account`);
    return sender.send([
      getApproveConfidentialTransferAccountInstruction({
        token: account.address as Address,
        mint,
        authority: sender.payer,
      }),
    ]);
  }

  /** Replaces the auditor's key for all transfers to come; `undefined` leaves the mint without auditor. */
  async rotateAuditor(publicKey: Uint8Array | undefined): Promise<string> {
    const { sender, mint } = this.parts;
    const { autoApproveNewAccounts } = await confidentialMintState(sender, mint);
    this.parts.progress('rotate the auditor key');
    return sender.send([
      getUpdateConfidentialTransferMintInstruction({
        mint,
        authority: sender.payer,
        autoApproveNewAccounts,
        auditorElgamalPubkey: publicKey === undefined ? none() : some(keyAddress(publicKey)),
      }),
    ]);
  }

  /** Mints `amount` into an account's pending balance without showing it; needs `confidentialMintBurn`. */
  async confidentialMint(to: ConfidentialAccount, amount: bigint): Promise<string> {
    const { sender, mint, supply } = this.parts;
    this.parts.progress(`${to.name}: mint ${amount} confidentially`);
    const destination = await confidentialAccountState(sender, to.address);
    const state = await mintBurnState(sender, mint);
    const proofs = proveAmount({
      amount,
      recipients: [
        encryptionKey(destination.elgamalPubkey),
        supply.elgamal.pubkey(),
        await auditorKey(sender, mint),
      ],
      balance: {
        keypair: supply.elgamal,
        recipient: 1,
        ciphertext: Uint8Array.from(state.confidentialSupply),
        value: decryptWithAe(supply.ae, state.decryptableSupply),
      },
      direction: 'add',
    });
    const contexts = await verifyInContexts(sender, pick(proofs));
    const minting = getConfidentialMintInstruction({
      token: to.address as Address,
      mint,
      equalityRecord: contexts.equality,
      ciphertextValidityRecord: contexts.validity,
      rangeRecord: contexts.range,
      authority: sender.payer,
      newDecryptableSupply: supply.ae.encrypt(proofs.newBalance).toBytes(),
      mintAmountAuditorCiphertextLo: proofs.auditorLow,
      mintAmountAuditorCiphertextHi: proofs.auditorHigh,
      equalityProofInstructionOffset: 0,
      ciphertextValidityProofInstructionOffset: 0,
      rangeProofInstructionOffset: 0,
    });
    return sender.send([minting, ...closeContexts(sender, contexts)]);
  }

  /** Subtracts the burns since the last call from the supply. `burned` is their sum. */
  async applyPendingBurn(burned: bigint): Promise<string> {
    const { sender, mint, supply } = this.parts;
    const state = await mintBurnState(sender, mint);
    const remaining = decryptWithAe(supply.ae, state.decryptableSupply) - burned;
    this.parts.progress('apply the pending burns');
    return sender.send([
      getApplyConfidentialPendingBurnInstruction({ mint, authority: sender.payer }),
      getUpdateConfidentialMintBurnDecryptableSupplyInstruction({
        mint,
        authority: sender.payer,
        newDecryptableSupply: supply.ae.encrypt(remaining).toBytes(),
      }),
    ]);
  }

  /** Sends any instructions, paid by the wallet, for what has no method here. */
  async send(instructions: readonly Instruction[]): Promise<string> {
    return this.parts.sender.send(instructions);
  }
}

function mintExtensions(options: MintOptions, authority: Address, supply: SupplyKeys) {
  const { auditorPublicKey, confidentialMintBurn = false, transferFee } = options;
  return [
    extension('ConfidentialTransferMint', {
      authority: some(authority),
      autoApproveNewAccounts: options.autoApproveNewAccounts ?? true,
      auditorElgamalPubkey: auditorPublicKey === undefined ? none() : some(keyAddress(auditorPublicKey)),
    }),
    ...(confidentialMintBurn
      ? [
          extension('ConfidentialMintBurn', {
            confidentialSupply: EMPTY_CIPHERTEXT,
            decryptableSupply: supply.ae.encrypt(0n).toBytes(),
            supplyElgamalPubkey: keyAddress(supply.elgamal.pubkey().toBytes()),
            pendingBurn: EMPTY_CIPHERTEXT,
          }),
        ]
      : []),
    ...(transferFee === undefined ? [] : feeExtensions(transferFee, authority)),
  ];
}

function feeExtensions(fee: NonNullable<MintOptions['transferFee']>, authority: Address) {
  const schedule = { epoch: 0n, maximumFee: fee.maximum, transferFeeBasisPoints: fee.basisPoints };
  return [
    extension('TransferFeeConfig', {
      transferFeeConfigAuthority: authority,
      withdrawWithheldAuthority: authority,
      withheldAmount: 0n,
      olderTransferFee: schedule,
      newerTransferFee: schedule,
    }),
    extension('ConfidentialTransferFee', {
      authority: some(authority),
      elgamalPubkey: keyAddress(new ElGamalKeypair().pubkey().toBytes()),
      harvestToMintEnabled: true,
      withheldAmount: EMPTY_CIPHERTEXT,
    }),
  ];
}

function keyAddress(publicKey: Uint8Array): Address {
  return getAddressDecoder().decode(publicKey);
}
