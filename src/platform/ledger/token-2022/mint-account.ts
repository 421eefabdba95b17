import type { Address } from '../address.js';

/** The transfer fee of one epoch, from the transfer-fee extension. `basisPoints` is in hundredths of a percent. */
export interface TransferFee {
  readonly epoch: bigint;
  readonly maximumFee: bigint;
  readonly basisPoints: number;
}

export interface ConfidentialTransferMint {
  readonly authority: Address | undefined;
  readonly autoApproveNewAccounts: boolean;
  /** 32 bytes, a compressed ristretto point; undefined if the mint has no auditor. */
  readonly auditorPublicKey: Uint8Array | undefined;
}

/** The parts of a Token-2022 mint that Lucarne reads. */
export interface Mint {
  readonly decimals: number;
  /** The public supply, in base units. */
  readonly supply: bigint;
  readonly mintAuthority: Address | undefined;
  readonly confidentialTransfer: ConfidentialTransferMint | undefined;
  readonly hasConfidentialMintBurn: boolean;
  /** `newer` is valid from its epoch on, `older` before it. */
  readonly transferFee: { readonly older: TransferFee; readonly newer: TransferFee } | undefined;
}

/** The account at an address, as of `slot`. `not_a_mint`: Token-2022 owns it, but it is not an initialized mint. */
export type MintAccount = { readonly address: Address; readonly slot: number } & (
  | { readonly status: 'absent' }
  | { readonly status: 'other_owner'; readonly owner: Address }
  | { readonly status: 'not_a_mint' }
  | ({ readonly status: 'mint' } & Mint)
);
