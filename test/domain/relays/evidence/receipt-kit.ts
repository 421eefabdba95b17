import { LOCAL_POOL_SELECTOR } from '../../../../devnet/index.js';
import { prepareLocalPackage } from '../../../../src/demo/relay-package.js';
import { signedRelayReceipt } from '../../../../src/domain/relays/evidence/record-end.js';
import {
  RELAY_RECEIPT_TYPE,
  relayReceiptMessage,
  type RelayReceiptBody,
  type SignedRelayReceipt,
} from '../../../../src/domain/relays/evidence/relay-receipt.js';
import { packageDigest, parseRelayPackage } from '../../../../src/domain/relays/index.js';
import { hex } from '../../../../src/platform/kernel/encoding/bytes.js';
import type { Signer } from '../../activity-log/signing-keys/key-chain-kit.js';

/** A package, and the members of a receipt for `org_1` that depend on it. */
export const prepared = prepareLocalPackage({
  poolSelector: LOCAL_POOL_SELECTOR,
  applicationIdHints: [],
}).body;
export const body: RelayReceiptBody = {
  type: RELAY_RECEIPT_TYPE,
  receiptId: 'rcp_1',
  organizationId: 'org_1',
  relayRequestId: 'rly_1',
  packageSha256: hex.encode(packageDigest(parseRelayPackage(prepared))),
  poolSelector: LOCAL_POOL_SELECTOR,
  programId: 'program',
  status: 'succeeded',
  reason: null,
  sequence: 5,
  attemptNumber: 1,
  transactionHash: 'signature',
  evidenceSha256: '00',
  acceptedAt: '2026-01-01T00:00:00.000Z',
  endedAt: '2026-01-01T00:00:02.000Z',
};

export const receiptSignedBy = (signer: Signer): SignedRelayReceipt =>
  signedRelayReceipt(body, signer.sign(relayReceiptMessage(body)), signer.publicKey);
