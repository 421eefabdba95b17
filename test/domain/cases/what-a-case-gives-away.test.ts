import { beforeAll, describe, expect, it } from '@jest/globals';
import type { CaseRecord } from '../../../src/domain/cases/index.js';
import { randomAddress, seedRecords } from '../../kit/ledger/confidential-records.js';
import { openTestFoundation } from '../../kit/seed.js';
import { openOffice, setClock, type CaseOffice } from './kit.js';

const DAY_SECONDS = 86_400;
const FIRST_DAY = Date.UTC(2026, 1, 10) / 1000;
const RECORDS = 24;

const { foundation } = await openTestFoundation(setClock());
const office = await openOffice(foundation);

describe('a case without full_tx_ids, seen by an auditor who reads the public ledger', () => {
  let masked: CaseRecord;
  let ledger: { id: string; signature: string }[];
  const merchant = randomAddress();

  beforeAll(async () => {
    // Payments of many senders to one shop on three days, as they are public on the ledger.
    ledger = await seedRecords(
      foundation,
      office.asset,
      Array.from({ length: RECORDS }, (_, index) => ({
        blockTime: FIRST_DAY + Math.floor(index / 8) * DAY_SECONDS + (index % 8) * 3_000 + 17,
        destinationAccount: merchant,
      })),
    );
    masked = await office.open();
  });

  async function allOf(caseId: string, first: number) {
    const pages = [];
    let after: string | null = null;
    for (;;) {
      const page: Awaited<ReturnType<CaseOffice['transactions']>> = await office.transactions(caseId, {
        first,
        after,
      });
      pages.push(page);
      if (!page.pageInfo.hasNextPage) return pages;
      after = page.pageInfo.endCursor;
    }
  }
  const nodesOf = async (caseId: string, first = 200) =>
    (await allOf(caseId, first)).flatMap(({ nodes }) => [...nodes]);

  it('gives no id, signature or time that identifies a payment on the ledger', async () => {
    const shown = JSON.stringify(await nodesOf(masked.id));
    for (const { id, signature } of ledger) {
      expect(shown).not.toContain(id.slice(-8));
      expect(shown).not.toContain(signature.slice(0, 8));
      expect(shown).not.toContain(signature.slice(-8));
      // The form of a shortened signature.
      expect(shown).not.toContain(`${signature.slice(0, 4)}…`);
    }
    for (const { id, networkTransactionId, blockTime, restricted } of await nodesOf(masked.id)) {
      expect(id).toMatch(/^ref_[0-9a-f]{32}$/);
      expect(networkTransactionId).toBeNull();
      expect(blockTime % DAY_SECONDS).toBe(0);
      expect(restricted).toEqual(expect.arrayContaining(['id', 'networkTransactionId', 'blockTime']));
    }
  });

  it('orders records within a day by reference, so that positions reveal no times', async () => {
    const nodes = await nodesOf(masked.id);
    expect(nodes).toHaveLength(RECORDS);
    const keys = nodes.map(({ blockTime, id }) => `${blockTime} ${id}`);
    expect(keys).toEqual([...keys].sort());
    expect(new Set(nodes.map(({ blockTime }) => blockTime)).size).toBe(3);
  });

  it.each([1, 3, 8, 9, 23, 24])('shows each record once in that order in pages of %d', async (first) => {
    expect(await nodesOf(masked.id, first)).toEqual(await nodesOf(masked.id));
  });

  it('has cursors that contain only the day and the reference', async () => {
    for (const { pageInfo, nodes } of await allOf(masked.id, 1)) {
      const text = Buffer.from(pageInfo.endCursor!, 'base64url').subarray(8).toString();
      const [{ id, blockTime }] = nodes as [(typeof nodes)[number]];
      expect(JSON.parse(text)).toBe(`${blockTime / DAY_SECONDS}:${id.slice('ref_'.length)}`);
    }
  });

  it('has references that are stable within the case and different in other cases', async () => {
    const ids = async (caseId: string) => (await nodesOf(caseId)).map(({ id }) => id).sort();
    const again = await ids(masked.id);
    expect(await ids(masked.id)).toEqual(again);
    const other = await ids((await office.open()).id);
    expect(other.filter((id) => again.includes(id))).toEqual([]);
  });
});
