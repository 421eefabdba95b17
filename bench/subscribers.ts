import { randomBytes } from 'node:crypto';
import os from 'node:os';
import { createProofPool } from '#lucarne/platform/crypto/index.js';
import type { Foundation } from '#lucarne/platform/database/index.js';
import type { Id } from '#lucarne/platform/kernel/ids.js';
import { LOCAL_POOLS_FILE } from '#devnet/index.js';
import {
  createPayers,
  createRelayDesk,
  keyPairSigner,
  parsePoolsFile,
  type RelayDesk,
} from '#lucarne/domain/relays/index.js';
import { changeStatus, type StatusChange } from '#lucarne/domain/relays/status/change-status.js';
import { findRelay } from '#lucarne/domain/relays/relay.js';
import { submitRelay } from '#lucarne/domain/relays/admission/submit-relay.js';
import type { Benchmark } from './kit/benchmark.ts';
import { compare, type Block } from './kit/compare.ts';
import { openFoundation } from './kit/foundation.ts';
import { startGateway, type Server } from './kit/gateway.ts';
import { withCpu } from './kit/pinned-process.ts';
import { startReference } from './kit/reference-server.ts';
import { newPackages } from './kit/relay-packages.ts';
import { expectComplete, startSubscribers, type Subscribers } from './kit/subscribers.ts';

/** All changes of a request that succeeds. */
const CHANGES: readonly Omit<StatusChange, 'evidence'>[] = [
  { to: 'validating' },
  { to: 'queued', attemptNumber: 1 },
  { to: 'submitted' },
  { to: 'reconciling' },
  { to: 'succeeded' },
];
const [CUT, LAST] = [4, CHANGES.length + 1];

/**
 * Changes of relays that are sent to subscribers who are all connected at once: `lucarne serve` compared with unmodified
 * graphql-ws on the same schema, feed and database. Then the maximum number of subscribers of an instance follows a hundred
 * requests. Meanwhile all are cut off and reconnect, and no change may be lost or sent twice.
 */
export const benchmark: Benchmark = async (conditions) => {
  const { quick, pairs, parts, databaseUrl, tell } = conditions;
  const masterKey = randomBytes(32);
  const foundation = await openFoundation(conditions, masterKey, 'everywhere');
  const desk = await openDesk(foundation, parts);
  const first = parts.use(await startGateway({ databaseUrl, masterKey }));
  const subscribers = parts.use(startSubscribers());
  const [compared, crowd, relays] = quick ? [20, 40, 4] : [2_000, 15_000, 100];

  const reference = parts.use(
    await startReference('stock-graphql-ws.ts', {
      databaseUrl,
      masterKey: masterKey.toString('base64'),
    }),
  );
  const product = await armOf(desk, subscribers, first, compared);
  const beside = await armOf(desk, subscribers, reference, compared);
  const comparison = await compare({ product: product.block, reference: beside.block }, pairs);
  await product.leave();
  await beside.leave();
  await reference[Symbol.asyncDispose]();
  await first[Symbol.asyncDispose]();
  tell(`${compared} subscribers of each compared`);

  // A new gateway without earlier connections: memory that they left could be reused and would not be measured.
  const gateway = parts.use(await startGateway({ databaseUrl, masterKey }));
  const before = gateway.residentBytes() ?? 0;
  await subscribers.command({ kind: 'connect', arm: 'crowd', port: gateway.port, count: crowd });
  const ids = await newRelays(desk, relays);
  await subscribers.command({ kind: 'follow', arm: 'crowd', relays: ids });
  const memory = ((gateway.residentBytes() ?? 0) - before) / crowd;
  tell(`${crowd} subscribers connected`);
  for (const [at, change] of CHANGES.entries()) {
    const sequence = at + 2;
    // While all subscribers are disconnected and reconnect.
    if (sequence === CUT) await subscribers.command({ kind: 'cut', arm: 'crowd' });
    await changeAll(foundation, ids, change);
    await subscribers.command({ kind: 'await', arm: 'crowd', sequence });
  }
  const tally = await subscribers.command({ kind: 'tally', arm: 'crowd' });
  expectComplete(tally);
  if (tally.told !== crowd * LAST) throw new Error(`${tally.told} changes were told, not ${crowd * LAST}.`);
  if (tally.reconnects < crowd) throw new Error(`Only ${tally.reconnects} came back.`);
  return [
    {
      what: `Changes of relays told to ${compared.toLocaleString('en-US')} subscribers`,
      unit: 'messages',
      reference: 'stock graphql-ws, same schema and feed',
      reach: 2,
      reachByCpu: 2.2,
      ...comparison,
      additional: {
        subscribers: crowd,
        'all cut off and back; lost': tally.lost,
        doubled: tally.doubled,
        'memory of each kB': memory / 1000,
      },
    },
  ];
};

async function openDesk(foundation: Foundation, parts: AsyncDisposableStack): Promise<RelayDesk> {
  const workers = os.availableParallelism();
  return parts.use(
    createRelayDesk(foundation, {
      pools: await parsePoolsFile(LOCAL_POOLS_FILE, () => Promise.resolve(undefined)),
      proofs: parts.use(createProofPool({ workers, queueLimit: 1_000 })),
      payers: createPayers({
        signers: [keyPairSigner(new Uint8Array(64))],
        nodes: { nodes: [{ label: 'rich', balance: () => Promise.resolve({ slot: 1, lamports: 1e12 }) }] },
        clock: foundation.clock,
      }),
      limits: { perClient: 1e9, perPool: 1e9, queue: 1e6 },
    }),
  );
}

async function newRelays(desk: RelayDesk, count: number): Promise<Id<'rly'>[]> {
  const views = await Promise.all(newPackages(count).map((one) => submitRelay(desk, '192.0.2.1', one)));
  return views.map(({ relayRequestId }) => relayRequestId);
}

async function changeAll(
  foundation: Foundation,
  ids: readonly Id<'rly'>[],
  change: Omit<StatusChange, 'evidence'>,
): Promise<void> {
  await Promise.all(
    ids.map((id) =>
      foundation.database.transaction(async (transaction) => {
        const relay = await findRelay(transaction, id);
        const changed =
          relay && (await changeStatus(transaction, foundation, relay, { ...change, evidence: {} }));
        if (!changed) throw new Error('A request did not change.');
      }),
    ),
  );
}

/** Two requests for each block, with all changes from the first to the last sent by one server to all of its subscribers. */
async function armOf(desk: RelayDesk, subscribers: Subscribers, server: Server, count: number) {
  const arm = String(server.port);
  await subscribers.command({ kind: 'connect', arm, port: server.port, count });
  return {
    block: async (): Promise<Block> => {
      const relays = await newRelays(desk, 2);
      await subscribers.command({ kind: 'follow', arm, relays });
      return withCpu(server, async () => {
        const began = performance.now();
        for (const change of CHANGES) await changeAll(desk.foundation, relays, change);
        const tally = await subscribers.command({ kind: 'await', arm, sequence: LAST });
        const seconds = (performance.now() - began) / 1000;
        expectComplete(tally);
        return { units: count * CHANGES.length, seconds };
      });
    },
    leave: () => subscribers.command({ kind: 'leave', arm }),
  };
}
