import { setTimeout as pause } from 'node:timers/promises';
import { isTerminal, listPayers, showRelay, type ShownRelay } from '#lucarne/domain/relays/index.js';
import type { Database } from '#lucarne/platform/database/index.js';
import type { Server } from '../kit/gateway.ts';
import { newPackages } from '../kit/relay-packages.ts';
import type { Relaying } from '../relays/relaying.ts';
import type { Gateways } from './gateways.ts';
import { type Measured, post, startSteadyLoad } from './steady-load.ts';

const RELAYS_A_SECOND = 2;
const LOOK_MS = 250;

/** The relays of a change of payers. Each succeeded with one transaction. */
export interface ChangedPayers {
  readonly submissions: Measured;
  readonly paidByOld: number;
  readonly paidByNew: number;
  /** Transactions of the old payer whose outcome was not proven yet when the last process that signs for it had ended. */
  readonly leftOpen: number;
}

/**
 * Replaces the first payer by the second as docs/operate.md says, while relays are submitted: a gateway starts on which the first
 * one retires, and the gateway before stops. Rejects unless every relay succeeds with one transaction.
 */
export async function changePayers({
  relaying: { providers, payers, environment },
  database,
  gateways,
  start,
  measure,
  beforeMs,
}: {
  readonly relaying: Relaying;
  readonly database: Database;
  readonly gateways: Gateways;
  readonly start: (environment: Readonly<Record<string, string>>) => Promise<Server>;
  readonly measure: (what: string, work: () => Promise<unknown>) => Promise<void>;
  /** How long relays are submitted before the change. */
  readonly beforeMs: number;
}): Promise<ChangedPayers> {
  const [old, next] = payers.map(({ address }) => address);
  const ids: string[] = [];
  const path = '/api/relay-requests';
  const ask = async () => {
    const { text } = await post({ port: gateways.port, path, headers: {} }, newPackages(1)[0]!, 202);
    ids.push((JSON.parse(text) as { readonly relayRequestId: string }).relayRequestId);
  };
  const shown = () => Promise.all(ids.map((id) => showRelay(database, id)));
  const openOfOld = async () =>
    (await listPayers(database, [])).find(({ address }) => address === old)?.openAttempts ?? 0;

  await using load = startSteadyLoad([{ perSecond: RELAYS_A_SECOND, ask }]);
  await measure('relays, before', async () => {
    await pause(beforeMs);
    while ((await openOfOld()) === 0) await pause(LOOK_MS);
  });
  let leftOpen = 0;
  await measure('change of payers', async () => {
    await gateways.replace(await start({ ...environment, LUCARNE_RELAYER_RETIRING: old! }));
    leftOpen = await openOfOld();
  });
  await measure('the wait until the last relay has ended', async () => {
    await load[Symbol.asyncDispose]();
    while (!(await shown()).every(({ status }) => isTerminal(status))) await pause(LOOK_MS);
  });

  const submissions = load.take();
  const [failure] = submissions.failures;
  if (failure !== undefined)
    throw new Error(`${submissions.failures.length} submissions failed. The first: ${failure}`);
  const relays = await shown();
  const wrong = relays.find((relay) => !hasSucceededOnce(relay));
  if (wrong) throw new Error(`A relay did not succeed with one transaction: ${JSON.stringify(wrong)}`);
  const sent = new Set(providers.flatMap((provider) => [...provider.sent.keys()]));
  if (sent.size !== relays.length)
    throw new Error(`${sent.size} transactions were sent for ${relays.length} relays.`);
  const paidBy = (payer: string | undefined) =>
    relays.filter(({ attempts }) => attempts[0]!.payer === payer).length;
  const [paidByOld, paidByNew] = [paidBy(old), paidBy(next)];
  if (paidByOld === 0 || paidByNew === 0) throw new Error('A payer has paid for no relay.');
  return { submissions, paidByOld, paidByNew, leftOpen };
}

const hasSucceededOnce = ({ status, attempts }: ShownRelay) =>
  status === 'succeeded' && attempts.length === 1 && attempts[0]!.outcome === 'landed';
