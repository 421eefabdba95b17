import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { base58 } from '#lucarne/platform/kernel/encoding/bytes.js';
import {
  LOCAL_POOL_PROGRAM_ID,
  LOCAL_POOLS_FILE,
  localPoolProgram,
  startLocalLedger,
  type LocalLedger,
} from '#devnet/index.js';
import type { Benchmark, Conditions, Result } from './kit/benchmark.ts';
import { compare, quantile, timed } from './kit/compare.ts';
import { openFoundation } from './kit/foundation.ts';
import { startGateway } from './kit/gateway.ts';
import { newPackages } from './kit/relay-packages.ts';
import { createScratchDatabase } from './kit/scratch-database.ts';
import { startProvider, type Manner, type Provider } from './ledger-node/provider.ts';

const PROVIDERS = 3;
/** Relays of a block, one after the other. */
const RELAYS = 5;
/** Relays that are submitted together. */
const TOGETHER = 50;
/** How often a transaction that does not land is seen to be sent. */
const SENDINGS = 6;
/** Pauses between looks at a status. */
const LOOK_MS = 10;

/**
 * Relays by a whole gateway, from submission to their end, where one of three providers hangs or trickles, compared with the same
 * where each answers; how long many take that are submitted together; and how long a transaction that does not land waits to
 * be sent again.
 */
export const benchmark: Benchmark = async (conditions) => {
  const { quick, pairs, parts, tell } = conditions;
  const ledger = parts.use(await startLocalLedger());
  ledger.addProgram(LOCAL_POOL_PROGRAM_ID, localPoolProgram());
  const open = async (manner: Manner) => {
    const relayer = parts.use(await openRelayer(conditions, ledger, manner));
    tell(`a gateway, one of whose ${PROVIDERS} providers ${manner}`);
    return relayer;
  };
  const healthy = await open('answers');
  const impaired = { hangs: await open('hangs'), trickles: await open('trickles') };
  const relays = quick ? 1 : RELAYS;
  const arm = (relayer: Relayer) => () => timed(relays, () => relayer.relay(relays));
  const results: Result[] = [];
  for (const [manner, relayer] of Object.entries(impaired)) {
    const comparison = await compare({ product: arm(relayer), reference: arm(healthy) }, pairs);
    results.push({
      what: `Relays, one of three providers ${manner}`,
      unit: 'relays',
      reference: 'each provider answers',
      ...comparison,
    });
  }
  const together: Record<string, string> = {};
  for (const [at, relayer] of [healthy, ...Object.values(impaired)].entries()) {
    const endedMs = await relayer.relayTogether(quick ? 2 : TOGETHER);
    together[['each answers', ...Object.keys(impaired)][at]!] = medianAndGreatest(endedMs);
  }
  tell('relays that are submitted together have ended');
  const gaps = await Promise.all(
    [healthy, impaired.hangs, impaired.trickles].map((relayer) => relayer.rebroadcast(quick ? 2 : SENDINGS)),
  );
  tell('transactions that do not land are sent again');
  return results.map((result, at) => ({
    ...result,
    additional: {
      ...(at === 0
        ? prefixed(`${quick ? 2 : TOGETHER} together, end s, one of three providers`, together)
        : {}),
      ...figures([healthy, impaired.hangs, impaired.trickles][at + 1]!, gaps[at + 1]!),
      ...prefixed('of the reference:', figures(healthy, gaps[0]!)),
    },
  }));
};

const prefixed = (prefix: string, values: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix} ${name}`, value]));

/** In seconds. */
const medianAndGreatest = (timesMs: readonly number[]) =>
  [0.5, 1].map((part) => (quantile(timesMs, part) / 1000).toFixed(2)).join(' and ');

function figures({ firstSentMs, endedMs }: Relayer, gaps: readonly number[]): Record<string, string> {
  return {
    'first send s': medianAndGreatest(firstSentMs),
    'end s': medianAndGreatest(endedMs),
    'sent again after s': medianAndGreatest(gaps),
  };
}

interface Relayer extends AsyncDisposable {
  /** From each submission to the first send to any provider, and to the end that the status tells. */
  readonly firstSentMs: number[];
  readonly endedMs: number[];
  /** One after the other; rejects when one does not succeed. */
  relay(count: number): Promise<void>;
  /** Submits all at once: the milliseconds from the first submission to the end of each. */
  relayTogether(count: number): Promise<number[]>;
  /** The milliseconds between the sendings of one transaction that no provider passes on, for each that answers. */
  rebroadcast(sendings: number): Promise<number[]>;
}

async function openRelayer(
  { databaseUrl }: Conditions,
  ledger: LocalLedger,
  manner: Manner,
): Promise<Relayer> {
  await using parts = new AsyncDisposableStack();
  const providers: Provider[] = [];
  for (let at = 0; at < PROVIDERS; at += 1)
    providers.push(parts.use(await startProvider(ledger.rpcUrl, at === 0 ? manner : 'answers')));
  const directory = await mkdtemp(path.join(os.tmpdir(), 'lucarne-bench-relayer-'));
  parts.defer(() => rm(directory, { recursive: true, force: true }));
  const files = { key: path.join(directory, 'payer.json'), pools: path.join(directory, 'pools.json') };
  const payer = newKey();
  await writeFile(files.key, JSON.stringify([...payer]), { mode: 0o600 });
  const [pool] = LOCAL_POOLS_FILE.pools;
  // In production, a pool names who screens for it; here nobody does.
  const pools = [{ ...pool, screening: { ...pool.screening, applications: [] } }];
  await writeFile(files.pools, JSON.stringify({ pools }));
  ledger.airdrop(base58.encode(payer.subarray(32)), 10_000_000_000);
  const database = parts.use(await createScratchDatabase(databaseUrl));
  const masterKey = randomBytes(32);
  {
    await using migrating = new AsyncDisposableStack();
    await openFoundation({ databaseUrl: database.url, parts: migrating }, masterKey);
  }
  const { port } = parts.use(
    await startGateway({
      ...{ databaseUrl: database.url, masterKey, roles: 'api,relayer' },
      environment: {
        SOLANA_RPC_URL: providers.map(({ url }) => url).join(','),
        // Hints are the ledger's own; a provider that keeps silent gives none.
        SOLANA_WS_URL: providers
          .map((_, at) => (at === 0 && manner !== 'answers' ? 'ws://127.0.0.1:9' : ledger.wsUrl))
          .join(','),
        LUCARNE_POOLS_FILE: files.pools,
        LUCARNE_RELAYER_KEYPAIR_FILE: files.key,
        LUCARNE_RELAY_PER_CLIENT: '1000000',
      },
    }),
  );
  const [firstSentMs, endedMs]: [number[], number[]] = [[], []];
  const known = () => new Set(providers.flatMap(({ sent }) => [...sent.keys()]));
  const submit = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/api/relay-requests`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(newPackages(1)[0]),
    });
    const answer = (await response.json()) as { readonly relayRequestId: string };
    if (response.status !== 202) throw new Error(`A package was answered with ${response.status}.`);
    return answer.relayRequestId;
  };
  const statusOf = async (id: string) => {
    const response = await fetch(`http://127.0.0.1:${port}/api/relay-requests/${id}`);
    return ((await response.json()) as { readonly status: string }).status;
  };
  const untilSucceeded = async (id: string, lookMs: number) => {
    let status = await statusOf(id);
    for (; !['succeeded', 'failed', 'rejected'].includes(status); status = await statusOf(id))
      await pause(lookMs);
    if (status !== 'succeeded') throw new Error(`A relay ended as ${status}.`);
  };
  /** When the providers were handed the one transaction that was not known. */
  const sentSince = (before: ReadonlySet<string>) =>
    providers.map(({ sent }) => [...sent].flatMap(([signature, at]) => (before.has(signature) ? [] : at)));
  const owned = parts.move();
  return {
    firstSentMs,
    endedMs,
    async relay(count) {
      for (let relay = 0; relay < count; relay += 1) {
        const [before, began] = [known(), performance.now()];
        await untilSucceeded(await submit(), LOOK_MS);
        endedMs.push(performance.now() - began);
        firstSentMs.push(Math.min(...sentSince(before).flat()) - began);
      }
    },
    async relayTogether(count) {
      const began = performance.now();
      return Promise.all(
        Array.from({ length: count }, async () => {
          // Rarer looks: those of all together must not be what the gateway is busy with.
          await untilSucceeded(await submit(), LOOK_MS * 10);
          return performance.now() - began;
        }),
      );
    },
    async rebroadcast(sendings) {
      for (const provider of providers) provider.swallow();
      const before = known();
      await submit();
      const answering = () => sentSince(before).slice(1);
      while (answering().some((at) => at.length < sendings)) await pause(LOOK_MS);
      return answering().flatMap((at) => at.slice(1).map((later, index) => later - at[index]!));
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** A key pair as Solana writes it: the seed and the public key, 64 bytes. */
function newKey(): Uint8Array {
  const { d, x } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return Uint8Array.from(Buffer.concat([d, x].map((part) => Buffer.from(part!, 'base64url'))));
}
