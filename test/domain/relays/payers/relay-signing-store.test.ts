import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { sequenceEntries } from '../../../../src/domain/activity-log/index.js';
import { showRelay, verifyRelayReceipt } from '../../../../src/domain/relays/index.js';
import { findRelayHistory } from '../../../../src/domain/relays/status/find-relay-history.js';
import { type Foundation, sql } from '../../../../src/platform/database/index.js';
import type { Id } from '../../../../src/platform/kernel/ids.js';
import { WAIT_BOUNDS } from '../../../../src/domain/relays/waits.js';
import { createKeptSigningKeys, parseKeyUri } from '../../../../src/platform/keys/index.js';
import { atLeast, eventually } from '../../../kit/eventually.js';
import { seedOrganization } from '../../../kit/seed.js';
import { createHangingStore } from '../../../platform/keys/stores/hanging-store.js';
import { openLocalVault } from '../../../platform/keys/stores/local-vault.js';
import { openRelayRoom, SHORT_TIMING } from '../kit.js';

/** An organization whose signing key is in a Vault. `restMs`: how long an unavailable key is not asked again. */
async function openStory(restMs?: number) {
  const parts = new AsyncDisposableStack();
  const vault = parts.use(await openLocalVault());
  vault.makeKey('log', 'ed25519');
  const room = parts.use(await openRelayRoom());
  const signingKeys = createKeptSigningKeys(vault.stores, parseKeyUri('vault:transit/log'), restMs);
  const foundation = { ...room.foundation, signingKeys };
  const seeded = await seedOrganization(foundation);
  return { ...{ vault, room, foundation, ...seeded }, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

/** Makes the package name an organization, so that its log and receipts record the relay. */
const name = (foundation: Foundation, id: Id<'rly'>, organizationId: Id<'org'>) =>
  foundation.database.rows(sql`
    insert into relay_organizations (organization_id, request_id, accepted_at, pool_selector, status)
    select ${organizationId}::text, id, created_at, pool_selector, status from relay_requests where id = ${id}`);

const NOTHING_LEFT = { poolLamportsPerDay: 0, clientLamportsPerDay: 0 };

describe('a relay of an organization whose signing key is in a store', () => {
  it('ends when the store signs its receipt, and waits while the store is unavailable', async () => {
    await using story = await openStory();
    const { vault, room, foundation, organization, owner } = story;
    const id = await room.submit();
    await name(foundation, id, organization.id);
    vault.trouble = () => ({ status: 503 });
    const causes: string[] = [];
    const logged: string[] = [];
    const listening = pino({}, { write: (line: string) => void logged.push(line) });
    room.worker({
      foundation: { ...foundation, log: listening },
      metrics: { lookFailed: (cause) => void causes.push(cause) },
    });
    // It lands, but its end cannot be signed, however often it is checked.
    await eventually(() => causes.length, atLeast(3));
    expect(new Set(causes)).toEqual(new Set(['signing_key_away']));
    expect(logged.filter((line) => line.includes('"level":50'))).toEqual([]);
    expect(logged.filter((line) => line.includes('receipts'))).toHaveLength(1);
    expect(await showRelay(foundation.database, id)).toMatchObject({
      ...{ status: expect.stringMatching(/submitted|reconciling/), failedLooks: 0 },
      waitingFor: { wait: 'signing_key', bound: WAIT_BOUNDS.signing_key },
      lastLook: {
        evidence: {
          cause: 'signing_key_away',
          end: { status: 'succeeded', reason: null, evidence: { by: 'transaction' } },
        },
      },
    });
    expect(await room.spent(id)).not.toContain(false);

    vault.trouble = undefined;
    const ended = await room.untilEnded(id);
    expect(ended.status).toBe('succeeded');
    const { receipts } = await findRelayHistory(foundation, owner.principal, id);
    expect(receipts).toHaveLength(1);
    expect(verifyRelayReceipt(receipts[0]).valid).toBe(true);
    expect(receipts[0]!.body.endedAt).toBe(ended.updatedAt.toISOString());
    const log = { organizationId: organization.id, publicHost: 'lucarne.example' };
    expect(await sequenceEntries(foundation, log)).toBeGreaterThan(0);
  });

  it('waits for an unavailable store even if nothing is signed, and does not fail because of it', async () => {
    await using story = await openStory(0);
    const { vault, room, foundation, organization } = story;
    const id = await room.submit({ proofBytes: '00'.repeat(256) });
    await name(foundation, id, organization.id);
    vault.trouble = () => ({ status: 503 });
    let looks = 0;
    room.worker({ foundation, metrics: { lookFailed: () => void (looks += 1) } });
    // More looks than may find nothing while nothing is signed.
    await eventually(() => looks, atLeast(SHORT_TIMING.maxFailedLooks + 1));
    expect(await room.read(id)).toMatchObject({
      ...{ status: 'queued', waitingFor: 'signing_key', failedLooks: 0 },
    });
    vault.trouble = undefined;
    expect(await room.untilEnded(id)).toMatchObject({ status: 'rejected', reason: 'simulation_failed' });
  });

  it('waits for the store to sign its rejection if a budget is used up, and reveals nothing of the transaction', async () => {
    await using story = await openStory(0);
    const { vault, room, foundation, organization } = story;
    const id = await room.submit();
    await name(foundation, id, organization.id);
    vault.trouble = () => ({ status: 503 });
    room.worker({ foundation, budgets: NOTHING_LEFT });
    await room.until(id, ({ waitingFor }) => waitingFor === 'signing_key');
    const shown = await showRelay(foundation.database, id);
    expect(shown.lastLook?.evidence['end']).toEqual({
      ...{ status: 'rejected', reason: 'resource_limit_exceeded' },
      evidence: { budget: 'pool', lamportsPerDay: 0, costLamports: expect.any(Number) },
    });
    expect(await room.attempts(id)).toEqual([]);
    vault.trouble = undefined;
    expect(await room.untilEnded(id)).toMatchObject({ reason: 'resource_limit_exceeded' });
  });

  it.each([
    ['', undefined, 'succeeded'],
    [' for a request that a budget refuses', NOTHING_LEFT, 'rejected'],
  ] as const)('uses no place of its worker while the store hangs%s', async (_, budgets, end) => {
    const store = createHangingStore();
    await using room = await openRelayRoom();
    const signingKeys = createKeptSigningKeys(store.stores, parseKeyUri('vault:transit/log'));
    const foundation = { ...room.foundation, signingKeys };
    const { organization } = await seedOrganization(foundation);
    const named = await room.submit();
    await name(foundation, named, organization.id);
    store.hang('log');
    room.worker({ foundation, maxConcurrent: 1, ...(budgets && { budgets }) });
    await eventually(() => store.unanswered('log'), atLeast(1));
    const other = await room.submit();
    expect((await room.untilEnded(other)).status).toBe(end);
    expect(store.unanswered('log')).toBe(1);
    expect((await room.read(named)).status).not.toBe(end);

    store.letGo('log');
    expect((await room.untilEnded(named)).status).toBe(end);
  });

  it('ends for each of the 40 organizations that its package names', async () => {
    await using vault = await openLocalVault();
    vault.makeKey('log', 'ed25519');
    await using room = await openRelayRoom();
    const signingKeys = createKeptSigningKeys(vault.stores, parseKeyUri('vault:transit/log'));
    const foundation = { ...room.foundation, signingKeys };
    // None of them has a key yet: the first signature creates it.
    await foundation.database.rows(sql`
      insert into organizations (id, name, created_at)
      select 'org_' || lpad(number::text, 26, '0'), number::text, now() from generate_series(1, 40) as number`);
    const id = await room.submit();
    await foundation.database.rows(sql`
      insert into relay_organizations (organization_id, request_id, accepted_at, pool_selector, status)
      select organizations.id, relay_requests.id, relay_requests.created_at, pool_selector, status
      from organizations, relay_requests where relay_requests.id = ${id}`);
    room.worker({ foundation });
    expect((await room.untilEnded(id)).status).toBe('succeeded');
    const [receipts] = await foundation.database.rows(
      sql<{ count: number }>`select count(*)::integer as count from relay_receipts where request_id = ${id}`,
    );
    expect(receipts?.count).toBe(40);
  });
});
