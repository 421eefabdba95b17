import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Connection, Keypair, PublicKey, SystemProgram, Transaction } from '@solana/web3.js';
import { pino } from 'pino';
import { sql } from '../../src/database/index.js';
import { idDigest, type Id } from '../../src/kernel/ids.js';
import { LedgerError, type LedgerNode, type LedgerNodes } from '../../src/ledger/index.js';
import { deskWith, scriptedProvider } from '../checks/kit.js';
import { randomAddress } from '../kit/confidential-records.js';
import type { FaultyNodes } from '../kit/faulty-nodes.js';
import { seedOrganization } from '../kit/seed.js';
import { setAddressDefault } from '../../src/checks/set-address-default.js';
import { recordStep } from '../../src/relays/record-step.js';
import { claimRelays, LeaseLost, releaseRelay, renewLeases } from '../../src/relays/relay-lease.js';
import { localPools, openRelayRoom, SHORT_TIMING, type RelayRoom } from './kit.js';

describe('the relayer', () => {
  let room: RelayRoom;
  beforeAll(async () => {
    room = await openRelayRoom();
  });
  afterEach(() => room.rest());
  afterAll(async () => room[Symbol.asyncDispose]());

  const statuses = async (id: Id<'rly'>) => (await room.events(id)).map(({ status }) => status);
  const lastEvidence = async (id: Id<'rly'>) => (await room.events(id)).at(-1)!.evidence;
  /** Until the nodes were asked for heights so often again: that many looks have ended since. */
  const looks = async (nodes: FaultyNodes, count: number) => {
    const asked = () => nodes.calls.filter(({ method }) => method === 'finalizedHeight').length;
    const until = asked() + count * nodes.nodes.length;
    while (asked() < until) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const withNode = (nodes: LedgerNodes, at: number, changes: Partial<LedgerNode>): LedgerNodes => ({
    ...nodes,
    nodes: nodes.nodes.map((node, index) => (index === at ? { ...node, ...changes } : node)),
  });

  describe('with an accepted request', () => {
    it('takes it to its finalized transaction, and the nullifiers are spent', async () => {
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
        statuses: [{ statuses: [{ signature, status: { commitment: 'finalized', failure: null } }] }],
      });
    });

    it('says what it simulated, and pays for no more than that and a margin', async () => {
      const id = await room.submit();
      room.worker();
      await room.untilEnded(id);
      const [attempt] = await room.attempts(id);
      expect(attempt!.computeUnits).toBeGreaterThan(100_000);
      expect(attempt!.computeUnits).toBeLessThan(150_000);
      expect(attempt!.feeLamports).toBe(5_000);
    });

    it('stores what it signed before any node sees it', async () => {
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
    });

    it('asks every provider, and is not held up by one that is down', async () => {
      const nodes = room.nodes(3);
      nodes.fail({ node: 0 }, { kind: 'drop' });
      const id = await room.submit();
      room.worker({ nodes });
      expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
      const { statuses: said } = (await lastEvidence(id)) as { statuses: object[] };
      expect(said).toHaveLength(3);
      expect(said[0]).toMatchObject({ error: 'unreachable' });
      expect(new Set(nodes.reached.map(({ signature }) => signature)).size).toBe(1);
    });

    it('does it once, whichever of two workers has it', async () => {
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

  describe('screens the recipient', () => {
    it('by the rules of each hinted application, and rejects what one does not approve', async () => {
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

      const change = { application: 'payments', approvedByDefault: true, reason: 'Open' };
      await setAddressDefault(room.foundation, owner.principal, change);
      expect(await room.untilEnded(await room.submit(changes))).toMatchObject({ status: 'succeeded' });
      const applicationIdHints = [application.checkApplicationId, 'check_nobodys'];
      const unknown = await room.submit({ ...changes, applicationIdHints });
      expect(await room.untilEnded(unknown)).toMatchObject({ reason: 'kyt_rejected' });
      expect((await lastEvidence(unknown))['checks']).toHaveLength(2);
    });

    it('by the screening steps alone where the package names no application', async () => {
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

    it('again and again while screening is not there, and fails when it never is', async () => {
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
      // It was never screened, and is not relayed without.
      step.answers = 'sanctioned';
      const again = room.worker({ checkDesk });
      expect(await room.untilEnded(first)).toMatchObject({ status: 'rejected', reason: 'kyt_rejected' });
      await again.stop();
      expect(await room.read(second)).toMatchObject({ status: 'rejected', reason: 'kyt_rejected' });
      expect(await room.attempts(first)).toEqual([]);
    });
  });

  describe('rejects, and nothing is signed,', () => {
    afterEach(() => room.ledger.skipSlots(200));

    const endOf = async (id: Id<'rly'>, changes: Parameters<RelayRoom['worker']>[0] = {}) => {
      room.worker(changes);
      const relay = await room.untilEnded(id);
      expect(await room.attempts(id)).toEqual([]);
      return { ...relay, evidence: await lastEvidence(id) };
    };

    it('what is spent already', async () => {
      const id = await room.submit();
      await room.spendElsewhere(id);
      expect(await endOf(id)).toMatchObject({ status: 'rejected', reason: 'nullifiers_spent' });
    });

    it('what is spent meanwhile, also when nobody says so at first', async () => {
      const nodes = room.nodes(1);
      const arrived = Promise.withResolvers<undefined>();
      const released = Promise.withResolvers<undefined>();
      const until = () => {
        arrived.resolve(undefined);
        return released.promise;
      };
      nodes.fail({ method: 'simulate' }, { kind: 'delay', until }, 1);
      const id = await room.submit();
      room.worker({ nodes });
      await arrived.promise;
      await room.spendElsewhere(id);
      nodes.fail({ method: 'accountOwners' }, { kind: 'drop' }, 1);
      released.resolve(undefined);
      expect(await room.untilEnded(id)).toMatchObject({ status: 'rejected', reason: 'nullifiers_spent' });
    });

    it('what the program refuses', async () => {
      const id = await room.submit({ proofBytes: '00'.repeat(256) });
      expect(await endOf(id)).toMatchObject({ status: 'rejected', reason: 'simulation_failed' });
    });

    it('what the program refuses at a second provider too, and nothing by the word of one', async () => {
      const refused = await room.submit({ proofBytes: '00'.repeat(256) });
      const nodes = room.nodes(2);
      expect(await endOf(refused, { nodes })).toMatchObject({ reason: 'simulation_failed' });
      const { simulations } = (await lastEvidence(refused)) as { simulations: unknown[] };
      expect(simulations).toHaveLength(2);

      await room.rest();
      const failure = { InstructionError: [2, { Custom: 7 }] };
      const simulate = () => Promise.resolve({ slot: 1e9, failure, unitsConsumed: 5 });
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

    it('what is larger than a transaction', async () => {
      const pools = await localPools({
        instruction: { prefix: '01', data: ['proof', 'signals', 'ciphertext'] },
      });
      const id = await room.submit({ ciphertextBytes: '00'.repeat(1_000) });
      expect(await endOf(id, { pools })).toMatchObject({ reason: 'resource_limit_exceeded' });
    });

    it('what needs more compute units than the pool allows', async () => {
      const id = await room.submit();
      const pools = await localPools({ computeUnits: 50_000 });
      expect(await endOf(id, { pools })).toMatchObject({
        ...{ status: 'rejected', reason: 'resource_limit_exceeded' },
        evidence: { mostUnits: 50_000 },
      });
    });

    it('what would cost more than the pool allows', async () => {
      await room.spendElsewhere(await room.submit(), 1_000_000);
      const id = await room.submit();
      expect(await endOf(id)).toMatchObject({
        ...{ status: 'rejected', reason: 'resource_fee_exceeded' },
        evidence: { microLamportsPerUnit: 1_000_000, most: 50_000 },
      });
    });
  });

  describe('fails before anything is signed', () => {
    it('when no provider answers for long, and may be tried again', async () => {
      const nodes = room.nodes(2);
      nodes.fail({}, { kind: 'status', status: 500 });
      const id = await room.submit();
      room.worker({ nodes });
      expect(await room.untilEnded(id)).toMatchObject({ status: 'failed', reason: 'infrastructure_failed' });
      nodes.heal();
      expect(await room.retry(id)).toBe(true);
      expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded', attemptNumber: 1 });
    });

    it('when the signer breaks, and says nothing of it', async () => {
      const id = await room.submit();
      const sign = () => Promise.reject(new Error('The key service is away.'));
      room.worker({ signer: { ...room.signer, sign } });
      expect(await room.untilEnded(id)).toMatchObject({ reason: 'infrastructure_failed' });
      expect(JSON.stringify(await room.events(id))).not.toContain('away');
    });

    it('and names itself in the log by a digest only, whatever breaks', async () => {
      const lines: string[] = [];
      const log = pino({}, { write: (line) => void lines.push(line) });
      const { database } = room.foundation;
      let isBroken = true;
      // Asked for the step that is written first, behind which the steps of the signer come.
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

    it('when it does not know the pool any more', async () => {
      const id = await room.submit();
      room.worker({ pools: new Map() });
      expect(await room.untilEnded(id)).toMatchObject({ reason: 'infrastructure_failed' });
    });

    it('and signs nothing with a blockhash from far past what is finalized: it could never be proven dead', async () => {
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
      expect(lies).toContain(liar!.label);
      const [attempt] = await room.attempts(id);
      expect(attempt!.lastValidBlockHeight).toBeLessThan(ahead);
    });

    it('and looks again when the failure is one of the node or the moment', async () => {
      const nodes = room.nodes(1);
      let simulations = 0;
      const simulate: LedgerNode['simulate'] = (...question) => {
        simulations += 1;
        return simulations > 2
          ? nodes.nodes[0]!.simulate(...question)
          : Promise.resolve({ slot: 1e9, failure: 'BlockhashNotFound', unitsConsumed: 0 });
      };
      const id = await room.submit();
      room.worker({ nodes: withNode(nodes, 0, { simulate }) });
      expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
      expect(simulations).toBe(3);
    });
  });

  describe('once bytes may be out', () => {
    it('fails by the proof of death only, and the next attempt lands once', async () => {
      const nodes = room.nodes(2);
      nodes.fail({ method: 'send' }, { kind: 'swallowed' });
      const id = await room.submit();
      room.worker({ nodes });
      await room.until(id, ({ status }) => status === 'submitted');
      await looks(nodes, 3);
      expect(await room.read(id)).toMatchObject({ status: 'submitted' });
      room.ledger.skipBlocks(200);
      expect(await room.untilEnded(id)).toMatchObject({ status: 'failed', reason: 'send_failed' });
      const [dead] = await room.attempts(id);
      const { signature, lastValidBlockHeight } = dead!;
      expect(dead).toMatchObject({ outcome: 'dead' });
      const proof = dead!.evidence as Record<string, Record<string, unknown>[]>;
      expect(proof).toMatchObject({ lastValidBlockHeight });
      for (const { blockHeight } of proof['heights']!)
        expect(blockHeight).toBeGreaterThan(lastValidBlockHeight);
      for (const { slot, statuses } of proof['statuses']!) {
        expect(slot).toBeGreaterThanOrEqual(Number(proof['finalizedAtSlot']));
        expect(statuses).toEqual([{ signature, status: null }]);
      }
      for (const { spent } of proof['nullifiers']!) expect(spent).toEqual([false, false]);

      nodes.heal();
      expect(await room.retry(id)).toBe(true);
      expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded', attemptNumber: 2 });
      expect((await room.attempts(id)).map(({ outcome }) => outcome)).toEqual(['dead', 'landed']);
      expect(await room.landed(id)).toMatchObject({ succeeded: [expect.any(String)], failed: [] });
    });

    it('does not take silence for absence: every provider must have searched', async () => {
      const nodes = room.nodes(2);
      nodes.fail({ method: 'send' }, { kind: 'swallowed' });
      nodes.fail({ node: 1, method: 'signatureStatuses' }, { kind: 'drop' });
      const id = await room.submit();
      room.worker({ nodes });
      await room.until(id, ({ status }) => status === 'submitted');
      room.ledger.skipBlocks(200);
      // More than may find nothing out while nothing is signed.
      await looks(nodes, 2 * SHORT_TIMING.mostFailedLooks);
      expect(await room.read(id)).toMatchObject({ status: 'submitted' });
      expect(await room.retry(id)).toBe(false);
      nodes.heal();
      expect(await room.untilEnded(id)).toMatchObject({ reason: 'send_failed' });
    });

    it('does not believe a provider that gives its slot for the height, and counts it', async () => {
      const nodes = room.nodes(1);
      nodes.fail({ method: 'send' }, { kind: 'swallowed' });
      const lies: string[] = [];
      const id = await room.submit();
      room.worker({ nodes, metrics: { providerLied: (node) => void lies.push(node) } });
      await room.until(id, ({ status }) => status === 'submitted');
      nodes.fail({ method: 'finalizedHeight' }, { kind: 'slot_as_height' });
      await looks(nodes, 4);
      expect(await room.read(id)).toMatchObject({ status: 'submitted' });
      expect(lies).toContain(nodes.nodes[0]!.label);
      nodes.heal();
      expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
    });

    it('reconciles when no outcome of the send was seen, and sends the same bytes', async () => {
      const nodes = room.nodes(1);
      nodes.fail({ method: 'send' }, { kind: 'drop' }, 1);
      nodes.fail({ method: 'send' }, { kind: 'answer_lost' }, 1);
      const id = await room.submit();
      room.worker({ nodes });
      expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
      expect(await statuses(id)).toEqual([
        ...['accepted', 'validating', 'queued', 'submitted', 'reconciling', 'succeeded'],
      ]);
      const [attempt] = await room.attempts(id);
      for (const { wire } of nodes.reached) expect(wire).toEqual(new Uint8Array(attempt!.transaction));
    });

    it('reconciles what a dead worker has left, and does not sign anew', async () => {
      const nodes = room.nodes(1);
      nodes.fail({ method: 'send' }, { kind: 'swallowed' });
      const id = await room.submit();
      const worker = room.worker({ nodes });
      await room.until(id, ({ status }) => status === 'submitted');
      await worker.stop();
      await room.foundation.database.rows(sql`
        update relay_requests set lease_owner = 'dead', lease_expires_at = now() - interval '1 second',
          next_look_at = now() - interval '1 second' where id = ${id}`);
      room.worker();
      expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
      expect(await statuses(id)).toContain('reconciling');
      expect(await room.attempts(id)).toHaveLength(1);
    });

    it('reconciles when providers say different things, until they agree', async () => {
      const nodes = room.nodes(2);
      let lies = true;
      const finalizedOutcome: LedgerNode['finalizedOutcome'] = async (signature) => {
        const outcome = await nodes.nodes[1]!.finalizedOutcome(signature);
        return lies && outcome ? { ...outcome, failure: 'AccountNotFound' } : outcome;
      };
      const id = await room.submit();
      room.worker({ nodes: withNode(nodes, 1, { finalizedOutcome }) });
      await room.until(id, ({ status }) => status === 'reconciling');
      await looks(nodes, 3);
      expect(await room.read(id)).toMatchObject({ status: 'reconciling' });
      lies = false;
      expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
    });

    it('rejects what another has spent meanwhile, with no signature of its own for it', async () => {
      const nodes = room.nodes(2);
      nodes.fail({ method: 'send' }, { kind: 'swallowed' });
      const id = await room.submit();
      room.worker({ nodes });
      await room.until(id, ({ status }) => status === 'submitted');
      await room.spendElsewhere(id);
      nodes.heal();
      expect(await room.untilEnded(id)).toMatchObject({ status: 'rejected', reason: 'nullifiers_spent' });
      expect(await room.landed(id)).toEqual({ succeeded: [], failed: [] });
    });

    it('rejects what another has spent also when it is past its last height', async () => {
      const nodes = room.nodes(2);
      nodes.fail({ method: 'send' }, { kind: 'swallowed' });
      const id = await room.submit();
      room.worker({ nodes });
      await room.until(id, ({ status }) => status === 'submitted');
      await room.spendElsewhere(id);
      room.ledger.skipBlocks(200);
      expect(await room.untilEnded(id)).toMatchObject({ status: 'rejected', reason: 'nullifiers_spent' });
      expect(await room.attempts(id)).toMatchObject([{ outcome: 'dead' }]);
    });

    it('does not take its own spending for another’s while nobody tells of its signature', async () => {
      const nodes = room.nodes(1);
      nodes.fail({ method: 'signatureStatuses' }, { kind: 'drop' });
      const send: LedgerNode['send'] = async (...question) => {
        await nodes.nodes[0]!.send(...question).catch(() => undefined);
        const failure = { InstructionError: [2, { Custom: 5 }] };
        throw new LedgerError('rpc', 'The node refused.', { rpcCode: -32002, failure });
      };
      const id = await room.submit();
      room.worker({ nodes: withNode(nodes, 0, { send }) });
      while (!(await room.spent(id)).every(Boolean)) await new Promise((resolve) => setTimeout(resolve, 5));
      await looks(nodes, 4);
      expect(await room.read(id)).toMatchObject({ status: 'reconciling' });
      nodes.heal();
      expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
    });

    it('fails with a transaction that landed and did nothing', async () => {
      const id = await room.submit();
      const nodes = room.nodes(1);
      room.worker({ nodes: withNode(nodes, 0, { send: landingAnyway(() => drain(room)) }) });
      expect(await room.untilEnded(id)).toMatchObject({ status: 'failed', reason: 'transaction_failed' });
      const [attempt] = await room.attempts(id);
      expect(attempt).toMatchObject({ outcome: 'failed' });
      expect(await room.landed(id)).toEqual({ succeeded: [], failed: [attempt!.signature] });
      expect(await room.retry(id)).toBe(false);
      room.ledger.airdrop(room.signer.address, 10_000_000_000);
    });

    it('rejects what landed too late: another had spent it', async () => {
      const id = await room.submit();
      const nodes = room.nodes(1);
      room.worker({ nodes: withNode(nodes, 0, { send: landingAnyway(() => room.spendElsewhere(id)) }) });
      expect(await room.untilEnded(id)).toMatchObject({ status: 'rejected', reason: 'nullifiers_spent' });
      expect(await room.attempts(id)).toMatchObject([{ outcome: 'failed' }]);
    });
  });

  describe('holds a request by a lease', () => {
    it('which nobody else takes, renews, gives back or writes under, however alike the request still stands', async () => {
      const { foundation } = room;
      const id = await room.submit();
      const claim = async (owner: string) => {
        const asked = { owner, leaseMs: 60_000, limit: 10, underWay: [] };
        return (await claimRelays(foundation.database, asked)).filter((relay) => relay.id === id);
      };
      const expire = () =>
        foundation.database.rows(sql`
          update relay_requests set lease_expires_at = now() - interval '1 second' where id = ${id}`);
      const holder = async () => {
        const [row] = await foundation.database.rows(sql`
          select lease_owner as owner, lease_expires_at > now() as "isHeld" from relay_requests where id = ${id}`);
        return row;
      };
      const validating = { kind: 'change', change: { to: 'validating', evidence: {} } } as const;

      const [lost] = await claim('first');
      expect(await claim('second')).toEqual([]);
      await expire();
      const [held] = await claim('second');
      expect([lost!.isTakenOver, held!.isTakenOver]).toEqual([false, true]);
      await expect(recordStep(foundation, lost!, lost!.fencingToken, validating)).rejects.toThrow(LeaseLost);
      await releaseRelay(foundation.database, lost!, { failedLooks: 0, nextLookInMilliseconds: 0 });
      expect(await holder()).toEqual({ owner: 'second', isHeld: true });
      await expire();
      await renewLeases(foundation.database, { owner: 'first', leaseMs: 60_000 }, [id]);
      expect(await holder()).toEqual({ owner: 'second', isHeld: false });
      await renewLeases(foundation.database, { owner: 'second', leaseMs: 60_000 }, [id]);
      expect(await holder()).toEqual({ owner: 'second', isHeld: true });

      expect(await recordStep(foundation, held!, held!.fencingToken, validating)).toMatchObject({
        sequence: 2,
      });
      await expect(recordStep(foundation, held!, held!.fencingToken, validating)).rejects.toThrow(LeaseLost);
      expect((await room.events(id)).map(({ sequence }) => sequence)).toEqual([1, 2]);
    });

    it('which it renews for as long as it works on it', async () => {
      const nodes = room.nodes(1);
      const released = Promise.withResolvers<undefined>();
      nodes.fail({ method: 'simulate' }, { kind: 'delay', until: () => released.promise }, 1);
      const id = await room.submit();
      room.worker({ nodes, timing: { leaseMs: 30 } });
      const expiresAt = async () => {
        const [row] = await room.foundation.database.rows(sql<{ at: Date | null }>`
          select lease_expires_at as at from relay_requests where id = ${id}`);
        return row?.at?.getTime() ?? 0;
      };
      await room.until(id, ({ status }) => status === 'queued');
      const first = await expiresAt();
      while ((await expiresAt()) <= first) await new Promise((resolve) => setTimeout(resolve, 5));
      released.resolve(undefined);
      expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
    });

    it('and who lost it changes nothing', async () => {
      const nodes = room.nodes(1);
      const arrived = Promise.withResolvers<undefined>();
      const released = Promise.withResolvers<undefined>();
      const until = () => {
        arrived.resolve(undefined);
        return released.promise;
      };
      nodes.fail({ method: 'simulate' }, { kind: 'delay', until });
      const id = await room.submit();
      const slow = room.worker({ nodes });
      await arrived.promise;
      await room.foundation.database.rows(sql`
        update relay_requests set lease_expires_at = now() - interval '1 second' where id = ${id}`);
      room.worker();
      expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
      released.resolve(undefined);
      await slow.stop();
      expect(await room.attempts(id)).toHaveLength(1);
      expect(nodes.reached).toEqual([]);
    });

    it('and gives it back when it stops', async () => {
      const nodes = room.nodes(1);
      nodes.fail({ method: 'send' }, { kind: 'swallowed' });
      const id = await room.submit();
      const worker = room.worker({ nodes });
      await room.until(id, ({ status }) => status === 'submitted');
      await worker.stop();
      const [row] = await room.foundation.database.rows(sql`
        select lease_owner as owner, next_look_at is not null as "isDue" from relay_requests where id = ${id}`);
      expect(row).toEqual({ owner: null, isDue: true });
    });
  });

  /** Sends without preflight, behind something that makes the transaction fail. */
  function landingAnyway(before: () => Promise<unknown>): LedgerNode['send'] {
    let done: Promise<unknown> | undefined;
    return async (transaction) => {
      await (done ??= before());
      const connection = new Connection(room.ledger.rpcUrl, 'confirmed');
      await connection.sendRawTransaction(transaction, { skipPreflight: true }).catch(() => undefined);
    };
  }
});

describe('the relayer, on a ledger that finalizes late,', () => {
  it('says nothing of success before it is final, whatever is confirmed', async () => {
    await using room = await openRelayRoom({ finalizationDelayMs: 1_000 });
    const id = await room.submit();
    room.worker();
    const seen = new Set<string>();
    for (;;) {
      const { status } = await room.read(id);
      const [attempt] = await room.attempts(id);
      // Read behind the status: what was not final then is final by now, or was said too early.
      const { statuses } = await room.honest.signatureStatuses(attempt ? [attempt.signature] : []);
      const commitment = statuses[0]?.commitment;
      seen.add(`${commitment ?? 'unknown'} ${status}`);
      if (status === 'succeeded') break;
    }
    expect(seen).toContain('confirmed submitted');
    expect([...seen].filter((one) => one.endsWith('succeeded'))).toEqual(['finalized succeeded']);
    await room.rest();
  });
});

/** Leaves the relayer enough for a fee, and not for an account. */
async function drain({ ledger, keyPair }: RelayRoom): Promise<void> {
  const connection = new Connection(ledger.rpcUrl, { commitment: 'confirmed', wsEndpoint: ledger.wsUrl });
  const payer = Keypair.fromSecretKey(keyPair);
  const lamports = (await connection.getBalance(payer.publicKey)) - 5_000 - 1_000_000;
  const transfer = SystemProgram.transfer({
    ...{ fromPubkey: payer.publicKey, toPubkey: new PublicKey(randomAddress()), lamports },
  });
  const { blockhash } = await connection.getLatestBlockhash();
  const transaction = new Transaction({ recentBlockhash: blockhash, feePayer: payer.publicKey } as never);
  transaction.add(transfer);
  transaction.sign(payer);
  await connection.sendRawTransaction(transaction.serialize());
}
