import {
  AccountRole,
  address,
  getAddressEncoder,
  type Address,
  type Instruction,
  type KeyPairSigner,
  type ReadonlyUint8Array,
} from '@solana/kit';
import {
  getApplyConfidentialPendingBalanceInstruction,
  getBatchInstruction,
  getConfidentialBurnInstruction,
  getConfidentialDepositInstruction,
  getConfidentialTransferInstruction,
  getConfidentialWithdrawInstruction,
  getDisableConfidentialCreditsInstruction,
  getDisableNonConfidentialCreditsInstruction,
  getEmptyConfidentialTransferAccountInstruction,
  getEnableConfidentialCreditsInstruction,
  getEnableNonConfidentialCreditsInstruction,
  getMintToCheckedInstruction,
} from '@solana-program/token-2022';
import { verifyZeroCiphertext } from '@solana-program/zk-elgamal-proof';
import { ElGamalPubkey, ZeroCiphertextProofData, type AeKey, type ElGamalKeypair } from '@solana/zk-sdk/node';
import { decimalAmount } from '../../src/platform/kernel/amounts.js';
import { proveAmount, proveWithdrawal, readCiphertext, type AmountProofs } from './amount-proofs.js';
import type { LedgerSender } from './ledger-sender.js';
import { closeContexts, verifyInContexts } from './proof-contexts.js';
import {
  confidentialAccountState,
  confidentialMintState,
  decryptWithAe,
  mintBurnState,
  publicBalance,
} from './token-accounts.js';
import type { TransactionVersion } from '../chain/wire-transaction.js';

export interface AccountParts {
  readonly sender: LedgerSender;
  readonly progress: (line: string) => void;
  readonly mint: Address;
  readonly decimals: number;
  readonly name: string;
  readonly owner: KeyPairSigner;
  readonly token: Address;
  readonly elgamal: ElGamalKeypair;
  readonly ae: AeKey;
}

export interface TransferOptions {
  /** Hides the transfer in a Token-2022 Batch instruction. */
  readonly batch?: boolean;
  /** Address of a program that forwards, which then carries the transfer in a cross-program call. */
  readonly through?: string;
  /** The version of the transaction that carries the transfer; 0 by default. */
  readonly version?: TransactionVersion;
}

/** The proof offsets of an instruction whose proofs lie in context accounts. */
const IN_CONTEXTS = {
  equalityProofInstructionOffset: 0,
  ciphertextValidityProofInstructionOffset: 0,
  rangeProofInstructionOffset: 0,
};

/**
 * A token account with its owner's keys. Amounts are base units; every method answers the signature of the
 * transaction that carried its instruction, confirmed.
 */
export class ConfidentialAccount {
  /** Base58 address of the token account. */
  readonly address: string;
  /** Base58 address of its owner. */
  readonly owner: string;
  readonly name: string;

  constructor(private readonly parts: AccountParts) {
    this.address = parts.token;
    this.owner = parts.owner.address;
    this.name = parts.name;
  }

  /** Mints `amount` publicly into the account; the mint's authority is the wallet. */
  async fund(amount: bigint): Promise<string> {
    const { sender, mint, token, decimals } = this.parts;
    this.tell(`mint ${this.written(amount)} publicly`);
    return sender.send([
      getMintToCheckedInstruction({ mint, token, mintAuthority: sender.payer, amount, decimals }),
    ]);
  }

  /** Moves `amount` of the public balance into the pending confidential balance. */
  async deposit(amount: bigint): Promise<string> {
    return this.depositEach([amount]);
  }

  /** The same for several amounts: one transaction with an instruction for each. */
  async depositEach(amounts: readonly bigint[]): Promise<string> {
    const { mint, token, owner, decimals } = this.parts;
    this.tell(`deposit ${amounts.map((amount) => this.written(amount)).join(' and ')}`);
    return this.parts.sender.send(
      amounts.map((amount) =>
        getConfidentialDepositInstruction({ token, mint, authority: owner, amount, decimals }),
      ),
    );
  }

  /** Moves the pending balance into the available one. */
  async applyPending(): Promise<string> {
    const { sender, token, owner, ae } = this.parts;
    const state = await confidentialAccountState(sender, token);
    const newBalance =
      decryptWithAe(ae, state.decryptableAvailableBalance) +
      this.decrypt(state.pendingBalanceLow) +
      (this.decrypt(state.pendingBalanceHigh) << 16n);
    this.tell('apply the pending balance');
    return sender.send([
      getApplyConfidentialPendingBalanceInstruction({
        token,
        authority: owner,
        expectedPendingBalanceCreditCounter: state.pendingBalanceCreditCounter,
        newDecryptableAvailableBalance: ae.encrypt(newBalance).toBytes(),
      }),
    ]);
  }

  /** Transfers `amount` confidentially: at least five transactions, of which the last carries the transfer. */
  async transfer(
    to: { readonly address: string; readonly name?: string },
    amount: bigint,
    options: TransferOptions = {},
  ): Promise<string> {
    const { sender, mint, token, owner, ae } = this.parts;
    this.tell(`prove and send ${this.written(amount)} to ${to.name ?? to.address}`);
    const destination = await confidentialAccountState(sender, to.address);
    const proofs = await this.proveSpending(amount, encryptionKey(destination.elgamalPubkey));
    const contexts = await verifyInContexts(sender, pick(proofs));
    const transfer = getConfidentialTransferInstruction({
      sourceToken: token,
      mint,
      destinationToken: address(to.address),
      equalityRecord: contexts.equality,
      ciphertextValidityRecord: contexts.validity,
      rangeRecord: contexts.range,
      authority: owner,
      newSourceDecryptableAvailableBalance: ae.encrypt(proofs.newBalance).toBytes(),
      transferAmountAuditorCiphertextLo: proofs.auditorLow,
      transferAmountAuditorCiphertextHi: proofs.auditorHigh,
      ...IN_CONTEXTS,
    });
    const sent: Instruction = options.batch === true ? getBatchInstruction([transfer]) : transfer;
    const carrier = options.through === undefined ? sent : forwarded(sent, options.through);
    return sender.send([carrier, ...closeContexts(sender, contexts)], options.version);
  }

  /** Moves `amount` of the available confidential balance back to the public one. */
  async withdraw(amount: bigint): Promise<string> {
    const { sender, mint, token, owner, ae, decimals } = this.parts;
    this.tell(`withdraw ${this.written(amount)}`);
    const state = await confidentialAccountState(sender, token);
    const proofs = proveWithdrawal(amount, this.balanceOf(state));
    const contexts = await verifyInContexts(sender, {
      equality: proofs.equality,
      withdrawalRange: proofs.range,
    });
    const withdrawal = getConfidentialWithdrawInstruction({
      token,
      mint,
      equalityRecord: contexts.equality,
      rangeRecord: contexts.withdrawalRange,
      authority: owner,
      amount,
      decimals,
      newDecryptableAvailableBalance: ae.encrypt(proofs.newBalance).toBytes(),
      equalityProofInstructionOffset: 0,
      rangeProofInstructionOffset: 0,
    });
    return sender.send([withdrawal, ...closeContexts(sender, contexts)]);
  }

  /** Burns `amount` confidentially; the mint must have the confidential mint and burn extension. */
  async burn(amount: bigint): Promise<string> {
    const { sender, mint, token, owner, ae } = this.parts;
    this.tell(`burn ${this.written(amount)} confidentially`);
    const supply = await mintBurnState(sender, mint);
    const proofs = await this.proveSpending(amount, encryptionKey(supply.supplyElgamalPubkey));
    const contexts = await verifyInContexts(sender, pick(proofs));
    const burn = getConfidentialBurnInstruction({
      token,
      mint,
      equalityRecord: contexts.equality,
      ciphertextValidityRecord: contexts.validity,
      rangeRecord: contexts.range,
      authority: owner,
      newDecryptableAvailableBalance: ae.encrypt(proofs.newBalance).toBytes(),
      burnAmountAuditorCiphertextLo: proofs.auditorLow,
      burnAmountAuditorCiphertextHi: proofs.auditorHigh,
      ...IN_CONTEXTS,
    });
    return sender.send([burn, ...closeContexts(sender, contexts)]);
  }

  /** Makes the account closable; both confidential balances must be zero. */
  async emptyAccount(): Promise<string> {
    const { sender, token, owner, elgamal } = this.parts;
    this.tell('empty the confidential account');
    const state = await confidentialAccountState(sender, token);
    const proof = new ZeroCiphertextProofData(
      elgamal,
      readCiphertext(Uint8Array.from(state.availableBalance)),
    ).toBytes();
    const verification = await verifyZeroCiphertext({
      rpc: sender.rpc,
      payer: sender.payer,
      proofData: proof,
    });
    return sender.send([
      getEmptyConfidentialTransferAccountInstruction({
        token,
        authority: owner,
        proofInstructionOffset: 1,
      }),
      ...verification,
    ]);
  }

  /** Allows or forbids incoming confidential transfers. */
  async allowConfidentialCredits(allowed: boolean): Promise<string> {
    const { sender, token, owner } = this.parts;
    this.tell(`${allowed ? 'enable' : 'disable'} confidential credits`);
    const input = { token, authority: owner };
    return sender.send([
      allowed
        ? getEnableConfidentialCreditsInstruction(input)
        : getDisableConfidentialCreditsInstruction(input),
    ]);
  }

  /** Allows or forbids incoming public transfers. */
  async allowNonConfidentialCredits(allowed: boolean): Promise<string> {
    const { sender, token, owner } = this.parts;
    this.tell(`${allowed ? 'enable' : 'disable'} non-confidential credits`);
    const input = { token, authority: owner };
    return sender.send([
      allowed
        ? getEnableNonConfidentialCreditsInstruction(input)
        : getDisableNonConfidentialCreditsInstruction(input),
    ]);
  }

  /** What the owner can spend confidentially, by the owner's own note of it. */
  async availableBalance(): Promise<bigint> {
    const state = await confidentialAccountState(this.parts.sender, this.parts.token);
    return decryptWithAe(this.parts.ae, state.decryptableAvailableBalance);
  }

  async publicBalance(): Promise<bigint> {
    return publicBalance(this.parts.sender, this.parts.token);
  }

  private async proveSpending(amount: bigint, second: ElGamalPubkey): Promise<AmountProofs> {
    const { sender, mint, elgamal, token } = this.parts;
    const state = await confidentialAccountState(sender, token);
    return proveAmount({
      amount,
      recipients: [elgamal.pubkey(), second, await auditorKey(sender, mint)],
      balance: { ...this.balanceOf(state), recipient: 0 },
      direction: 'take',
    });
  }

  private balanceOf(state: {
    readonly availableBalance: ReadonlyUint8Array;
    readonly decryptableAvailableBalance: ReadonlyUint8Array;
  }) {
    return {
      keypair: this.parts.elgamal,
      ciphertext: Uint8Array.from(state.availableBalance),
      value: decryptWithAe(this.parts.ae, state.decryptableAvailableBalance),
    };
  }

  private decrypt(ciphertext: ReadonlyUint8Array): bigint {
    return this.parts.elgamal.secret().decrypt(readCiphertext(Uint8Array.from(ciphertext)));
  }

  /** As people read it, and not in base units. */
  private written(amount: bigint): string {
    return decimalAmount(amount.toString(), this.parts.decimals);
  }

  private tell(what: string): void {
    this.parts.progress(`${this.name}: ${what}`);
  }
}

function forwarded(instruction: Instruction, through: string): Instruction {
  const callee = { address: instruction.programAddress, role: AccountRole.READONLY };
  return {
    ...instruction,
    programAddress: address(through),
    accounts: [...(instruction.accounts ?? []), callee],
  };
}

/** The mint's present auditor key; without one, proofs are made for the identity point. */
export async function auditorKey(sender: LedgerSender, mint: string): Promise<ElGamalPubkey> {
  const { auditorElgamalPubkey } = await confidentialMintState(sender, mint);
  return auditorElgamalPubkey.__option === 'Some'
    ? encryptionKey(auditorElgamalPubkey.value)
    : ElGamalPubkey.fromBytes(new Uint8Array(32));
}

/** Token-2022 shows encryption keys in the form of addresses. */
export function encryptionKey(key: Address): ElGamalPubkey {
  return ElGamalPubkey.fromBytes(Uint8Array.from(getAddressEncoder().encode(key)));
}

/** The three proofs by the kind of verification they need. */
export function pick({ equality, validity, range }: AmountProofs) {
  return { equality, validity, range };
}
