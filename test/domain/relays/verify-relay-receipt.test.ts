import { describe, expect, it } from '@jest/globals';
import { generateSigningKey, sign } from '../../../src/platform/crypto/index.js';
import { hex } from '../../../src/platform/kernel/encoding/bytes.js';
import { prepareLocalPackage } from '../../../src/demo/relay-package.js';
import { LOCAL_POOL_SELECTOR } from '../../../devnet/index.js';
import { packageDigest, parseRelayPackage, verifyRelayReceipt } from '../../../src/domain/relays/index.js';
import {
  RELAY_RECEIPT_TYPE,
  relayReceiptMessage,
  signedRelayReceipt,
  type RelayReceiptBody,
} from '../../../src/domain/relays/evidence/record-end.js';

const key = generateSigningKey();
const prepared = prepareLocalPackage({ poolSelector: LOCAL_POOL_SELECTOR, applicationIdHints: [] }).body;
const body: RelayReceiptBody = {
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
const receiptOf = (stated: RelayReceiptBody, signed: RelayReceiptBody = stated) =>
  signedRelayReceipt(stated, sign(key.secret, relayReceiptMessage(signed)), key.publicKey);
const failing = (file: unknown, options = {}) =>
  verifyRelayReceipt(file, options)
    .checks.filter(({ passed }) => !passed)
    .map(({ name }) => name);

describe('the receipt of a relay', () => {
  it('verifies with its package, however it is written, and says what it cannot show', () => {
    const receipt = receiptOf(body);
    const { proofBytes } = prepared as { proofBytes: string };
    const written = { ...prepared, proofBytes: `0x${proofBytes.toUpperCase()}`, zkConfigNonce: 3 };
    const { valid, unverified } = verifyRelayReceipt({ receipt, package: written });
    expect(valid).toBe(true);
    expect(unverified.join()).toMatch(/Whose key signed/);
    const known = verifyRelayReceipt(receipt, { verifierKey: receipt.verifierKey });
    expect(known.valid).toBe(true);
    expect(known.unverified.join()).toMatch(/Which package/);
    expect(known.unverified.join()).not.toMatch(/Whose key/);
  });

  it('says which provider said what, and does not verify where it does not', () => {
    const providers = [
      { provider: 'one.example#0', said: 'landed' },
      { provider: 'two.example#1', said: 'absent', leftOut: 'contradicted' },
    ] as const;
    const receipt = receiptOf({ ...body, providers });
    const { valid, checks } = verifyRelayReceipt(receipt);
    expect(valid).toBe(true);
    expect(checks.find(({ name }) => name === 'statement')!.detail).toContain(
      'By providers: one.example#0 said landed; two.example#1 said absent and was left out (contradicted).',
    );
    const changed = [providers[0], { ...providers[1], said: 'landed' as const }];
    expect(failing(receiptOf({ ...body, providers: changed }, { ...body, providers }))).toEqual([
      'signature',
    ]);
    for (const broken of ['text', [null], [{ provider: 'one.example#0' }], [{ provider: 1, said: 'landed' }]])
      expect(failing(receiptOf({ ...body, providers: broken as never }))).toEqual(['statement']);
  });

  it('does not verify when it was changed, is another’s, or is of another package', () => {
    const receipt = receiptOf(body);
    for (const member of Object.keys(body).filter((one) => one !== 'type'))
      expect([member, failing(receiptOf({ ...body, [member]: 'another' }, body))]).toEqual([
        member,
        ['signature'],
      ]);
    const other = signedRelayReceipt(body, new Uint8Array(64), generateSigningKey().publicKey);
    expect(failing(receipt, { verifierKey: other.verifierKey })).toEqual(['signature']);
    const foreign = receiptOf({ ...body, organizationId: 'org_2' });
    expect(failing({ ...receipt, verifierKey: foreign.verifierKey })).toEqual(['signature']);
    const changed = { ...prepared, applicationIdHints: ['another'] };
    expect(failing({ receipt, package: changed })).toEqual(['package']);
    const disclosure = { ...body, type: 'other' } as unknown as RelayReceiptBody;
    expect(failing(receiptOf(disclosure))).toEqual(['statement']);
    for (const none of [null, [], {}, { receipt: {} }, { ...receipt, body: 'text' }])
      expect(failing(none)).toEqual(['file']);
  });
});
