// Subscribers of relays. Each is a separate WebSocket connection with one subscription.
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { SubscriberCommand, SubscriberReply, Tally } from './subscribers.ts';

interface Subscriber {
  readonly url: string;
  readonly clientAddress: string;
  socket: WebSocket | undefined;
  relay: string;
  /** The ids of subscriptions on one connection must differ. */
  operation: number;
  /** The sequence numbers that it received, in order. */
  told: number[];
  /** Set while it must reconnect by itself. */
  stays: boolean;
}

interface Arm {
  readonly subscribers: Subscriber[];
  reconnects: number;
  /** The change that everyone waits for, how many do not have it yet, and the callback. */
  awaited: { readonly sequence: number; missing: number; readonly resolve: () => void } | undefined;
}

const QUERY = `subscription ($id: ID!, $after: Int) {
  relayStatus(relayRequestId: $id, after: $after) { sequence status } }`;
/** Few, so that even on a fast machine no block exceeds the limit of one address per minute. */
const OF_AN_ADDRESS = 10;
/** Connections that are opened concurrently. */
const TOGETHER = 100;
const MAX_ABSENCE_MS = 500;

const arms = new Map<string, Arm>();

process.on('message', (command: SubscriberCommand) => {
  const reply = (message: SubscriberReply) => process.send?.(message);
  run(command).then(
    () => reply({ tally: tallyOf(arms.get(command.arm)!) }),
    (thrown: unknown) => reply({ failure: thrown instanceof Error ? thrown.message : String(thrown) }),
  );
});

async function run(command: SubscriberCommand): Promise<void> {
  if (command.kind === 'connect') return connectAll(command);
  const arm = arms.get(command.arm)!;
  switch (command.kind) {
    case 'follow':
      return follow(arm, command.relays);
    case 'await':
      return awaitAll(arm, command.sequence);
    case 'cut':
      for (const { socket } of arm.subscribers) socket?.terminate();
      return;
    case 'tally':
      return;
    case 'leave':
      await Promise.all(arm.subscribers.map(leave));
  }
}

async function connectAll({
  arm: name,
  port,
  count,
}: SubscriberCommand & { kind: 'connect' }): Promise<void> {
  const arm: Arm = { subscribers: [], reconnects: 0, awaited: undefined };
  arms.set(name, arm);
  for (let at = 0; at < count; at += 1)
    arm.subscribers.push({
      url: `ws://127.0.0.1:${port}/graphql`,
      clientAddress: addressOf(Math.floor(at / OF_AN_ADDRESS)),
      ...{ socket: undefined, relay: '', operation: 0, told: [], stays: true },
    });
  for (let from = 0; from < count; from += TOGETHER)
    await Promise.all(arm.subscribers.slice(from, from + TOGETHER).map((one) => connect(arm, one)));
}

/** The nth address of the network for benchmarks (RFC 2544). */
const addressOf = (n: number) => `198.18.${n >> 8}.${n & 255}`;

/** Resolves when the server has acknowledged the connection. */
function connect(arm: Arm, one: Subscriber): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-forwarded-for': one.clientAddress };
    const socket = new WebSocket(one.url, ['graphql-transport-ws'], { headers });
    one.socket = socket;
    socket.on('open', () => socket.send('{"type":"connection_init"}'));
    socket.on('error', reject);
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString()) as Message;
      if (message.type === 'connection_ack') resolve();
      else if (message.type === 'next') told(arm, one, message);
      else if (message.type === 'error') fail(`A subscription was refused: ${data.toString()}`);
    });
    socket.on('close', (code) => {
      if (one.stays && process.connected)
        void comeBack(arm, one).catch((thrown: unknown) => fail(String(thrown)));
      else reject(new Error(`The server closed a connection with ${code}.`));
    });
  });
}

interface Message {
  readonly type: string;
  readonly id?: string;
  readonly payload?: { readonly data?: { readonly relayStatus: { readonly sequence: number } } };
}

async function comeBack(arm: Arm, one: Subscriber): Promise<void> {
  await pause(Math.random() * MAX_ABSENCE_MS);
  arm.reconnects += 1;
  await connect(arm, one);
  subscribe(one);
}

async function leave(one: Subscriber): Promise<void> {
  one.stays = false;
  if (!one.socket || one.socket.readyState === WebSocket.CLOSED) return;
  const closed = once(one.socket, 'close');
  one.socket.close(1000);
  await closed;
}

function subscribe(one: Subscriber): void {
  one.operation += 1;
  const variables = { id: one.relay, after: one.told.at(-1) ?? 0 };
  one.socket!.send(
    JSON.stringify({ type: 'subscribe', id: String(one.operation), payload: { query: QUERY, variables } }),
  );
}

function told(arm: Arm, one: Subscriber, { id, payload }: Message): void {
  if (id !== String(one.operation)) return;
  const sequence = payload?.data?.relayStatus.sequence;
  if (sequence === undefined) {
    fail(`A change has no sequence: ${JSON.stringify(payload)}`);
    return;
  }
  one.told.push(sequence);
  const { awaited } = arm;
  if (!awaited || sequence !== awaited.sequence) return;
  awaited.missing -= 1;
  if (awaited.missing > 0) return;
  arm.awaited = undefined;
  awaited.resolve();
}

async function follow(arm: Arm, relays: readonly string[]): Promise<void> {
  arm.subscribers.forEach((one, at) => {
    one.relay = relays[at % relays.length]!;
    one.told = [];
  });
  for (let from = 0; from < arm.subscribers.length; from += TOGETHER) {
    for (const one of arm.subscribers.slice(from, from + TOGETHER)) subscribe(one);
    await pause(1);
  }
  await awaitAll(arm, 1);
}

function awaitAll(arm: Arm, sequence: number): Promise<void> {
  const missing = arm.subscribers.filter(({ told: list }) => !list.includes(sequence)).length;
  if (missing === 0) return Promise.resolve();
  return new Promise((resolve) => (arm.awaited = { sequence, missing, resolve }));
}

function tallyOf({ subscribers, reconnects }: Arm): Tally {
  const newest = Math.max(0, ...subscribers.map(({ told: list }) => list.length && Math.max(...list)));
  let [all, lost, doubled, unordered] = [0, 0, 0, 0];
  for (const { told: list } of subscribers) {
    const distinct = new Set(list).size;
    all += list.length;
    lost += newest - distinct;
    doubled += list.length - distinct;
    if (list.some((sequence, at) => at > 0 && sequence < list[at - 1]!)) unordered += 1;
  }
  return { told: all, lost, doubled, unordered, reconnects };
}

function fail(reason: string): void {
  process.send?.({ failure: reason } satisfies SubscriberReply);
}
