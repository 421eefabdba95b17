import { addressFromBytes, type Address } from '../address.js';
import type { ConfidentialTransferMint, Mint, TransferFee } from './mint-account.js';

// The layout of an SPL Token mint: authority option u32 + 32, supply u64, decimals u8, initialized u8, freeze authority option.
// With extensions, it is padded to an account's 165 bytes, followed by a type byte and TLV entries.
const BASE_BYTES = 82;
const ACCOUNT_TYPE_AT = 165;
const TLV_AT = 166;
const ACCOUNT_TYPE_MINT = 1;
/**
 * Only a multisignature has this length: Token-2022 pads a mint that would have it. Its signers can be any bytes, also those of a
 * mint with any auditor key.
 */
const MULTISIG_BYTES = 355;

const TRANSFER_FEE_CONFIG = { type: 1, length: 108 };
const CONFIDENTIAL_TRANSFER_MINT = { type: 4, length: 65 };
const CONFIDENTIAL_MINT_BURN = { type: 24, length: 196 };

/** Decodes an account of Token-2022. Returns undefined if it is no initialized mint, or has malformed extensions. */
export function decodeMint(data: Uint8Array): Mint | undefined {
  if (data.length < BASE_BYTES || data.length === MULTISIG_BYTES) return undefined;
  if (data.length > BASE_BYTES && data[ACCOUNT_TYPE_AT] !== ACCOUNT_TYPE_MINT) return undefined;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  if (view.getUint8(45) !== 1) return undefined;
  const extensions = readExtensions(data);
  if (extensions === undefined) return undefined;
  const confidentialTransfer = extensions.get(CONFIDENTIAL_TRANSFER_MINT.type);
  const transferFee = extensions.get(TRANSFER_FEE_CONFIG.type);
  if (confidentialTransfer && confidentialTransfer.length !== CONFIDENTIAL_TRANSFER_MINT.length)
    return undefined;
  if (transferFee && transferFee.length !== TRANSFER_FEE_CONFIG.length) return undefined;
  return {
    mintAuthority: view.getUint32(0, true) === 1 ? addressFromBytes(data.subarray(4, 36)) : undefined,
    supply: view.getBigUint64(36, true),
    decimals: view.getUint8(44),
    confidentialTransfer: confidentialTransfer && decodeConfidentialTransfer(confidentialTransfer),
    hasConfidentialMintBurn:
      extensions.get(CONFIDENTIAL_MINT_BURN.type)?.length === CONFIDENTIAL_MINT_BURN.length,
    transferFee: transferFee && {
      older: decodeTransferFee(transferFee.subarray(72, 90)),
      newer: decodeTransferFee(transferFee.subarray(90, 108)),
    },
  };
}

/**
 * Reads entries of type u16, length u16, value, until type 0 or the end. Returns undefined if an entry extends past the end.
 */
function readExtensions(data: Uint8Array): ReadonlyMap<number, Uint8Array> | undefined {
  const found = new Map<number, Uint8Array>();
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  let position = TLV_AT;
  while (position + 4 <= data.length) {
    const type = view.getUint16(position, true);
    if (type === 0) break;
    const end = position + 4 + view.getUint16(position + 2, true);
    if (end > data.length) return undefined;
    if (!found.has(type)) found.set(type, data.subarray(position + 4, end));
    position = end;
  }
  return found;
}

/** Authority 32, auto-approve u8, auditor key 32. All zero means none. */
function decodeConfidentialTransfer(value: Uint8Array): ConfidentialTransferMint {
  const auditorKey = value.slice(33, 65);
  return {
    authority: optionalAddress(value.subarray(0, 32)),
    autoApproveNewAccounts: value[32] !== 0,
    auditorPublicKey: isZero(auditorKey) ? undefined : auditorKey,
  };
}

/** Epoch u64, maximum fee u64, basis points u16. */
function decodeTransferFee(value: Uint8Array): TransferFee {
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength);
  return {
    epoch: view.getBigUint64(0, true),
    maximumFee: view.getBigUint64(8, true),
    basisPoints: view.getUint16(16, true),
  };
}

function optionalAddress(bytes: Uint8Array): Address | undefined {
  return isZero(bytes) ? undefined : addressFromBytes(bytes);
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}
