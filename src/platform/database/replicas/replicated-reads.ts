import { createPollLoop } from '../../jobs/index.js';
import { messageOf } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import type { Reader } from '../database.js';
import { acrossOrganizations } from '../scope/acting-for.js';
import type { Statement } from '../statement.js';
import { askForReadPoint, oneAtATime } from './read-point.js';
import { isWrite, Replica, ReplicaLeftOut, type ReplicaTerms } from './replica.js';

interface ReplicatedReadsOptions extends ReplicaTerms {
  readonly urls: readonly string[];
  readonly log: Pick<Log, 'info' | 'warn'>;
}

/** Reads that replicas answer, as if the primary did. */
export interface ReplicatedReads extends Reader, AsyncDisposable {
  readonly replicas: readonly ReplicaState[];
  /** How many reads the primary answered that replicas could have. */
  readonly readsOfPrimary: number;
}

export interface ReplicaState {
  readonly name: string;
  /** Why it is not read from, in a sentence; `undefined` while it is. */
  readonly leftOut: string | undefined;
  /** How long it needed to replay what the primary had, when it was last asked; `undefined` before its first answer. */
  readonly lagMs: number | undefined;
  /** How many reads it answered. */
  readonly reads: number;
}

/** How often each replica is asked whether it can be read from. */
const LOOK_INTERVAL_MS = 1_000;

interface Known extends ReplicaState {
  readonly replica: Replica;
  leftOut: string | undefined;
  lagMs: number | undefined;
  reads: number;
}

/**
 * Sends each read to a replica that has replayed everything that was committed on the primary when the read came: it shows
 * what any client of any instance has written before, and what was revoked. Where no replica can do so in time, and after
 * any failure of one, the primary answers.
 */
export function connectReads(
  primary: Reader,
  { urls, maxLagMs, log }: ReplicatedReadsOptions,
): ReplicatedReads {
  const replicas = urls.map((url): Known => {
    const replica = new Replica(url, { maxLagMs });
    return {
      name: replica.name,
      replica,
      leftOut: 'It has not been checked yet.',
      lagMs: undefined,
      reads: 0,
    };
  });
  const readPoint = oneAtATime(async () => {
    // For everyone who waits for it, not in the name of the first one.
    const [point] = await acrossOrganizations(() => primary.rows(askForReadPoint()));
    if (!point) throw new Error('The primary does not report its position.');
    return point;
  });
  let turn = 0;
  let readsOfPrimary = 0;

  const leaveOut = (known: Known, thrown: unknown) => {
    const reason = messageOf(thrown);
    if (known.leftOut !== reason)
      log.warn({ replica: known.name, err: thrown }, 'A replica is left out: the primary answers for it.');
    known.leftOut = reason;
  };

  const look = async (known: Known) => {
    const point = await readPoint();
    try {
      known.lagMs = await known.replica.reach(point);
    } catch (thrown) {
      leaveOut(known, thrown);
      return;
    }
    if (known.leftOut !== undefined) log.info({ replica: known.name }, 'A replica answers reads.');
    known.leftOut = undefined;
  };

  const loops = replicas.map((known) =>
    createPollLoop({
      pollMs: LOOK_INTERVAL_MS,
      // One that is busy is in use.
      turn: async () => (known.replica.isBusy ? undefined : look(known)),
      // The primary does not answer, and nothing new is known of its replicas.
      failed: () => undefined,
    }),
  );
  for (const loop of loops) loop.start();

  /** The next replica that can be read from. */
  const chosen = (): Known | undefined => {
    turn += 1;
    const usable = replicas.filter(({ leftOut, replica }) => leftOut === undefined && !replica.isBusy);
    return usable[turn % usable.length];
  };

  const fromReplica = async <Row>(statement: Statement<Row>): Promise<Row[] | undefined> => {
    const known = chosen();
    if (!known) return undefined;
    try {
      const rows = await known.replica.rows(await readPoint(), statement);
      known.reads += 1;
      return rows;
    } catch (thrown) {
      if (isWrite(thrown)) throw thrown;
      if (thrown instanceof ReplicaLeftOut) leaveOut(known, thrown);
      // For any error, the primary's answer counts.
      return undefined;
    }
  };

  return {
    replicas,
    get readsOfPrimary() {
      return readsOfPrimary;
    },
    async rows(statement) {
      const rows = await fromReplica(statement);
      if (rows) return rows;
      readsOfPrimary += 1;
      return primary.rows(statement);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(loops.map((loop) => loop.stop()));
      await Promise.all(replicas.map(({ replica }) => replica[Symbol.asyncDispose]()));
    },
  };
}
