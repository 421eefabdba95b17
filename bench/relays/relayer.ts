import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { LocalLedger } from '#devnet/index.js';
import type { Conditions } from '../kit/benchmark.ts';
import { openFoundation } from '../kit/foundation.ts';
import { startGateway } from '../kit/gateway.ts';
import { newPackages } from '../kit/relay-packages.ts';
import { createScratchDatabase } from '../kit/scratch-database.ts';
import { openRelaying } from './relaying.ts';

/** Pause between two checks of a status. */
const LOOK_MS = 10;

/** A gateway that relays, and what asks it. */
export interface Relayer extends AsyncDisposable {
  /** From each submission to the first send to any provider, and to the end in the status. */
  readonly firstSentMs: number[];
  readonly endedMs: number[];
  /** One after another. Rejects if one does not succeed. */
  relay(count: number): Promise<void>;
  /** Submits all at once. Returns the milliseconds from the first submission to the end of each. */
  relayTogether(count: number): Promise<number[]>;
  /** The milliseconds between the sends of one transaction that no provider forwards, for each provider that answers. */
  rebroadcast(sendings: number): Promise<number[]>;
}

/** Relays to a ledger by some providers, of which the first has a manner, and is paid for by some accounts. */
export async function openRelayer(
  { databaseUrl }: Pick<Conditions, 'databaseUrl'>,
  ledger: LocalLedger,
  options: Parameters<typeof openRelaying>[1],
): Promise<Relayer> {
  await using parts = new AsyncDisposableStack();
  const { providers, environment } = parts.use(await openRelaying(ledger, options));
  const database = parts.use(await createScratchDatabase(databaseUrl));
  const masterKey = randomBytes(32);
  {
    await using migrating = new AsyncDisposableStack();
    await openFoundation({ databaseUrl: database.url, parts: migrating }, masterKey);
  }
  const { port } = parts.use(
    await startGateway({
      ...{ databaseUrl: database.url, masterKey, roles: 'api,relayer' },
      environment,
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
  /** When the providers received the one new transaction. */
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
          // Less frequent checks, so that the gateway is not busy with the checks of all relays.
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
