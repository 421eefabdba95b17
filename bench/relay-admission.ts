import { randomBytes } from 'node:crypto';
import os from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { createProofPool, type ProofPool } from '#lucarne/platform/crypto/index.js';
import { sql } from '#lucarne/platform/database/index.js';
import { LOCAL_POOL_SELECTOR, LOCAL_POOLS_FILE } from '#devnet/index.js';
import {
  createPayers,
  createRelayDesk,
  keyPairSigner,
  parsePoolsFile,
  parseRelayPackage,
  type RelayDesk,
} from '#lucarne/domain/relays/index.js';
import { submitRelay } from '#lucarne/domain/relays/admission/submit-relay.js';
import type { Benchmark } from './kit/benchmark.ts';
import { compare, quantile, timed } from './kit/compare.ts';
import { openFoundation } from './kit/foundation.ts';
import { newPackages } from './kit/relay-packages.ts';

/** Number of concurrent submissions. */
const TOGETHER = 32;
const CLIENT = '192.0.2.1';
/** On so few cores, the proof threads share them with PostgreSQL and the gateway. */
const SHARED_CORES = 2;
const REACH = { shared: 0.2, apart: 0.4 };
/** Submissions per second when latency is measured: few enough that each finds a free thread. */
const PACE = 100;
/** Making hundreds of packages with proofs leaves work to the garbage collector, which no gateway has. */
const SETTLED_MS = 1_000;

/**
 * Accepted relay packages, each with a different proof that is verified, compared with a bare `INSERT … ON CONFLICT` of their
 * nullifiers, and with the check of the proofs alone.
 */
export const benchmark: Benchmark = async (conditions) => {
  const { quick, pairs, parts, tell } = conditions;
  const foundation = await openFoundation(conditions);
  const { database } = foundation;
  const threads = Math.max(1, os.availableParallelism() - 1);
  const proofs = parts.use(createProofPool({ workers: threads, queueLimit: 1_000 }));
  const { pool, spent } = watched(proofs);
  const pools = await parsePoolsFile(LOCAL_POOLS_FILE, () => Promise.resolve(undefined));
  const desk = parts.use(
    createRelayDesk(foundation, {
      pools,
      proofs: pool,
      payers: createPayers({
        signers: [keyPairSigner(new Uint8Array(64))],
        nodes: { nodes: [{ label: 'rich', balance: () => Promise.resolve({ slot: 1, lamports: 1e12 }) }] },
        clock: foundation.clock,
      }),
      limits: { perClient: 1e9, perPool: 1e9, queue: 1e6 },
    }),
  );
  const { key } = pools.get(LOCAL_POOL_SELECTOR)!.circuits.get('3')!;
  await database.rows(sql`create table bare_nullifiers (
    program_id text, nullifier bytea, request_id text, primary key (program_id, nullifier))`);

  const [submissions, inserts] = quick ? [4, 40] : [400, 2_000];
  const admit = async () => {
    const packages = newPackages(submissions);
    return timed(submissions, () =>
      together(packages, async (one) => {
        const { status } = await submitRelay(desk, CLIENT, one);
        if (status !== 'accepted') throw new Error(`A package became ${status}.`);
      }),
    );
  };
  const insert = () =>
    timed(inserts, () =>
      together(Array.from({ length: inserts }), async () => {
        const rows =
          await database.rows(sql`insert into bare_nullifiers values ('pool', ${randomBytes(32)}, 'request')
          on conflict do nothing returning request_id`);
        if (rows.length !== 1) throw new Error('A nullifier was not inserted.');
      }),
    );
  const check = async () => {
    const packages = newPackages(submissions).map(parseRelayPackage);
    return timed(submissions, () =>
      together(packages, async (one) => {
        if (!(await proofs.verify(key, one))) throw new Error('A proof that holds was refuted.');
      }),
    );
  };
  const besideInsert = await compare({ product: admit, reference: insert }, pairs);
  tell('admission compared with inserts');
  const besideCheck = await compare({ product: admit, reference: check }, pairs);
  tell('admission compared with the proof check');
  const latency = await addedLatency(desk, spent, quick ? 5 : 500);
  await expectEachOnce(desk);
  return [
    {
      what: 'Relays admitted, proofs verified',
      unit: 'packages',
      reference: 'bare `INSERT … ON CONFLICT`',
      reach: os.availableParallelism() > SHARED_CORES ? REACH.apart : REACH.shared,
      ...besideInsert,
      additional: { 'proof threads': threads },
    },
    {
      what: 'The same',
      unit: 'packages',
      reference: 'the proof check alone',
      ...besideCheck,
      additional: {
        [`added to the proof check at ${PACE}/s, p50 ms`]: quantile(latency, 0.5),
        'p99 ms': quantile(latency, 0.99),
      },
    },
  ];
};

type Package = ReturnType<typeof newPackages>[number];

/** The pool, and the milliseconds that each proof took, including waiting, by the text of its first nullifier. */
function watched(proofs: ProofPool) {
  const spent = new Map<string, number>();
  const pool: ProofPool = {
    get stats() {
      return proofs.stats;
    },
    async verify(key, proof) {
      const began = performance.now();
      const holds = await proofs.verify(key, proof);
      spent.set(Buffer.from(proof.proof).toString('hex'), performance.now() - began);
      return holds;
    },
    [Symbol.asyncDispose]: () => proofs[Symbol.asyncDispose](),
  };
  return { pool, spent };
}

/** The time of admission in addition to the proof check: milliseconds for each of several submissions at a steady pace. */
async function addedLatency(
  desk: RelayDesk,
  spent: ReadonlyMap<string, number>,
  count: number,
): Promise<number[]> {
  const submit = async (one: Package) => {
    const began = performance.now();
    await submitRelay(desk, CLIENT, one);
    return performance.now() - began - spent.get(one.proofBytes)!;
  };
  const answers: Promise<number>[] = [];
  const packages = newPackages(count);
  globalThis.gc?.();
  await pause(SETTLED_MS);
  for (const one of packages) {
    answers.push(submit(one));
    await pause(1000 / PACE);
  }
  return Promise.all(answers);
}

/** Checks that every request holds its two nullifiers, and no nullifier is held twice. */
async function expectEachOnce({ foundation }: RelayDesk): Promise<void> {
  const [row] = await foundation.database.rows(sql<{ requests: number; nullifiers: number }>`
    select (select count(*) from relay_requests) as requests, (select count(*) from relay_nullifiers) as nullifiers`);
  if (row?.nullifiers !== 2 * (row?.requests ?? 0))
    throw new Error(`${row?.requests} requests hold ${row?.nullifiers} nullifiers.`);
}

async function together<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = items.entries();
  const run = async () => {
    for (const [, item] of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: TOGETHER }, run));
}
