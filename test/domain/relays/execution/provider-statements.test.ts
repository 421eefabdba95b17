import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { providerStatements } from '../../../../src/domain/relays/evidence/provider-statements.js';
import { findRelayHistory } from '../../../../src/domain/relays/status/find-relay-history.js';
import { verifyRelayReceipt } from '../../../../src/domain/relays/index.js';
import type { JsonObject } from '../../../../src/platform/kernel/encoding/json.js';
import { sql } from '../../../../src/platform/database/index.js';
import { seedOrganization } from '../../../kit/seed.js';
import { openRelayRoom, type RelayRoom } from '../kit.js';

const statuses = (...found: readonly (JsonObject | null)[]): JsonObject => ({
  statuses: { slot: 9, statuses: found.map((status) => ({ signature: 's', status })) },
});
const finalized = { slot: 8, commitment: 'finalized', failure: null };

describe('the statement of a provider in a receipt', () => {
  it.each<readonly [string, JsonObject]>([
    ['landed', { ...statuses(finalized), transactions: [null, { slot: 8, failure: null }] }],
    ['failed', { ...statuses(finalized), transactions: [{ slot: 8, failure: 'AccountInUse' }] }],
    ['spent', { ...statuses(null), nullifiers: { slot: 9, spent: [false, true] } }],
    ['spent', { ...statuses(null), spender: 'another' }],
    ['absent', { ...statuses(null, null), nullifiers: { slot: 9, spent: [false] } }],
    ['pending', statuses(null, { ...finalized, commitment: 'confirmed' })],
    ['silent', { errors: { statuses: 'timeout' } }],
  ])('is %s if its answers are %j', (statement, testimony) => {
    const evidence = { providers: [{ node: 'one.example#0', ...testimony }], leftOut: [] };
    expect(providerStatements(evidence)).toEqual([{ provider: 'one.example#0', said: statement }]);
  });

  it('covers answers from before anything was signed', () => {
    const nodes = [{ node: 'a#0' }, { node: 'b#1' }, { node: 'c#2', error: 'timeout' }] as const;
    const sayingsOf = (member: string, answers: readonly JsonObject[]) =>
      providerStatements({ [member]: nodes.map((node, at) => ({ ...node, ...answers[at] })) }).map(
        (statement) => statement.said,
      );
    expect(sayingsOf('nullifiers', [{ spent: [true] }, { spent: [false] }])).toEqual([
      'spent',
      'free',
      'silent',
    ]);
    expect(sayingsOf('simulations', [{ failure: 'AccountInUse' }, { failure: null }])).toEqual([
      ...['refused', 'executable', 'silent'],
    ]);
    expect(sayingsOf('terms', [{ excess: 'resource_fee_exceeded' }, { excess: null }])).toEqual([
      ...['too_expensive', 'affordable', 'silent'],
    ]);
    expect(providerStatements({ checks: ['chk_1'], reason: 'sanctioned' })).toEqual([]);
  });

  describe('the receipt of a relay that ended', () => {
    let room: RelayRoom;
    beforeAll(async () => {
      room = await openRelayRoom();
    });
    afterAll(async () => room[Symbol.asyncDispose]());

    it('names each provider, marks the one that was left out, and contains no URL', async () => {
      const { organization, owner } = await seedOrganization(room.foundation);
      const nodes = room.nodes(5);
      nodes.fail({ node: 1 }, { kind: 'slot_as_height' });
      nodes.fail({ node: 2 }, { kind: 'drop' });
      const id = await room.submit();
      await room.foundation.database.rows(sql`
        insert into relay_organizations (organization_id, request_id, accepted_at, pool_selector, status)
        select ${organization.id}::text, id, created_at, pool_selector, status from relay_requests where id = ${id}`);
      room.worker({ nodes });
      expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
      const { receipts } = await findRelayHistory(room.foundation, owner.principal, id);
      const [receipt] = receipts;
      const [first, liar, silent, ...others] = nodes.nodes.map(({ label }) => label);
      expect(receipt!.body.providers).toEqual([
        { provider: first, said: 'landed' },
        { provider: liar, said: 'landed', leftOut: 'impossible_height' },
        { provider: silent, said: 'silent' },
        ...others.map((provider) => ({ provider, said: 'landed' })),
      ]);
      expect(JSON.stringify(receipt)).not.toContain('http');
      const { valid, checks } = verifyRelayReceipt(receipt);
      expect(valid).toBe(true);
      const statement = checks.find(({ name }) => name === 'statement')!;
      expect(statement.detail).toContain(`${silent!}: silent;`);
      expect(statement.detail).toContain(`${liar!}: landed (not counted: impossible_height)`);
    });
  });
});
