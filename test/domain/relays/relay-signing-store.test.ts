import { describe, expect, it } from '@jest/globals';
import { sequenceEntries } from '../../../src/domain/activity-log/index.js';
import { verifyRelayReceipt } from '../../../src/domain/relays/index.js';
import { findRelayHistory } from '../../../src/domain/relays/status/find-relay-history.js';
import { sql } from '../../../src/platform/database/index.js';
import { createKeptSigningKeys, parseKeyUri } from '../../../src/platform/keys/index.js';
import { seedOrganization } from '../../kit/seed.js';
import { openLocalVault } from '../../platform/keys/local-vault.js';
import { openRelayRoom } from './kit.js';

describe('a relay of an organization whose signing key is in a store', () => {
  it('ends when the store signs its receipt, and waits while that is away', async () => {
    await using vault = await openLocalVault();
    vault.makeKey('log', 'ed25519');
    await using room = await openRelayRoom();
    const signingKeys = createKeptSigningKeys(vault.stores, parseKeyUri('vault:transit/log'));
    const foundation = { ...room.foundation, signingKeys };
    const { organization, owner } = await seedOrganization(foundation);
    const id = await room.submit();
    await foundation.database.rows(sql`
      insert into relay_organizations (organization_id, request_id, accepted_at, pool_selector, status)
      select ${organization.id}::text, id, created_at, pool_selector, status from relay_requests where id = ${id}`);
    let refusals = 0;
    vault.trouble = () => {
      refusals += 1;
      return { status: 503 };
    };
    room.worker({ foundation });
    // It lands, and nobody can sign that. Each look asks three times.
    while (refusals < 6) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(['submitted', 'reconciling']).toContain((await room.read(id)).status);
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

  it('ends for each of the 40 organizations that its package names', async () => {
    await using vault = await openLocalVault();
    vault.makeKey('log', 'ed25519');
    await using room = await openRelayRoom();
    const signingKeys = createKeptSigningKeys(vault.stores, parseKeyUri('vault:transit/log'));
    const foundation = { ...room.foundation, signingKeys };
    // None has a key yet: its first signature makes it.
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
