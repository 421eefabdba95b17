import { afterEach, describe, expect, it } from '@jest/globals';
import { Connection, Keypair, PublicKey, SystemProgram, Transaction } from '@solana/web3.js';
import { sql } from '../../../../src/platform/database/index.js';
import { type Id } from '../../../../src/platform/kernel/ids.js';
import { LedgerError, type LedgerNode } from '../../../../src/platform/ledger/index.js';
import { forFile } from '../../../kit/for-file.js';
import { randomAddress } from '../../../kit/ledger/confidential-records.js';
import type { FaultyNodes } from '../../../kit/ledger/faulty-nodes.js';
import { showRelay } from '../../../../src/domain/relays/index.js';
import { openRelayRoom, SHORT_TIMING, type RelayRoom, withNode } from '../kit.js';

const room = forFile(await openRelayRoom());

describe('the relayer', () => {
  afterEach(() => room.rest());

  const statuses = async (id: Id<'rly'>) => (await room.events(id)).map(({ status }) => status);
  const lastEvidence = async (id: Id<'rly'>) => (await room.events(id)).at(-1)!.evidence;
  /** Waits until the nodes were asked for heights this number of times again, so that at least as many looks have ended. */
  const looks = async (nodes: FaultyNodes, count: number) => {
    const asked = () => nodes.calls.filter(({ method }) => method === 'finalizedHeight').length;
    const until = asked() + count * nodes.nodes.length;
    while (asked() < until) await new Promise((resolve) => setTimeout(resolve, 5));
  };

  describe('once a transaction may have been sent', () => {
    it('fails only with proof of expiry, and the next attempt lands once', async () => {
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
      const proof = dead!.evidence as unknown as DeathProof;
      expect(proof).toMatchObject({ lastValidBlockHeight });
      expect(proof.providers).toHaveLength(2);
      for (const { height, statuses, nullifiers, blockhashes } of proof.providers) {
        expect(height.blockHeight).toBeGreaterThan(lastValidBlockHeight);
        expect(statuses).toMatchObject({ statuses: [{ signature, status: null }] });
        expect(nullifiers).toMatchObject({ spent: [false, false] });
        expect(blockhashes).toMatchObject({ valid: [false] });
        for (const { slot } of [statuses, nullifiers, blockhashes])
          expect(slot).toBeGreaterThanOrEqual(height.slot);
      }

      nodes.heal();
      expect(await room.retry(id)).toBe(true);
      expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded', attemptNumber: 2 });
      expect((await room.attempts(id)).map(({ outcome }) => outcome)).toEqual(['dead', 'landed']);
      expect(await room.landed(id)).toMatchObject({ succeeded: [expect.any(String)], failed: [] });
    });

    it('does not assume spending if a node that lags does not know the blockhash', async () => {
      const nodes = room.nodes(1);
      const id = await room.submit();
      let sends = 0;
      const send: LedgerNode['send'] = (...parameters) => {
        sends += 1;
        if (sends > 5) return nodes.nodes[0]!.send(...parameters);
        const failure = 'BlockhashNotFound';
        return Promise.reject(new LedgerError('rpc', 'The node refused.', { rpcCode: -32002, failure }));
      };
      room.worker({ nodes: withNode(nodes, 0, { send }) });
      await room.until(id, ({ status }) => status === 'reconciling');
      const asked = () => nodes.calls.filter(({ method }) => method === 'accountOwners').length;
      const before = asked();
      while (sends < 5) await new Promise((resolve) => setTimeout(resolve, 5));
      expect(asked()).toBe(before);
      // A refusal is an answer, so no look found nothing.
      expect(await room.read(id)).toMatchObject({ waitingFor: 'landing', failedLooks: 0 });
      expect(await room.untilEnded(id)).toMatchObject({ status: 'succeeded' });
    });

    it('does not treat silence as absence: every provider must have searched', async () => {
      const nodes = room.nodes(2);
      nodes.fail({ method: 'send' }, { kind: 'swallowed' });
      nodes.fail({ node: 1, method: 'signatureStatuses' }, { kind: 'drop' });
      const id = await room.submit();
      room.worker({ nodes });
      await room.until(id, ({ status }) => status === 'submitted');
      room.ledger.skipBlocks(200);
      // More looks than may find nothing while nothing is signed.
      await looks(nodes, 2 * SHORT_TIMING.maxFailedLooks);
      expect(await room.read(id)).toMatchObject({ status: 'submitted' });
      expect(await room.retry(id)).toBe(false);
      nodes.heal();
      expect(await room.untilEnded(id)).toMatchObject({ reason: 'send_failed' });
    });

    it('does not believe a provider that returns its slot as height, and counts the lie', async () => {
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

    it('does not believe a height that jumped since the last look, and records the reason', async () => {
      const nodes = room.nodes(1);
      nodes.fail({ method: 'send' }, { kind: 'swallowed' });
      const lies: string[] = [];
      const id = await room.submit();
      const metrics = { providerLied: (node: string) => void lies.push(node) };
      // With this setting, 100 blocks take a quarter of an hour, and the servers of one provider may be 64 blocks apart.
      room.worker({ nodes, metrics, timing: { minSlotMs: 10_000 } });
      await room.until(id, ({ status }) => status === 'submitted');
      await looks(nodes, 2);
      expect(lies).toEqual([]);
      room.ledger.skipBlocks(100);
      await looks(nodes, 3);
      const [{ label }] = nodes.nodes as [LedgerNode];
      expect(lies).toContain(label);
      const { lastLook } = await showRelay(room.foundation.database, id);
      expect(lastLook!.evidence).toMatchObject({ leftOut: [{ node: label, lie: 'impossible_height' }] });
    });

    it('reconciles if no result of sending arrived, and sends the same bytes', async () => {
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

    it('reconciles the request of a dead worker, and does not sign again', async () => {
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

    it('reconciles while providers contradict each other', async () => {
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

    it('rejects a request whose nullifiers another transaction spent meanwhile, without signing again', async () => {
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

    it('rejects a request whose nullifiers another transaction spent, even past its last valid height', async () => {
      const nodes = room.nodes(2);
      nodes.fail({ method: 'send' }, { kind: 'swallowed' });
      const id = await room.submit();
      room.worker({ nodes });
      await room.until(id, ({ status }) => status === 'submitted');
      await room.spendElsewhere(id);
      room.ledger.skipBlocks(200);
      expect(await room.untilEnded(id)).toMatchObject({ status: 'rejected', reason: 'nullifiers_spent' });
      expect(await lastEvidence(id)).toMatchObject({ spender: expect.any(String) });
    });

    it('does not treat its own spending as foreign while no provider shows its signature', async () => {
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

    it('fails with a transaction that landed without an effect', async () => {
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

    it('rejects a request whose transaction landed after another one spent the nullifiers', async () => {
      const id = await room.submit();
      const nodes = room.nodes(1);
      room.worker({ nodes: withNode(nodes, 0, { send: landingAnyway(() => room.spendElsewhere(id)) }) });
      expect(await room.untilEnded(id)).toMatchObject({ status: 'rejected', reason: 'nullifiers_spent' });
      expect(await room.attempts(id)).toMatchObject([{ outcome: 'failed' }]);
    });
  });

  /** Sends without preflight, after an action that makes the transaction fail. */
  function landingAnyway(before: () => Promise<unknown>): LedgerNode['send'] {
    let done: Promise<unknown> | undefined;
    return async (transaction) => {
      await (done ??= before());
      const connection = new Connection(room.ledger.rpcUrl, 'confirmed');
      await connection.sendRawTransaction(transaction, { skipPreflight: true }).catch(() => undefined);
    };
  }
});

interface DeathProof {
  readonly providers: readonly {
    readonly height: { readonly slot: number; readonly blockHeight: number };
    readonly statuses: { readonly slot: number };
    readonly nullifiers: { readonly slot: number };
    readonly blockhashes: { readonly slot: number };
  }[];
}

/** Leaves the relayer enough for a fee, but not for an account. */
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
