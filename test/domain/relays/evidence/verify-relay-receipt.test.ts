import { describe, expect, it } from '@jest/globals';
import { receiptKeys } from '../../../../src/domain/activity-log/index.js';
import { generateSigningKey, sign } from '../../../../src/platform/crypto/index.js';
import { base64 } from '../../../../src/platform/kernel/encoding/bytes.js';
import type { JsonObject } from '../../../../src/platform/kernel/encoding/json.js';
import { verifyRelayReceipt } from '../../../../src/domain/relays/index.js';
import { signedRelayReceipt } from '../../../../src/domain/relays/evidence/record-end.js';
import {
  relayReceiptMessage,
  type RelayReceiptBody,
} from '../../../../src/domain/relays/evidence/relay-receipt.js';
import { canonicalPackage, parseRelayPackage } from '../../../../src/domain/relays/packages/relay-package.js';
import { chainOf, type Signer } from '../../activity-log/signing-keys/key-chain-kit.js';
import { body, prepared, receiptSignedBy } from './receipt-kit.js';

const key = generateSigningKey();
const receiptOf = (stated: RelayReceiptBody, signed: RelayReceiptBody = stated) =>
  signedRelayReceipt(stated, sign(key.secret, relayReceiptMessage(signed)), key.publicKey);
const failing = (file: unknown, options = {}) =>
  verifyRelayReceipt(file, options)
    .checks.filter(({ passed }) => !passed)
    .map(({ name }) => name);

describe('the receipt of a relay', () => {
  it('verifies with its package in any spelling, and states what it cannot prove', () => {
    const receipt = receiptOf(body);
    const { proofBytes } = prepared as { proofBytes: string };
    const written = { ...prepared, proofBytes: `0x${proofBytes.toUpperCase()}`, zkConfigNonce: 3 };
    const { valid, unverified } = verifyRelayReceipt({ receipt, package: written });
    expect(valid).toBe(true);
    expect(unverified.join()).toMatch(/Who owns the key that signed/);
    const known = verifyRelayReceipt(receipt, { verifierKey: receipt.verifierKey });
    expect(known.valid).toBe(true);
    expect(known.unverified.join()).toMatch(/Which package/);
    expect(known.unverified.join()).not.toMatch(/Who owns the key/);
    // With only one key, the file cannot show whether the key was stolen.
    const untold = /Whether this key was declared compromised\. Also pass the key file \(--keys\)/;
    expect(known.unverified.join()).toMatch(untold);
  });

  it('names members of the package that it does not cover, because no digest includes them', () => {
    const receipt = receiptOf(body);
    const unread = (submitted: object) => {
      const { valid, unverified } = verifyRelayReceipt({ receipt, package: submitted });
      expect(valid).toBe(true);
      return unverified.filter((limit) => limit.startsWith('Members of the package'));
    };
    expect(unread({ ...prepared, memo: 'paid to Bob' })).toEqual([
      'Members of the package that no relayer reads: memo.',
    ]);
    const many = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`member_${at}`, at]));
    expect(unread({ ...prepared, ...many })).toEqual([
      expect.stringMatching(/reads: (member_\d, ){9}member_9, 2 more\.$/),
    ]);
    expect(unread({ ...canonicalPackage(parseRelayPackage(prepared)), escrowRecipient: null })).toEqual([]);
  });

  it('states the answer of each provider, and does not verify without it', () => {
    const providers = [
      { provider: 'one.example#0', said: 'landed' },
      { provider: 'two.example#1', said: 'absent', leftOut: 'contradicted' },
    ] as const;
    const receipt = receiptOf({ ...body, providers });
    const { valid, checks } = verifyRelayReceipt(receipt);
    expect(valid).toBe(true);
    expect(checks.find(({ name }) => name === 'statement')!.detail).toContain(
      'Statements of providers: one.example#0: landed; two.example#1: absent (not counted: contradicted).',
    );
    const changed = [providers[0], { ...providers[1], said: 'landed' as const }];
    expect(failing(receiptOf({ ...body, providers: changed }, { ...body, providers }))).toEqual([
      'signature',
    ]);
    for (const broken of ['text', [null], [{ provider: 'one.example#0' }], [{ provider: 1, said: 'landed' }]])
      expect(failing(receiptOf({ ...body, providers: broken as never }))).toEqual(['statement']);
  });

  it('does not verify if it was changed, or belongs to another organization or package', () => {
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
    // A key store can give two organizations the same key.
    expect(failing(foreign, { verifierKey: receipt.verifierKey })).toEqual(['signature']);
    const changed = { ...prepared, applicationIdHints: ['another'] };
    expect(failing({ receipt, package: changed })).toEqual(['package']);
    const disclosure = { ...body, type: 'other' } as unknown as RelayReceiptBody;
    expect(failing(receiptOf(disclosure))).toEqual(['statement']);
    for (const none of [null, [], {}, { receipt: {} }, { ...receipt, body: 'text' }])
      expect(failing(none)).toEqual(['file']);
  });
});

describe('the file of a relay', () => {
  const receipt = receiptOf(body);
  const file = { relayRequestId: body.relayRequestId, package: prepared, receipt };

  it('verifies in the forms that the demo and GraphQL write', () => {
    for (const written of [
      file,
      { ...file, receipt: { ...receipt, __typename: 'RelayReceipt' } },
      { receipt },
    ])
      expect(failing(written)).toEqual([]);
  });

  it('does not verify if it names another relay than its receipt', () => {
    for (const relayRequestId of ['rly_2', `${body.relayRequestId} `, null])
      expect(failing({ ...file, relayRequestId })).toEqual(['statement']);
  });

  it('does not verify with an unknown member', () => {
    for (const written of [
      { ...file, status: 'failed' },
      { ...file, receipt: { ...receipt, transactionHash: 'another' } },
      { ...receipt, status: 'failed' },
    ])
      expect(failing(written)).toEqual(['file']);
  });
});

describe('the receipt of a relay of an organization that changed its keys', () => {
  const { signerOf, rotation, compromise, logOf } = chainOf('lucarne.example/log/org_1');
  const elsewhere = chainOf('lucarne.example/log/org_2');
  const [first, second, third, stranger] = [signerOf(), signerOf(), signerOf(), signerOf()];
  const check = (signer: Signer, keys: unknown, expected?: string) =>
    verifyRelayReceipt(receiptSignedBy(signer), {
      ...(expected === undefined ? {} : { verifierKey: expected }),
      keys: receiptKeys(keys, expected),
    });
  const faults = (...parameters: Parameters<typeof check>) =>
    check(...parameters)
      .checks.filter(({ passed }) => !passed)
      .map(({ name, detail }) => `${name}: ${detail}`);
  const changes = [rotation(first, second), rotation(second, third)];
  const chain = logOf(third, ...changes);

  it('verifies with any known key of the log, earlier or later', () => {
    for (const signer of [first, second, third])
      for (const { key: known } of [first, second, third])
        expect([known, faults(signer, chain, known)]).toEqual([known, []]);
    // The key in the form of receipts.
    expect(faults(third, chain, receiptSignedBy(first).verifierKey)).toEqual([]);
    expect(check(second, chain, first.key).checks).toContainEqual({
      name: 'keys',
      passed: true,
      detail: 'Signed by key 2 of 3 in the key file. Each key named the next one.',
    });
    expect(failing(receiptSignedBy(third), { verifierKey: receiptSignedBy(first).verifierKey })).toEqual([
      'signature',
    ]);
  });

  it('verifies with the checkpoint in the form that GraphQL returns', () => {
    const logCheckpoint = {
      ...{ origin: chain.origin, verifierKey: chain.verifier_key, note: chain.checkpoint },
      keyChanges: chain.key_changes.map(({ index, entry, proof }) => ({
        ...{ index, entry: JSON.stringify(entry), inclusion: proof },
      })),
    };
    expect(faults(third, { data: { logCheckpoint } }, first.key)).toEqual([]);
    expect(check(third, { data: { logCheckpoint } }, first.key).unverified).toContain(
      'Key changes after the 2 entries that the key file covers.',
    );
  });

  const { [0]: change } = chain.key_changes;
  it.each<[string, Signer, unknown, string | undefined, RegExp]>([
    [
      'another key signed it',
      stranger,
      chain,
      first.key,
      /None of the keys in the key file signed the receipt/,
    ],
    [
      'nobody named the expected key',
      third,
      chain,
      stranger.key,
      /None of the keys that signed the log is the expected key/,
    ],
    [
      'the expected key is malformed',
      third,
      chain,
      first.key.slice(0, -8),
      /expected verifier key is malformed/,
    ],
    [
      'a thief forged a successor',
      stranger,
      logOf(stranger, rotation(first, stranger, [stranger, stranger])),
      first.key,
      /not signed by both the old key and the new key/,
    ],
    [
      'a change is not in the log that was signed',
      second,
      { ...logOf(second, rotation(first, second)), key_changes: [{ ...change!, index: 5 }] },
      first.key,
      /is not in the log/,
    ],
    [
      'a change is left out',
      third,
      { ...chain, key_changes: chain.key_changes.slice(1), entries: [] },
      first.key,
      /None of the keys that signed the log is the expected key/,
    ],
    [
      'the keys are of another log',
      first,
      elsewhere.logOf(elsewhere.signerOf(), { event_type: 'asset.created' }),
      undefined,
      /belongs to the log lucarne\.example\/log\/org_2, not to the log of the organization that the receipt names/,
    ],
    [
      'another party signed the checkpoint',
      third,
      { ...chain, checkpoint: logOf(stranger, ...changes).checkpoint },
      first.key,
      /checkpoint in the key file is malformed, or not signed/,
    ],
    [
      'the file has no keys',
      third,
      { hello: 1 },
      first.key,
      /must be an export of the activity log, or a checkpoint/,
    ],
  ])('does not verify where %s', (_, signer, keys, expected, sentence) => {
    expect(faults(signer, keys, expected)).toEqual([expect.stringMatching(sentence)]);
  });

  it('has no key if a file does not list the changes', () => {
    const { origin, verifier_key, checkpoint, entries } = chain;
    const [unsaid, answered] = [
      { origin, verifier_key, checkpoint, entries },
      { origin, verifierKey: verifier_key, note: checkpoint },
    ];
    for (const file of [unsaid, answered, { ...chain, key_changes: null }])
      expect(faults(third, file, third.key)).toEqual([
        expect.stringMatching(/must be an export .* or a checkpoint/),
      ]);
  });

  describe('with a key that is declared compromised', () => {
    const entry = (signer: Signer): JsonObject => ({
      event_type: 'relay.succeeded',
      details: { receipt_signature: receiptSignedBy(signer).signature },
    });
    const stolen = /^keys: The key of the receipt is declared compromised as of index 1, and the key file/;

    it('is trusted only if the log has its entry before the declaration', () => {
      const before = logOf(second, entry(first), rotation(first, second), compromise(first, 1, second));
      expect(faults(first, before, first.key)).toEqual([]);
      expect(check(first, before).checks).toContainEqual(
        expect.objectContaining({ name: 'keys', detail: expect.stringContaining('at index 0.') }),
      );
      expect(check(second, before, first.key).unverified).toContainEqual(
        expect.stringContaining('That your organization chose the key after the expected key'),
      );
      const after = logOf(second, rotation(first, second), entry(first), compromise(first, 1, second));
      for (const keys of [after, { ...before, entries: [] }, { ...before, entries: before.entries.slice(1) }])
        expect(faults(first, keys, second.key)).toEqual([expect.stringMatching(stolen)]);
    });

    it('is not hidden: a file without the declaration is refused, or the result states that it does not show it', () => {
      const keyLog = logOf(second, rotation(first, second), compromise(first, 0, second));
      const leftOut = { ...keyLog, key_changes: keyLog.key_changes.slice(0, 1) };
      expect(faults(first, leftOut, first.key)).toEqual([
        expect.stringMatching(/^keys: Entry 1 changes the keys of the log, but the file does not list it/),
      ]);
      const omission = expect.stringMatching(/^That the key file has all declarations of compromised keys/);
      const [rotated] = leftOut.entries;
      for (const entries of [
        [],
        [rotated!],
        [rotated!, rotated!],
        [rotated!, { ...rotated!, index: 1, entry: {} }],
      ])
        expect(check(first, { ...leftOut, entries }, first.key)).toMatchObject({
          valid: true,
          unverified: expect.arrayContaining([omission]),
        });
      const whole = check(first, logOf(second, rotation(first, second)), first.key);
      expect(whole.unverified).not.toContainEqual(omission);
      // The old key also signed this checkpoint, so it says nothing about the new one.
      const old = { ...logOf(first, rotation(first, second)), entries: [], key_changes: [] };
      expect(check(first, old, first.key).checks).toContainEqual({
        name: 'keys',
        passed: true,
        detail: 'Signed by the key in the key file.',
      });
      expect(check(first, old, first.key).unverified).toContainEqual(omission);
    });

    it('is not trusted because of an entry that the log does not have', () => {
      const log = logOf(second, rotation(first, second), compromise(first, 1, second));
      const [logged] = log.entries;
      const forged = { ...log, entries: [{ ...logged!, entry: entry(first) }] };
      expect(faults(first, forged, second.key)).toEqual([expect.stringMatching(stolen)]);
      const another = base64.encode(new Uint8Array(64).fill(1));
      const other = { event_type: 'relay.succeeded', details: { receipt_signature: another } };
      const unrelated = logOf(second, other, rotation(first, second), compromise(first, 1, second));
      expect(faults(first, unrelated, second.key)).toEqual([expect.stringMatching(stolen)]);
    });
  });
});
