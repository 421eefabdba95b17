import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createAuthenticator } from '../../../src/domain/access/index.js';
import { findReceipt, ResultReader } from '../../../src/domain/disclosures/index.js';
import type { DisclosedRecord } from '../../../src/domain/disclosures/results/disclosed-record.js';
import {
  PROOF_DESCRIPTION,
  resultDigest,
} from '../../../src/domain/disclosures/results/disclosure-result.js';
import {
  resultDigestInSlices,
  serializeInSlices,
} from '../../../src/domain/disclosures/results/long-result.js';
import { openSealedResult, sealResult } from '../../../src/domain/disclosures/results/sealed-result.js';
import { sql, type Foundation } from '../../../src/platform/database/index.js';
import { base64 } from '../../../src/platform/kernel/encoding/bytes.js';
import { newId } from '../../../src/platform/kernel/ids.js';
import { canonicalJson, type JsonObject } from '../../../src/platform/kernel/encoding/json.js';
import { countingSteps } from '../../kit/process/event-loop.js';
import { seedApiKey, seedOrganization, openTestFoundation } from '../../kit/seed.js';
import { disclosureDesk, logOf, seedTransfers } from './kit.js';
import { revokeApiKey } from '../../../src/domain/organizations/index.js';
import { rotateSigningKey } from '../../../src/domain/organizations/signing-keys/rotate-signing-key.js';
import { sequence } from '../activity-log/kit.js';

const { database, foundation } = await openTestFoundation();
const acme = await seedOrganization(foundation);
await disclosureDesk(foundation).policy(acme.owner.principal);

async function available(amounts: readonly bigint[] = [842_135n]) {
  const { asset, ids } = await seedTransfers(foundation, acme, amounts, 'open');
  return disclosureDesk(foundation).request(acme.apiKey.principal, {
    assetId: asset.id,
    purpose: 'Audit',
    scope: { transactionIds: ids, fields: ['amount'] },
    format: 'json',
  });
}

const readingsOf = async (id: string) =>
  (await logOf(foundation, id)).filter((type) => type === 'disclosure.read').length;

describe('reading the result of a disclosure', () => {
  it('is logged with the reader before anything is decrypted', async () => {
    const disclosure = await available();
    const { sealer } = foundation;
    const readingsWhenOpened: Promise<number>[] = [];
    const watched: Foundation = {
      ...foundation,
      sealer: {
        ...sealer,
        open: (sealed, context) => {
          if (context.startsWith('disclosures/')) readingsWhenOpened.push(readingsOf(disclosure.id));
          return sealer.open(sealed, context);
        },
      },
    };
    const handle = new ResultReader(watched).result(acme.owner, disclosure)!;
    const { records } = (await handle.open())!;
    expect(records).toMatchObject([{ amount: '842135' }]);
    expect(await Promise.all(readingsWhenOpened)).toEqual([1]);
    const [entry] = await database.rows(sql<{ reader: string }>`
      select entry ->> 'user_id' as reader from activity_entries
      where event_type = 'disclosure.read' and entry -> 'object' ->> 'id' = ${disclosure.id}`);
    expect(entry).toEqual({ reader: acme.owner.principal.userId });
  });

  it('is refused when it cannot be logged', async () => {
    const disclosure = await available();
    let opened = 0;
    const broken: Foundation = {
      ...foundation,
      database: { ...database, transaction: () => Promise.reject(new Error('no log today')) },
      sealer: {
        ...foundation.sealer,
        open: (sealed, context) => {
          opened += 1;
          return foundation.sealer.open(sealed, context);
        },
      },
    };
    const handle = new ResultReader(broken).result(acme.owner, disclosure)!;
    await expect(handle.open()).rejects.toThrow('no log today');
    expect(opened).toBe(0);
  });

  it('is logged once for a response with several result members, and again for the next response', async () => {
    const disclosure = await available();
    const results = new ResultReader(foundation);
    const handle = results.result(acme.owner, disclosure)!;
    await Promise.all([handle.open(), handle.open()]);
    expect(await readingsOf(disclosure.id)).toBe(1);
    await results.result(acme.owner, disclosure)!.open();
    expect(await readingsOf(disclosure.id)).toBe(2);
  });

  it('is not needed for the receipt, time and format, which are in the row', async () => {
    const disclosure = await available();
    const handle = new ResultReader(foundation).result(acme.owner, disclosure)!;
    expect(handle).toMatchObject({ receiptId: disclosure.receiptId, format: 'json' });
    expect(handle.generatedAt).toEqual(disclosure.resolvedAt);
    expect(await readingsOf(disclosure.id)).toBe(0);
  });

  it('serves many readers one after the other', async () => {
    const disclosure = await available();
    const results = new ResultReader(foundation);
    const order: number[] = [];
    await Promise.all(
      [0, 1, 2].map(async (reader) => {
        await results.result(acme.owner, disclosure)!.open();
        order.push(reader);
      }),
    );
    expect(order).toEqual([0, 1, 2]);
    expect(await readingsOf(disclosure.id)).toBe(3);
  });

  it('is refused to a reader whose key was revoked while others read before', async () => {
    const disclosure = await available();
    const { principal, apiKey, secret } = await seedApiKey(foundation, acme.organization.id);
    const authenticator = createAuthenticator(foundation);
    const reader = { principal, callerNow: () => authenticator.identify({ bearer: secret }) };
    const owner = {
      principal: acme.owner.principal,
      async callerNow() {
        await revokeApiKey(foundation, acme.owner.principal, apiKey.id);
        return acme.owner.principal;
      },
    };
    const results = new ResultReader(foundation);
    const first = results.result(owner, disclosure)!.open();
    const waiting = results.result(reader, disclosure)!.open();
    expect((await first)!.records).toHaveLength(1);
    await expect(waiting).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(await readingsOf(disclosure.id)).toBe(1);
  });

  it('does not wait for the readers of another organization', async () => {
    const disclosure = await available();
    const other = await seedOrganization(foundation);
    const theirs = { ...disclosure, organizationId: other.organization.id };
    const released = Promise.withResolvers<undefined>();
    const { database: rows } = foundation;
    const waiting: Foundation = {
      ...foundation,
      database: {
        ...rows,
        async rows(statement) {
          // The other organization's reader finds nothing, and takes long to.
          if (!isOwn) await released.promise;
          return rows.rows(statement);
        },
      },
    };
    let isOwn = false;
    const results = new ResultReader(waiting);
    const slow = results.result(other.owner, theirs)!.open();
    await new Promise(setImmediate);
    isOwn = true;
    expect((await results.result(acme.owner, disclosure)!.open())!.records).toHaveLength(1);
    released.resolve(undefined);
    await expect(slow).rejects.toThrow('no result');
  });

  it('continues with the next reader after a failure', async () => {
    const disclosure = await available();
    const results = new ResultReader(foundation);
    const gone = { ...disclosure, id: newId('dsc') };
    const failing = results.result(acme.owner, gone)!.open();
    const next = results.result(acme.owner, disclosure)!.open();
    await expect(failing).rejects.toThrow('no result');
    expect((await next)!.records).toHaveLength(1);
  });

  it('does not block other requests while a long result is created, encrypted, decrypted and written', async () => {
    const id = newId('dsc');
    const salt = Buffer.alloc(16, 7);
    const account = 'So11111111111111111111111111111111111111112';
    const records = Array.from({ length: 10_000 }, (_, slot): DisclosedRecord => {
      const value = (length: number) => Buffer.alloc(length, slot).toString('base64');
      const ciphertext = { lo: value(64), hi: value(64) };
      const amount = { auditorElGamalPubkey: value(32), ciphertext, proof: value(96) };
      return {
        ...{
          transactionId: newId('txn'),
          networkTransactionId: account + account,
          type: 'confidential_transfer',
        },
        ...{ slot, blockTime: slot, sourceAccount: account, destinationAccount: account, decimals: 6 },
        ...{ amount: '842135', proof: { amount } },
      };
    });
    const result = (content: string) =>
      ({
        format: 'json',
        generatedAt: '',
        receiptId: '',
        records,
        content,
        proof: PROOF_DESCRIPTION,
      }) as const;
    const inSteps = async <Made>(work: () => Promise<Made>): Promise<Made> => {
      const { result: made, steps } = await countingSteps(work);
      expect(steps).toBeGreaterThanOrEqual(records.length);
      return made;
    };
    const content = await inSteps(() => serializeInSlices('json', records, ['amount']));
    expect(content).toBe(JSON.stringify(records));
    const digest = await inSteps(() => resultDigestInSlices(salt, result(content)));
    expect(digest).toBe(resultDigest(salt, result(content)));
    const secrets = { salt: base64.encode(salt), records };
    const sealed = await inSteps(() => sealResult(foundation.sealer, id, secrets));
    const opened = await inSteps(() => openSealedResult(foundation.sealer, id, sealed));
    expect(opened).toEqual(secrets);
  });
});

describe('the digests of a result', () => {
  /** The guesses of an insider who sees the receipt and the log, knows everything except the amount, and has no salt. */
  const digestsWithoutSalt = (value: JsonObject | string) => [
    createHash('sha256').update(canonicalJson(value)).digest('hex'),
    createHash('sha256')
      .update(Buffer.concat([Buffer.alloc(16), Buffer.from(canonicalJson(value))]))
      .digest('hex'),
  ];

  it('reveal nothing without the salt about the result, scope or purpose', async () => {
    const disclosure = await available();
    const { salt, receipt, ...result } = await disclosureDesk(foundation).result(disclosure);
    const { body } = await findReceipt(foundation, acme.owner.principal, disclosure.receiptId!);
    expect(body).toEqual(receipt.body);
    const guesses = [
      ...digestsWithoutSalt(result as unknown as JsonObject),
      ...digestsWithoutSalt(disclosure.scope),
      ...digestsWithoutSalt(disclosure.purpose),
    ];
    const [entry] = await database.rows(sql<{ text: string }>`
      select entry::text as text from activity_entries
      where event_type = 'disclosure.available' and entry -> 'object' ->> 'id' = ${disclosure.id}`);
    for (const published of [JSON.stringify(body), entry!.text]) {
      for (const guess of guesses) expect(published).not.toContain(guess);
      expect(published).not.toContain(salt);
    }
    expect(resultDigest(base64.decode(salt)!, result as never)).toBe(body.resultSha256);
  });

  it('are signed by the key of their time, which the receipt still names after a rotation', async () => {
    const keyOf = async ({ receiptId }: { receiptId: string | null }) =>
      (await findReceipt(foundation, acme.owner.principal, receiptId!)).verifierKey;
    const before = await available();
    const key = await keyOf(before);
    await sequence(foundation);
    await rotateSigningKey(foundation, acme.owner.principal, { reason: 'The yearly rotation' });
    expect(await keyOf(before)).toBe(key);
    expect(await keyOf(await available())).not.toBe(key);
  });

  it('differ for equal results', async () => {
    const disclosures = [await available(), await available()];
    const digests = await Promise.all(
      disclosures.map(async ({ receiptId }) => {
        const { body } = await findReceipt(foundation, acme.owner.principal, receiptId!);
        return body.purposeSha256;
      }),
    );
    expect(new Set(digests).size).toBe(2);
  });
});
