// The load generator, a separate process with several connections. Each requests one target after another.
import { isDeepStrictEqual } from 'node:util';
import { HttpConnection, type BodyCheck } from './http-connection.ts';
import type { LoadCommand, LoadReply, Target } from './load.ts';

interface Prepared {
  readonly port: number;
  readonly requests: readonly Buffer[];
  /** Bodies that were parsed and compared with the expected answers of the targets. */
  readonly bodies: readonly Buffer[];
}

const arms = new Map<string, Prepared>();

process.on('message', (command: LoadCommand) => {
  const reply = (message: LoadReply) => process.send?.(message);
  const answer = command.kind === 'prepare' ? prepare(command) : run(command);
  answer.then(reply, (thrown: unknown) =>
    reply({ failure: thrown instanceof Error ? thrown.message : String(thrown) }),
  );
});

/** Requests every target once and checks each answer. */
async function prepare(command: LoadCommand & { kind: 'prepare' }): Promise<LoadReply> {
  const { arm, port, connections, targets } = command;
  const requests = targets.map(({ request }) => Buffer.from(request));
  const bodies: Buffer[] = [];
  let next = 0;
  const began = performance.now();
  await drive(port, connections, (connection, again) => {
    const at = next;
    next += 1;
    if (at >= targets.length) return false;
    connection.ask(
      requests[at]!,
      read(targets[at]!, (body) => (bodies[at] = body)),
      again,
    );
    return true;
  });
  arms.set(arm, { port, requests, bodies });
  return { units: targets.length, seconds: (performance.now() - began) / 1000 };
}

/** Requests random targets until the time has passed. */
async function run({ arm, connections, seconds }: LoadCommand & { kind: 'run' }): Promise<LoadReply> {
  const { port, requests, bodies } = arms.get(arm)!;
  const began = performance.now();
  const end = began + seconds * 1000;
  let units = 0;
  let last = began;
  await drive(port, connections, (connection, again) => {
    if (performance.now() >= end) return false;
    const at = Math.floor(Math.random() * requests.length);
    connection.ask(requests[at]!, sameBytes(bodies[at]!), () => {
      units += 1;
      last = performance.now();
      again();
    });
    return true;
  });
  return { units, seconds: (last - began) / 1000 };
}

/** Runs connections concurrently until each has been told `false`, so that there is nothing more to request. */
async function drive(
  port: number,
  connections: number,
  ask: (connection: HttpConnection, again: () => void) => boolean,
): Promise<void> {
  const open: HttpConnection[] = [];
  try {
    await Promise.all(
      Array.from(
        { length: connections },
        () =>
          new Promise<void>((resolve, reject) => {
            const connection = new HttpConnection(port, reject);
            open.push(connection);
            const again = () => ask(connection, again) || resolve();
            again();
          }),
      ),
    );
  } finally {
    for (const connection of open) connection.close();
  }
}

function read({ request, document }: Target, take: (body: Buffer) => void): BodyCheck {
  const pieces: Buffer[] = [];
  return {
    piece: (bytes) => void pieces.push(Buffer.from(bytes)),
    end() {
      const body = Buffer.concat(pieces);
      if (!isDeepStrictEqual(JSON.parse(body.toString('utf8')), document))
        throw new Error(`Wrong is the answer ${body.toString('utf8').slice(0, 2_000)} to ${request}`);
      take(body);
    },
  };
}

function sameBytes(expected: Buffer): BodyCheck {
  let at = 0;
  return {
    piece(bytes) {
      const end = at + bytes.length;
      if (end > expected.length || expected.compare(bytes, 0, bytes.length, at, end) !== 0)
        throw new Error(`Another answer than before: ${bytes.toString('utf8').slice(0, 2_000)}`);
      at = end;
    },
    end() {
      if (at !== expected.length) throw new Error('An answer is shorter than before.');
    },
  };
}
