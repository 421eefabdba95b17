import { afterEach, describe, expect, it } from '@jest/globals';
import { VersionedTransaction } from '@solana/web3.js';
import { pino } from 'pino';
import { sha256 } from '../../../../src/platform/crypto/index.js';
import { sql } from '../../../../src/platform/database/index.js';
import { hex } from '../../../../src/platform/kernel/encoding/bytes.js';
import { idDigest, type Id } from '../../../../src/platform/kernel/ids.js';
import { type LedgerNode, type LedgerNodes } from '../../../../src/platform/ledger/index.js';
import { deskWith, scriptedProvider } from '../../checks/kit.js';
import { forFile } from '../../../kit/for-file.js';
import { randomAddress } from '../../../kit/ledger/confidential-records.js';
import { seedOrganization } from '../../../kit/seed.js';
import type { RelayAttempt } from '../../../../src/domain/relays/relay.js';
import { setAddressDefault } from '../../../../src/domain/checks/addresses/set-address-default.js';
import type { PoolDescriptor } from '../../../../src/domain/relays/pools/pool-descriptor.js';
import { LOCAL_POOLS_FILE } from '../../../../devnet/index.js';
import { openGate } from '../../../kit/process/gate.js';
import { localPools, openRelayRoom, type RelayRoom } from '../kit.js';

const room = forFile(await openRelayRoom());

describe('the relayer', () => {
  afterEach(() => room.rest());

  const lastEvidence = async (id: Id<'rly'>) => (await room.events(id)).at(-1)!.evidence;
  const withNode = (nodes: LedgerNodes, at: number, changes: Partial<LedgerNode>): LedgerNodes => ({
    ...nodes,
    nodes: nodes.nodes.map((node, index) => (index === at ? { ...node, ...changes } : node)),
  });

  describe('with an accepted request', () => {
    it('advances it to a finalized transaction, and the nullifiers are spent', async () => {
      const id = await room.submit();
      room.worker();
      expect(await room.untilEnded(id)).toMatchObject({
        status: 'succeeded',
        reason: null,
        attemptNumber: 1,
      });
      expect(await room.spent(id)).toEqual([true, true]);
      const [attempt, ...others] = await room.attempts(id);
      expect(others).toEqual([]);
      expect(attempt).toMatchObject({ outcome: 'landed', number: 1 });
      expect(await room.landed(id)).toEqual({ succeeded: [attempt!.signature], failed: [] });
      const events = await room.events(id);
      expect(events.map(({ status }) => status)).toEqual([
        ...['accepted', 'validating', 'queued', 'submitted', 'succeeded'],
      ]);
      const { signature } = attempt!;
      expect(events.map((event) => event.signature)).toEqual([null, null, null, signature, signature]);
      expect(events.at(-1)!.evidence).toMatchObject({
        signature,
        by: 'transaction',
        leftOut: [],
        providers: [
          {
            statuses: { statuses: [{ signature, status: { commitment: 'finalized', failure: null } }] },
            transactions: [{ failure: null, isFeePaid: true }],
            nullifiers: { spent: [true, true] },
          },
        ],
      });
    });

    it('records the simulation, and pays for its units plus a margin at most', async () => {
      const id = await room.submit();
      room.worker();
      await room.untilEnded(id);
      const [attempt] = await room.attempts(id);
      expect(attempt!.computeUnits).toBeGreaterThan(100_000);
      expect(attempt!.computeUnits).toBeLessThan(150_000);
      expect(attempt!.feeLamports).toBe(5_000);
    });

    it('stores the signed transaction before it sends it to any node', async () => {
      const nodes = room.nodes(1);
      const id = await room.submit();
      const stored: boolean[] = [];
      const send: LedgerNode['send'] = async (wire, signature, asOf) => {
        const attempts = await room.attempts(id);
        stored.push(attempts.some(({ transaction }) => Buffer.from(transaction).equals(wire)));
        await nodes.nodes[0]!.send(wire, signature, asOf);
      };
      room.worker({ nodes: withNode(nodes, 0, { send }) });
      expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
      expect(new Set(stored)).toEqual(new Set([true]));
      const [{ transaction }] = (await room.attempts(id)) as [RelayAttempt];
      const [row] = await room.foundation.database.rows(sql<{ digest: Uint8Array }>`
        select message_sha256 as digest from relay_attempts where request_id = ${id}`);
      const { message } = VersionedTransaction.deserialize(transaction);
      expect(hex.encode(row!.digest)).toBe(hex.encode(sha256(message.serialize())));
    });

    it('sends the stored transaction before it asks for its status', async () => {
      const nodes = room.nodes(3);
      const id = await room.submit();
      room.worker({ nodes });
      await room.untilEnded(id);
      const methods = nodes.calls.map(({ method }) => method);
      const [first] = methods.filter((method) => method === 'send' || method === 'signatureStatuses');
      expect(first).toBe('send');
    });

    it('asks every provider, and is not delayed by one that is down', async () => {
      const nodes = room.nodes(3);
      nodes.fail({ node: 0 }, { kind: 'drop' });
      const id = await room.submit();
      room.worker({ nodes });
      expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
      const { providers } = (await lastEvidence(id)) as { providers: object[] };
      expect(providers).toHaveLength(3);
      expect(providers[0]).toMatchObject({ errors: { height: 'unreachable', statuses: 'unreachable' } });
      expect(new Set(nodes.reached.map(({ signature }) => signature)).size).toBe(1);
    });

    it('sends it once, with two workers', async () => {
      const ids = await Promise.all(Array.from({ length: 6 }, () => room.submit()));
      room.worker();
      room.worker();
      for (const id of ids) {
        expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
        expect(await room.attempts(id)).toHaveLength(1);
        expect((await room.landed(id)).succeeded).toHaveLength(1);
      }
    });
  });

  describe('when it screens the recipient', () => {
    it('applies the rules of each hinted application, and rejects the recipient if one does not approve', async () => {
      const { application, owner } = await seedOrganization(room.foundation, { name: 'Screening' });
      const recipient = randomAddress();
      const changes = { recipient, applicationIdHints: [application.checkApplicationId] };
      const refused = await room.submit(changes);
      room.worker();
      expect(await room.untilEnded(refused)).toMatchObject({ status: 'rejected', reason: 'kyt_rejected' });
      const { checks } = (await lastEvidence(refused)) as { checks: string[] };
      const recorded = await room.foundation.database.rows(sql`
        select address, reason from address_checks where id = any(${checks}::text[])`);
      expect(recorded).toEqual([{ address: recipient, reason: 'not_approved' }]);
      expect(await room.attempts(refused)).toEqual([]);

      const change = { foreignId: 'payments', approvedByDefault: true, reason: 'Open' };
      await setAddressDefault(room.foundation, owner.principal, change);
      expect(await room.untilEnded(await room.submit(changes))).toMatchObject({ status: 'succeeded' });
      const applicationIdHints = [application.checkApplicationId, 'check_nobodys'];
      const unknown = await room.submit({ ...changes, applicationIdHints });
      expect(await room.untilEnded(unknown)).toMatchObject({ reason: 'kyt_rejected' });
      expect((await lastEvidence(unknown))['checks']).toHaveLength(2);
    });

    it('asks every application that serves the pool, whatever the package names', async () => {
      const serving = await seedOrganization(room.foundation, { name: 'Serving the pool' });
      const stranger = await seedOrganization(room.foundation, { name: 'Stranger' });
      const applications = [serving.application.checkApplicationId];
      const screening = { applications, applicationIdHints: true, recipient: true };
      const pools = await localPools({ screening });
      room.worker({ pools });
      const strangers = [stranger.application.checkApplicationId];
      for (const applicationIdHints of [[], applications, strangers]) {
        const id = await room.submit({ recipient: randomAddress(), applicationIdHints });
        expect(await room.untilEnded(id)).toMatchObject({ status: 'rejected', reason: 'kyt_rejected' });
        const { checks } = (await lastEvidence(id)) as { checks: string[] };
        const recorded = await room.foundation.database.rows(sql`
          select check_application_id as application from address_checks where id = any(${checks}::text[])`);
        expect(recorded).toEqual([{ application: applications[0] }]);
      }
    });

    it('asks only the screening steps if the package names no application', async () => {
      const step = scriptedProvider('sanctions_list', 'sanctioned');
      const id = await room.submit({ recipient: randomAddress() });
      room.worker({ checkDesk: deskWith(room.foundation, [step]) });
      expect(await room.untilEnded(id)).toMatchObject({ status: 'rejected', reason: 'kyt_rejected' });
      const { checks } = (await lastEvidence(id)) as { checks: string[] };
      const recorded = await room.foundation.database.rows(sql`
        select check_application_id as application, reason, decided_by as step from address_checks
        where id = any(${checks}::text[])`);
      expect(recorded).toEqual([{ application: null, reason: 'sanctioned', step: 'sanctions_list' }]);
    });

    it('screens repeatedly while screening is unavailable, and fails if it stays unavailable', async () => {
      const step = scriptedProvider('screening_service', 'unavailable');
      const checkDesk = deskWith(room.foundation, [step]);
      const [first, second] = [
        await room.submit({ recipient: randomAddress() }),
        await room.submit({ recipient: randomAddress() }),
      ];
      const worker = room.worker({ checkDesk });
      expect(await room.untilEnded(first)).toMatchObject({ reason: 'infrastructure_failed' });
      expect(await room.untilEnded(second)).toMatchObject({ reason: 'infrastructure_failed' });
      expect(await lastEvidence(first)).toMatchObject({ cause: 'screening_unavailable', looks: 5 });

      await worker.stop();
      expect(await room.retry(first)).toBe(true);
      expect(await room.retry(second)).toBe(true);
      expect(await room.read(second)).toMatchObject({ status: 'queued', failedLooks: 0 });
      // It was never screened, and is not relayed without screening.
      step.answers = 'sanctioned';
      const again = room.worker({ checkDesk });
      expect(await room.untilEnded(first)).toMatchObject({ status: 'rejected', reason: 'kyt_rejected' });
      await again.stop();
      expect(await room.read(second)).toMatchObject({ status: 'rejected', reason: 'kyt_rejected' });
      expect(await room.attempts(first)).toEqual([]);
    });
  });

  describe('before anything is signed', () => {
    afterEach(() => room.ledger.skipSlots(200));

    const endOf = async (id: Id<'rly'>, changes: Parameters<RelayRoom['worker']>[0] = {}) => {
      room.worker(changes);
      const relay = await room.untilEnded(id);
      expect(await room.attempts(id)).toEqual([]);
      return { ...relay, evidence: await lastEvidence(id) };
    };

    it('rejects a package whose nullifiers are spent', async () => {
      const id = await room.submit();
      await room.spendElsewhere(id);
      expect(await endOf(id)).toMatchObject({ status: 'rejected', reason: 'nullifiers_spent' });
    });

    it('rejects a package whose nullifiers are spent meanwhile, even if no provider shows it at first', async () => {
      const nodes = room.nodes(1);
      using gate = openGate();
      nodes.fail({ method: 'simulate' }, { kind: 'delay', until: gate.until }, 1);
      const id = await room.submit();
      room.worker({ nodes });
      await gate.arrived;
      await room.spendElsewhere(id);
      nodes.fail({ method: 'accountOwners' }, { kind: 'drop' }, 1);
      gate.release();
      expect(await room.untilEnded(id)).toMatchObject({ status: 'rejected', reason: 'nullifiers_spent' });
    });

    it('rejects a transaction that the program refuses', async () => {
      const id = await room.submit({ proofBytes: '00'.repeat(256) });
      expect(await endOf(id)).toMatchObject({ status: 'rejected', reason: 'simulation_failed' });
    });

    it('rejects a transaction that the program refuses at two providers, but not at one alone', async () => {
      const refused = await room.submit({ proofBytes: '00'.repeat(256) });
      const nodes = room.nodes(2);
      expect(await endOf(refused, { nodes })).toMatchObject({ reason: 'simulation_failed' });
      const { simulations } = (await lastEvidence(refused)) as { simulations: unknown[] };
      expect(simulations).toHaveLength(2);

      await room.rest();
      const failure = { InstructionError: [2, { Custom: 7 }] };
      const simulate = () => Promise.resolve({ slot: 1e9, failure, unitsConsumed: 5, lamportsAfter: null });
      const id = await room.submit();
      room.worker({ nodes: withNode(room.nodes(2), 0, { simulate }) });
      expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });

      await room.rest();
      const silent = room.nodes(2);
      silent.fail({ node: 1, method: 'simulate' }, { kind: 'drop' });
      const alone = await room.submit();
      room.worker({ nodes: withNode(silent, 0, { simulate }) });
      expect(await room.untilEnded(alone)).toMatchObject({ reason: 'infrastructure_failed' });
    });

    it('rejects a package that does not fit into a transaction', async () => {
      const pools = await localPools({
        instruction: { prefix: '01', data: ['proof', 'signals', 'ciphertext'] },
      });
      const id = await room.submit({ ciphertextBytes: '00'.repeat(1_000) });
      expect(await endOf(id, { pools })).toMatchObject({ reason: 'resource_limit_exceeded' });
    });

    it('rejects a transaction that needs more compute units than the pool allows', async () => {
      const id = await room.submit();
      const pools = await localPools({ computeUnits: 50_000 });
      expect(await endOf(id, { pools })).toMatchObject({
        ...{ status: 'rejected', reason: 'resource_limit_exceeded' },
        evidence: { maxUnits: 50_000 },
      });
    });

    it('rejects a transaction with more rent than the pool allows, although its fee is small', async () => {
      const id = await room.submit();
      const pools = await localPools({ maxCostLamports: 1_000_000 });
      const before = room.ledger.balance(room.signer.address);
      expect(await endOf(id, { pools })).toMatchObject({
        ...{ status: 'rejected', reason: 'resource_limit_exceeded' },
        evidence: { feeLamports: 5_000, maxCostLamports: 1_000_000, costLamports: expect.any(Number) },
      });
      expect(room.ledger.balance(room.signer.address)).toBe(before);
    });

    it('rejects a transaction that would cost more than the pool allows', async () => {
      await room.spendElsewhere(await room.submit(), 1_000_000);
      const id = await room.submit();
      expect(await endOf(id)).toMatchObject({
        ...{ status: 'rejected', reason: 'resource_fee_exceeded' },
        evidence: { microLamportsPerUnit: 1_000_000, maxFeeLamports: 50_000 },
      });
    });
  });

  describe('when it cannot sign', () => {
    it('fails if no provider answers for long, and can be retried', async () => {
      const nodes = room.nodes(2);
      nodes.fail({}, { kind: 'status', status: 500 });
      const id = await room.submit();
      room.worker({ nodes });
      expect(await room.untilEnded(id)).toMatchObject({ status: 'failed', reason: 'infrastructure_failed' });
      nodes.heal();
      expect(await room.retry(id)).toBe(true);
      expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded', attemptNumber: 1 });
    });

    it('fails if the signer fails, without revealing the error', async () => {
      const id = await room.submit();
      const sign = () => Promise.reject(new Error('The key service is away.'));
      room.worker({ signer: { ...room.signer, sign } });
      expect(await room.untilEnded(id)).toMatchObject({ reason: 'infrastructure_failed' });
      expect(JSON.stringify(await room.events(id))).not.toContain('away');
    });

    it('logs only a digest of the request’s id, whatever fails', async () => {
      const lines: string[] = [];
      const log = pino({}, { write: (line) => void lines.push(line) });
      const { database } = room.foundation;
      let isBroken = true;
      // The first written step uses this transaction. The steps of the signer follow.
      const transaction: typeof database.transaction = (work) => {
        if (!isBroken) return database.transaction(work);
        isBroken = false;
        return Promise.reject(new Error('Nobody expected this.'));
      };
      const sign = () => Promise.reject(new Error('The key service is away.'));
      const foundation = { ...room.foundation, log, database: { ...database, transaction } };
      const id = await room.submit();
      room.worker({ foundation, signer: { ...room.signer, sign } });
      expect(await room.untilEnded(id)).toMatchObject({ reason: 'infrastructure_failed' });
      const logged = lines.join('');
      expect(logged).toContain('Nobody expected this.');
      expect(logged).toContain('The key service is away.');
      expect(logged).toContain(idDigest(id));
      expect(logged).not.toContain(id);
    });

    it.each<[string, () => Promise<ReadonlyMap<string, PoolDescriptor>>]>([
      ['the pool', () => Promise.resolve(new Map())],
      ['the program of the pool', () => localPools({ programId: randomAddress() })],
      ['the circuit', () => localPools({ circuits: { '9': LOCAL_POOLS_FILE.pools[0].circuits['3'] } })],
    ])('fails if it does not know %s anymore', async (_, pools) => {
      const id = await room.submit();
      room.worker({ pools: await pools() });
      expect(await room.untilEnded(id)).toMatchObject({ reason: 'infrastructure_failed' });
      expect(await lastEvidence(id)).toMatchObject({ cause: 'pool_unknown' });
    });

    it('signs nothing with a blockhash far ahead of finality, which could not be proven dead', async () => {
      const nodes = room.nodes(2);
      const [liar] = nodes.nodes;
      const lies: string[] = [];
      const ahead = 1_000_000_000;
      const latestBlockhash: LedgerNode['latestBlockhash'] = async (asOf) => {
        const { slot, blockhash, lastValidBlockHeight } = await liar!.latestBlockhash(asOf);
        return { slot: slot + ahead, blockhash, lastValidBlockHeight: lastValidBlockHeight + ahead };
      };
      const simulate: LedgerNode['simulate'] = (wire) => liar!.simulate(wire);
      const id = await room.submit();
      const metrics = { providerLied: (node: string) => void lies.push(node) };
      room.worker({ nodes: withNode(nodes, 0, { latestBlockhash, simulate }), metrics });
      expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
      // Late finality looks the same.
      expect(lies).toEqual([]);
      const [attempt] = await room.attempts(id);
      expect(attempt!.lastValidBlockHeight).toBeLessThan(ahead);
    });

    it('looks again if the failure is temporary', async () => {
      const nodes = room.nodes(1);
      let simulations = 0;
      const simulate: LedgerNode['simulate'] = (...question) => {
        simulations += 1;
        return simulations > 2
          ? nodes.nodes[0]!.simulate(...question)
          : Promise.resolve({
              slot: 1e9,
              failure: 'BlockhashNotFound',
              unitsConsumed: 0,
              lamportsAfter: null,
            });
      };
      const id = await room.submit();
      room.worker({ nodes: withNode(nodes, 0, { simulate }) });
      expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
      // If the slot changes between the payer's balance and the simulation, one more question is asked.
      expect(simulations).toBeGreaterThanOrEqual(3);
    });
  });
});
