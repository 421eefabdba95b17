import { describe, expect, it } from '@jest/globals';
import { fc } from '../../kit/properties.js';
import {
  generateSigningKey,
  parseVerifierKey,
  sign,
  verifierKey,
} from '../../../src/platform/crypto/index.js';
import { newestCheckpoint, receiptKeys } from '../../../src/domain/activity-log/index.js';
import { declareSigningKeyCompromised } from '../../../src/domain/organizations/signing-keys/declare-signing-key-compromised.js';
import { rotateSigningKey } from '../../../src/domain/organizations/signing-keys/rotate-signing-key.js';
import { verifyDisclosureFile } from '../../../src/domain/disclosures/index.js';
import {
  parseSalt,
  resultDigest,
  saltedDigest,
} from '../../../src/domain/disclosures/results/disclosure-result.js';
import { receiptMessage } from '../../../src/domain/disclosures/results/receipt-statement.js';
import { base64 } from '../../../src/platform/kernel/encoding/bytes.js';
import { auditorCiphertexts, seedAsset, seedRecords } from '../../kit/ledger/confidential-records.js';
import { seedOrganization, openTestFoundation } from '../../kit/seed.js';
import { exportOf } from '../activity-log/exporting/exported-log.js';
import { sequence } from '../activity-log/kit.js';
import { disclosureDesk, disclosureFile } from './kit.js';

// Tests edit a file member by member, like a forger.
interface FileRecord {
  [member: string]: unknown;
  amount: string | null;
  proof: {
    amount: { auditorElGamalPubkey: string; ciphertext: { lo: string; hi: string }; proof: string };
  } | null;
}
interface DisclosureFile {
  [member: string]: unknown;
  purpose: string;
  scope: Record<string, unknown>;
  result: {
    [member: string]: unknown;
    records: FileRecord[];
    content: string;
    receipt: { body: Record<string, unknown>; signature: string; verifierKey: string };
  };
}

const { database, foundation } = await openTestFoundation();
const desk = disclosureDesk(foundation);
const acme = await seedOrganization(foundation);
await desk.policy(acme.owner.principal);
const asset = await seedAsset(foundation, acme.organization.id, { disclosurePolicyId: 'open' });
const seeded = await seedRecords(foundation, asset, [
  { ciphertexts: auditorCiphertexts(asset.auditorPublicKey, 1_234_567n) },
  { ciphertexts: auditorCiphertexts(asset.auditorPublicKey, 89n) },
  { type: 'confidential_deposit', publicData: { amount: '500' } },
  { type: 'apply_pending_balance' },
  {},
]);
const file = async (format: string, fields = ['amount']) => {
  const disclosure = await desk.request(acme.apiKey.principal, {
    assetId: asset.id,
    purpose: 'Audit',
    scope: { transactionIds: seeded.map(({ id }) => id), fields },
    format,
  });
  const result = await desk.result(disclosure);
  return disclosureFile(disclosure, result) as DisclosureFile;
};
const asJson = await file('json');
const asCsv = await file('csv');
const feeFirst = await file('csv', ['fee', 'amount']);

describe('offline verification of a disclosure file', () => {
  const edited = (edit: (file: DisclosureFile) => void, original = asJson) => {
    const copy = structuredClone(original);
    edit(copy);
    return copy;
  };
  const failures = (file: unknown) =>
    verifyDisclosureFile(file)
      .checks.filter(({ passed }) => !passed)
      .map(({ name }) => name);

  /** A forger who signs the changed result with the forger's own key. */
  function signedAgain(edit: (file: DisclosureFile) => void, original = asJson) {
    return edited((file) => {
      edit(file);
      const { body } = file.result.receipt;
      body['recordCount'] = file.result.records.length;
      body['resultSha256'] = resultDigest(parseSalt(file.result['salt'])!, file.result as never);
      const key = generateSigningKey();
      file.result.receipt.signature = base64.encode(sign(key.secret, receiptMessage(body as never)));
      file.result.receipt.verifierKey = verifierKey(
        `lucarne/${String(body['organizationId'])}`,
        key.publicKey,
      );
    }, original);
  }

  it('passes for the gateway’s response in either format, and states what it cannot check', () => {
    for (const file of [asJson, asCsv, feeFirst, { data: { disclosure: asJson } }]) {
      const { valid, checks, unverified } = verifyDisclosureFile(file);
      expect(checks.filter(({ passed }) => !passed)).toEqual([]);
      expect(valid).toBe(true);
      expect(unverified.join(' ')).toContain('on the ledger');
      expect(checks.at(-1)!.detail).toBe('Amounts: 2 proven, 1 public on the ledger, 1 not decryptable.');
    }
  });

  it('fails for the receipt of a relay in a file that leaves out what only a disclosure states', () => {
    const { organizationId } = asJson.result.receipt.body;
    const key = generateSigningKey();
    const body = {
      ...{ type: 'lucarne/relay-receipt/v1', receiptId: 'rcp_of_a_relay', organizationId },
      ...{ relayRequestId: 'rly_one', status: 'succeeded' },
    };
    const receipt = {
      ...{ body, signature: base64.encode(sign(key.secret, receiptMessage(body as never))) },
      verifierKey: verifierKey(`lucarne/${String(organizationId)}`, key.publicKey),
    };
    const result = { deletedAt: '2026-01-01', receiptId: 'rcp_of_a_relay', receipt };
    const invented = { status: 'available', purpose: 'Invented', scope: {}, result };
    expect(failures(invented)).toEqual(['receipt_statement']);
  });

  it('passes for a GraphQL response, where unset members are null', () => {
    const file = edited(({ scope }) => Object.assign(scope, { account: null, from: null, to: null }));
    expect(verifyDisclosureFile(file).valid).toBe(true);
  });

  it('refuses a disclosure with other data next to it, and a deeply nested one', () => {
    const forged = edited(({ result }) => (result.records[0]!.amount = '9'));
    let buried: object = asJson;
    for (let depth = 0; depth < 20_000; depth += 1) buried = { data: { disclosure: buried } };
    for (const file of [
      { data: { first: asJson, second: forged } },
      { data: { disclosure: asJson }, total: '9' },
      { data: { disclosure: { data: { disclosure: asJson } } } },
      buried,
    ]) {
      expect(failures(file)).toEqual(['file']);
    }
  });

  it('passes before and after a key rotation with either key, until one is declared compromised', async () => {
    const desk = disclosureDesk(foundation);
    const home = await seedOrganization(foundation);
    const { principal } = home.owner;
    await desk.policy(principal);
    const asset = await seedAsset(foundation, home.organization.id, { disclosurePolicyId: 'open' });
    const [record] = await seedRecords(foundation, asset, [
      { ciphertexts: auditorCiphertexts(asset.auditorPublicKey, 7n) },
    ]);
    const disclosed = async () => {
      const disclosure = await desk.request(home.apiKey.principal, {
        assetId: asset.id,
        purpose: 'Audit',
        scope: { transactionIds: [record!.id], fields: ['amount'] },
        format: 'json',
      });
      const file = disclosureFile(disclosure, await desk.result(disclosure)) as DisclosureFile;
      return { file, key: file.result.receipt.verifierKey };
    };
    const keysFile = async () => {
      await sequence(foundation);
      return JSON.parse(await exportOf(database, home.organization.id)) as Record<string, unknown>;
    };
    const before = await disclosed();
    await sequence(foundation);
    const { size } = await newestCheckpoint(database, home.organization.id);
    const late = await disclosed();
    await sequence(foundation);
    await rotateSigningKey(foundation, principal, { reason: 'Yearly', overlapDays: 0 });
    const after = await disclosed();
    const verified = (file: DisclosureFile, verifierKey: string, keys: unknown) =>
      verifyDisclosureFile(file, { verifierKey, keys: receiptKeys(keys, verifierKey) });
    const chain = await keysFile();
    for (const { file } of [before, after])
      for (const { key } of [before, after])
        expect(verified(file, key, chain)).toMatchObject({ valid: true });
    expect(verifyDisclosureFile(after.file, { verifierKey: before.key })).toMatchObject({ valid: false });

    await declareSigningKeyCompromised(foundation, principal, {
      ...{ epoch: 1, fromIndex: size, reason: 'A laptop was stolen' },
    });
    const keyLog = await keysFile();
    expect(verified(before.file, after.key, keyLog).valid).toBe(true);
    for (const [file, keys] of [
      [late.file, keyLog],
      [before.file, { ...keyLog, entries: [] }],
    ] as const)
      expect(verified(file, after.key, keys).checks.filter(({ passed }) => !passed)).toEqual([
        {
          ...{ name: 'keys', passed: false },
          detail: expect.stringContaining(`declared compromised as of index ${size}`),
        },
      ]);
  });

  it('reports that the key is only trusted, unless an expected key is given', () => {
    const { verifierKey: published } = asJson.result.receipt;
    expect(verifyDisclosureFile(asJson).unverified[0]).toContain('Who owns the key');
    const verification = verifyDisclosureFile(asJson, { verifierKey: published });
    expect(verification.valid).toBe(true);
    expect(verification.unverified.join()).not.toContain('Who owns the key');
    expect(verification.unverified[0]).toContain('Whether this key was declared compromised');
    // A store can give two organizations the same key.
    const { name, publicKey } = parseVerifierKey(published)!;
    const foreign = verifierKey(`${name}0`, publicKey);
    expect(verifyDisclosureFile(asJson, { verifierKey: foreign }).valid).toBe(false);
    const forged = signedAgain(() => undefined);
    expect(verifyDisclosureFile(forged).valid).toBe(true);
    expect(verifyDisclosureFile(forged, { verifierKey: published }).valid).toBe(false);
  });

  it.each<[string, (file: DisclosureFile) => void, string[]]>([
    ['an amount', ({ result }) => (result.records[0]!.amount = '1234568'), ['result', 'content', 'proofs']],
    ['the content', ({ result }) => (result.content = '[]'), ['result', 'content']],
    ['the scope', ({ scope }) => (scope['fields'] = ['amount', 'fee']), ['scope']],
    ['the purpose', (file) => (file.purpose = 'Curiosity'), ['receipt_statement']],
    ['the asset', (file) => (file['assetId'] = 'ast_other'), ['receipt_statement']],
    [
      'the time',
      ({ result }) => (result['generatedAt'] = '2020-01-01T00:00:00.000Z'),
      ['receipt_statement', 'result'],
    ],
    ['a record left out', ({ result }) => result.records.pop(), ['receipt_statement', 'result', 'content']],
    [
      'the receipt',
      ({ result }) => (result.receipt.body['recordCount'] = 4),
      ['receipt_signature', 'receipt_statement'],
    ],
    [
      'the signature',
      ({ result }) => (result.receipt.signature = base64.encode(new Uint8Array(64))),
      ['receipt_signature'],
    ],
    ['the key', ({ result }) => (result.receipt.verifierKey = 'x'), ['receipt_signature']],
    ['the status', (file) => (file['status'] = 'rejected'), ['file']],
    [
      'when it was resolved',
      (file) => (file['resolvedAt'] = '2020-01-01T00:00:00.000Z'),
      ['receipt_statement'],
    ],
    [
      'when it was decided',
      (file) => (file['decidedAt'] = '2020-01-01T00:00:00.000Z'),
      ['receipt_statement'],
    ],
    ['what was decided', (file) => (file['decision'] = 'reject'), ['receipt_statement']],
    ['who decided', (file) => (file['policyId'] = 'dpl_other'), ['receipt_statement']],
    ['an added member', (file) => (file['total'] = '9'), ['file']],
    ['a member of the result', ({ result }) => (result['total'] = '9'), ['file']],
    ['a member of the receipt', ({ result }) => Object.assign(result.receipt, { total: '9' }), ['file']],
  ])('fails at the right check when someone changed %s', (_, edit, names) => {
    expect(failures(edited(edit))).toEqual(names);
  });

  it.each<[string, (records: FileRecord[]) => void]>([
    ['another amount', ([first]) => (first!.amount = '1234568')],
    ['the amount and proof of another record', ([first, second]) => (first!.amount = second!.amount)],
    [
      'another ciphertext',
      ([first, second]) => (first!.proof!.amount.ciphertext = second!.proof!.amount.ciphertext),
    ],
    ['no proof', ([first]) => (first!.proof = null)],
    [
      'a hidden amount passed off as public',
      ([first]) => Object.assign(first!, { proof: null, public: ['amount'] }),
    ],
    ['an amount for what could not be decrypted', (records) => (records[4]!.amount = '1')],
    ['a field that was not asked for', ([first]) => (first!['fee'] = '1')],
  ])('fails at the proofs when a forger signs for %s', (_, edit) => {
    const file = signedAgain(({ result }) => {
      edit(result.records);
      result.content = JSON.stringify(result.records);
    });
    expect(failures(file)).toEqual(['proofs']);
  });

  it('fails when any byte of a proof, ciphertext or key is changed', () => {
    const { amount: proof } = asJson.result.records[0]!.proof!;
    const places: [string, (file: DisclosureFile, value: string) => void][] = [
      [proof.proof, (file, value) => (file.result.records[0]!.proof!.amount.proof = value)],
      [proof.ciphertext.lo, (file, value) => (file.result.records[0]!.proof!.amount.ciphertext.lo = value)],
      [proof.ciphertext.hi, (file, value) => (file.result.records[0]!.proof!.amount.ciphertext.hi = value)],
      [
        proof.auditorElGamalPubkey,
        (file, value) => (file.result.records[0]!.proof!.amount.auditorElGamalPubkey = value),
      ],
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...places),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        ([text, put], at, difference) => {
          const bytes = base64.decode(text)!;
          bytes[at % bytes.length]! ^= difference;
          const file = signedAgain((copy) => {
            put(copy, base64.encode(bytes));
            copy.result.content = JSON.stringify(copy.result.records);
          });
          expect(failures(file)).toEqual(['proofs']);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('fails at the content when a CSV row differs from its record', () => {
    const file = signedAgain(
      ({ result }) => (result.content = result.content.replace('1234567', '7654321')),
      asCsv,
    );
    expect(failures(file)).toEqual(['content']);
  });

  it('fails at the content when an amount is duplicated, because parsers differ in which one they use', () => {
    const file = signedAgain(({ result }) => {
      result.content = result.content.replace('"amount":"1234567"', '"amount":"9999999","amount":"1234567"');
    });
    expect(file.result.content).toContain('9999999');
    expect(failures(file)).toEqual(['content']);
  });

  it('gives a reason for anything that is not a disclosure, and never throws', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (file) => {
        expect(verifyDisclosureFile(file)).toMatchObject({ valid: false });
      }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(asJson.result)), fc.jsonValue(), (member, value) => {
        const file = edited(({ result }) => (result[member] = value));
        fc.pre(JSON.stringify(value) !== JSON.stringify(asJson.result[member]));
        expect(verifyDisclosureFile(file).valid).toBe(false);
      }),
    );
    const pending = edited((file) => Object.assign(file, { result: null, status: 'pending' }));
    expect(verifyDisclosureFile(pending).checks[0]!.detail).toContain('pending');
  });

  it('gives equal values the same digest under one salt for any member order, and another digest under another salt', () => {
    const [salt, other] = [new Uint8Array(16).fill(1), new Uint8Array(16).fill(2)];
    expect(saltedDigest(salt, { a: 1, b: 2 })).toBe(saltedDigest(salt, { b: 2, a: 1 }));
    expect(saltedDigest(other, { a: 1 })).not.toBe(saltedDigest(salt, { a: 1 }));
    expect(() => saltedDigest(salt.subarray(1), { a: 1 })).toThrow();
  });

  it.each(['', 'AAAA', base64.encode(new Uint8Array(17)), 7, null])('refuses %j as salt', (salt) => {
    expect(failures(edited(({ result }) => (result['salt'] = salt)))).toEqual(['file']);
  });

  it('refuses the salt of another result', () => {
    const salt = base64.encode(new Uint8Array(16));
    expect(failures(edited(({ result }) => (result['salt'] = salt)))).toEqual([
      'receipt_statement',
      'scope',
      'result',
    ]);
  });
});
