import http from 'node:http';
import { quantile } from '../kit/compare.ts';

/** Sends one request of a kind when it is due. Throws if the answer is wrong. */
export type Kind = { readonly perSecond: number; readonly ask: () => Promise<void> };

/** Latencies from the time when a request was due to its answer, in ms. */
export interface Measured {
  readonly requests: number;
  readonly perSecond: number;
  readonly failures: readonly string[];
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** Number of requests that took longer than a second. */
  readonly late: number;
  /** The longest time without an answer. */
  readonly gap: number;
}

export interface SteadyLoad extends AsyncDisposable {
  /** The measurements since the last call, or the start. */
  take(): Measured;
}

/**
 * Requests that are due at fixed times, whether or not earlier ones are answered, so that a request that stalls delays the next
 * ones.
 */
export function startSteadyLoad(kinds: readonly Kind[]): SteadyLoad {
  const underWay = new Set<Promise<void>>();
  let latencies: number[] = [];
  let failures: string[] = [];
  let [since, answeredAt, gap] = [performance.now(), performance.now(), 0];
  let isStopped = false;

  const one = async (dueAt: number, { ask }: Kind) => {
    try {
      await ask();
      const now = performance.now();
      gap = Math.max(gap, now - answeredAt);
      answeredAt = now;
      latencies.push(now - dueAt);
    } catch (thrown) {
      failures.push(thrown instanceof Error ? thrown.message : String(thrown));
    }
  };
  const drive = (kind: Kind, dueAt: number) => {
    if (isStopped) return;
    const asked = one(dueAt, kind).finally(() => underWay.delete(asked));
    underWay.add(asked);
    const next = dueAt + 1_000 / kind.perSecond;
    setTimeout(() => drive(kind, next), Math.max(0, next - performance.now()));
  };
  for (const kind of kinds) drive(kind, performance.now());
  return {
    take() {
      const now = performance.now();
      const measured = {
        ...{ requests: latencies.length, perSecond: latencies.length / ((now - since) / 1_000), failures },
        ...{ p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99), max: Math.max(...latencies) },
        late: latencies.filter((latency) => latency > 1_000).length,
        gap: Math.max(gap, now - answeredAt),
      };
      [latencies, failures, since, answeredAt, gap] = [[], [], now, now, 0];
      return measured;
    },
    async [Symbol.asyncDispose]() {
      isStopped = true;
      await Promise.all(underWay);
    },
  };
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });

/** A POST of JSON over a keep-alive connection. Throws for any other status than `wanted`. */
export function post(
  { port, path, headers }: { readonly port: number; readonly path: string; readonly headers: object },
  body: object,
  wanted: number,
): Promise<{ readonly text: string; readonly cookie: string }> {
  return new Promise((resolve, reject) => {
    const options = {
      ...{ agent, host: '127.0.0.1', port, path, method: 'POST' },
      headers: { 'content-type': 'application/json', ...headers },
    };
    const request = http.request(options, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      answer.on('end', () => {
        const cookie = (answer.headers['set-cookie'] ?? []).map((each) => each.split(';')[0]).join('; ');
        if (answer.statusCode === wanted) resolve({ text, cookie });
        else reject(new Error(`${answer.statusCode}: ${text.slice(0, 300)}`));
      });
    });
    request.on('error', reject).end(JSON.stringify(body));
  });
}
