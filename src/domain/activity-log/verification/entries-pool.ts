import { WorkerThreads, workerUrlOf, type ThreadTask } from '../../../platform/crypto/index.js';
import type { EntriesReply, EntriesRequest } from './entries-worker.js';
import type { ShownEntries, Tree } from './plain-entry.js';

/** Reads lines of an export in worker threads, against one tree. */
export class EntriesPool implements AsyncDisposable {
  readonly #threads: WorkerThreads<EntriesRequest, EntriesReply>;
  readonly #waiting: ThreadTask<EntriesRequest, EntriesReply>[] = [];

  constructor(workers: number, { size, root }: Tree) {
    this.#threads = new WorkerThreads({
      workers,
      workerUrl: workerUrlOf('domain/activity-log/verification/entries-worker'),
      settings: { size, root } satisfies Tree,
      idle: () => this.#dispatch(),
    });
  }

  /** `undefined` if the lines must be read one by one to classify them, or if they crashed the thread. */
  read(lines: Uint8Array): Promise<ShownEntries | undefined> {
    return new Promise((resolve) => {
      this.#waiting.push({
        message() {
          const copy = new Uint8Array(lines);
          return { request: { lines: copy }, transfer: [copy.buffer] };
        },
        answered: (reply) => resolve(reply.kind === 'shown' ? reply : undefined),
        died: () => resolve(undefined),
      });
      this.#dispatch();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#threads[Symbol.asyncDispose]();
  }

  #dispatch(): void {
    while (this.#threads.free > 0 && this.#waiting.length > 0) this.#threads.run(this.#waiting.shift()!);
  }
}
