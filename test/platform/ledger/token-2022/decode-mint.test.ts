import { describe, expect, it } from '@jest/globals';
import { some } from '@solana/kit';
import * as token from '@solana-program/token-2022';
import { fc } from '../../../kit/properties.js';
import { addressBytes, decodeMint } from '../../../../src/platform/ledger/index.js';
import { account, pattern } from './instruction-kit.js';

const authority = account(5);
const auditor = account(6);

const confidentialTransfer = (auditorElgamalPubkey: typeof auditor | null) =>
  token.extension('ConfidentialTransferMint', {
    authority,
    autoApproveNewAccounts: true,
    auditorElgamalPubkey,
  });

const confidentialMintBurn = token.extension('ConfidentialMintBurn', {
  confidentialSupply: pattern(64, 1),
  decryptableSupply: pattern(36, 2),
  supplyElgamalPubkey: account(8),
  pendingBurn: pattern(64, 3),
});

const transferFee = token.extension('TransferFeeConfig', {
  transferFeeConfigAuthority: authority,
  withdrawWithheldAuthority: authority,
  withheldAmount: 11n,
  olderTransferFee: { epoch: 1n, maximumFee: 500n, transferFeeBasisPoints: 25 },
  newerTransferFee: { epoch: 2n, maximumFee: (1n << 64n) - 1n, transferFeeBasisPoints: 10_000 },
});

const metadata = token.extension('TokenMetadata', {
  updateAuthority: authority,
  mint: account(9),
  name: 'Écu',
  symbol: 'ECU',
  uri: '',
  additionalMetadata: new Map([['key', 'value']]),
});

function mintData(extensions: readonly token.ExtensionArgs[] | null, isInitialized = true): Uint8Array {
  return new Uint8Array(
    token.getMintEncoder().encode({
      mintAuthority: some(authority),
      supply: 1_000_000n,
      decimals: 6,
      isInitialized,
      freezeAuthority: null,
      extensions: extensions === null ? null : [...extensions],
    }),
  );
}

describe('mint data encoded by the token-2022 client', () => {
  it('is a mint without confidential transfers if it has no extensions', () => {
    expect(decodeMint(mintData(null))).toEqual({
      decimals: 6,
      supply: 1_000_000n,
      mintAuthority: authority,
      confidentialTransfer: undefined,
      hasConfidentialMintBurn: false,
      transferFee: undefined,
    });
  });

  it('shows the auditor of confidential transfers, with any other extensions', () => {
    const mint = decodeMint(
      mintData([metadata, transferFee, confidentialTransfer(auditor), confidentialMintBurn]),
    );
    expect(mint).toEqual({
      decimals: 6,
      supply: 1_000_000n,
      mintAuthority: authority,
      confidentialTransfer: {
        authority,
        autoApproveNewAccounts: true,
        auditorPublicKey: addressBytes(auditor),
      },
      hasConfidentialMintBurn: true,
      transferFee: {
        older: { epoch: 1n, maximumFee: 500n, basisPoints: 25 },
        newer: { epoch: 2n, maximumFee: (1n << 64n) - 1n, basisPoints: 10_000 },
      },
    });
  });

  it('may have confidential transfers without an auditor', () => {
    const mint = decodeMint(mintData([confidentialTransfer(null)]));
    expect(mint?.confidentialTransfer?.auditorPublicKey).toBeUndefined();
    expect(mint?.confidentialTransfer?.authority).toBe(authority);
  });
});

describe('data that is not a mint', () => {
  it('is refused if it was never initialized', () => {
    expect(decodeMint(mintData(null, false))).toBeUndefined();
  });

  it('is refused if it is a token account', () => {
    const data = token.getTokenEncoder().encode({
      mint: account(9),
      owner: authority,
      amount: 1n,
      delegate: null,
      state: token.AccountState.Initialized,
      isNative: null,
      delegatedAmount: 0n,
      closeAuthority: null,
      extensions: [],
    });
    expect(decodeMint(new Uint8Array(data))).toBeUndefined();
  });

  it('is refused if it is a multisignature whose signers are the bytes of a mint with an auditor key', () => {
    const forged = new Uint8Array(355);
    const mint = mintData([confidentialTransfer(auditor)]);
    forged.set(mint.subarray(0, 82));
    forged.set(mint.subarray(165), 165);
    // One of eleven signers, initialized: what InitializeMultisig writes before the signers.
    forged.set([1, 11, 1]);
    const decoded = token.getMultisigDecoder().decode(forged);
    expect(decoded).toMatchObject({ m: 1, n: 11, isInitialized: true });
    expect(decodeMint(forged)).toBeUndefined();
    // With another length it would be a mint.
    expect(decodeMint(forged.subarray(0, 354))?.confidentialTransfer?.auditorPublicKey).toEqual(
      addressBytes(auditor),
    );
  });

  it('is refused if an extension exceeds its end', () => {
    const data = mintData([confidentialTransfer(auditor)]);
    expect(decodeMint(data.slice(0, -1))).toBeUndefined();
  });

  it('may be any bytes, and nothing is thrown', () => {
    const whole = mintData([metadata, transferFee, confidentialTransfer(auditor)]);
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 400 }),
        fc.nat(whole.length - 1),
        fc.nat(255),
        (bytes, at, byte) => {
          const spoilt = Uint8Array.from(whole);
          spoilt[at] = byte;
          for (const data of [bytes, spoilt, whole.slice(0, at)]) {
            const mint = decodeMint(data);
            if (mint !== undefined) expect(mint.decimals).toBe(data[44]);
          }
        },
      ),
    );
  });
});
