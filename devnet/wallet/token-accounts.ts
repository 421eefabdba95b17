import { unwrapOption, type ReadonlyUint8Array } from '@solana/kit';
import { decodeMint, decodeToken, type Extension, type Mint, type Token } from '@solana-program/token-2022';
import { AeCiphertext, type AeKey } from '@solana/zk-sdk/node';
import type { LedgerSender } from './ledger-sender.js';

export type ConfidentialAccountState = Extract<Extension, { __kind: 'ConfidentialTransferAccount' }>;
export type ConfidentialMintState = Extract<Extension, { __kind: 'ConfidentialTransferMint' }>;
export type MintBurnState = Extract<Extension, { __kind: 'ConfidentialMintBurn' }>;

export async function confidentialAccountState(
  sender: LedgerSender,
  token: string,
): Promise<ConfidentialAccountState> {
  const { data } = decodeToken(await sender.account(token));
  return find(extensionsOf(data), 'ConfidentialTransferAccount', token);
}

export async function publicBalance(sender: LedgerSender, token: string): Promise<bigint> {
  return decodeToken(await sender.account(token)).data.amount;
}

export async function confidentialMintState(
  sender: LedgerSender,
  mint: string,
): Promise<ConfidentialMintState> {
  const { data } = decodeMint(await sender.account(mint));
  return find(extensionsOf(data), 'ConfidentialTransferMint', mint);
}

export async function mintBurnState(sender: LedgerSender, mint: string): Promise<MintBurnState> {
  const { data } = decodeMint(await sender.account(mint));
  return find(extensionsOf(data), 'ConfidentialMintBurn', mint);
}

export function decryptWithAe(key: AeKey, bytes: ReadonlyUint8Array): bigint {
  const ciphertext = AeCiphertext.fromBytes(Uint8Array.from(bytes));
  if (ciphertext === undefined) throw new TypeError('Not an authenticated ciphertext.');
  return key.decrypt(ciphertext);
}

function extensionsOf(data: Mint | Token): readonly Extension[] {
  return unwrapOption(data.extensions) ?? [];
}

function find<Kind extends Extension['__kind']>(
  extensions: readonly Extension[],
  kind: Kind,
  what: string,
): Extract<Extension, { __kind: Kind }> {
  const found = extensions.find(
    (extension): extension is Extract<Extension, { __kind: Kind }> => extension.__kind === kind,
  );
  if (found === undefined) throw new TypeError(`${what} has no ${kind} extension.`);
  return found;
}
