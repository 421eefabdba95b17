import { Worker } from 'node:worker_threads';

/** What a thread is given to do, and who is told how it went. */
export interface ThreadTask<Request, Reply> {
  /** Made when the thread is there; `transfer` is moved to it, not copied. */
  readonly message: () => { readonly request: Request; readonly transfer: ArrayBuffer[] };
  readonly answered: (reply: Reply) => void;
  /** The thread ended before it answered. */
  readonly died: (cause: unknown) => void;
}

/** What is not as it should be, in a sentence for the log; a thread may say it at any time. */
export interface WorkerNotice {
  readonly kind: 'notice';
  readonly message: string;
}

export interface WorkerThreadsOptions {
  /** At most; each is started when there is work for it. */
  readonly workers: number;
  /** Compiled code that answers each message with one. */
  readonly workerUrl: URL;
  /** What each thread is given at its start, as `workerData`. */
  readonly settings?: object;
  readonly notice?: ((message: string) => void) | undefined;
  /** Told when a thread has nothing to do anymore. */
  readonly idle: () => void;
}

interface Thread<Request, Reply> {
  worker: Worker | undefined;
  task: ThreadTask<Request, Reply> | undefined;
}

/** Threads that do one task each at a time. What waits for them is their owner's. */
export class WorkerThreads<Request, Reply extends { readonly kind: string }> implements AsyncDisposable {
  readonly #threads: readonly Thread<Request, Reply>[];
  readonly #workerUrl: URL;
  readonly #settings: object | undefined;
  readonly #notice: ((message: string) => void) | undefined;
  readonly #idle: () => void;
  #closed = false;
  #deaths = 0;

  constructor({ workers, workerUrl, settings, notice, idle }: WorkerThreadsOptions) {
    if (!Number.isInteger(workers) || workers < 1) throw new RangeError('A pool has at least one worker.');
    this.#threads = Array.from({ length: workers }, () => ({ worker: undefined, task: undefined }));
    this.#workerUrl = workerUrl;
    this.#settings = settings;
    this.#notice = notice;
    this.#idle = idle;
  }

  /** Threads that are alive. */
  get alive(): number {
    return this.#threads.filter(({ worker }) => worker !== undefined).length;
  }

  /** Threads at work. */
  get busy(): number {
    return this.#threads.filter(({ task }) => task !== undefined).length;
  }

  /** Threads that a task can be given to, started or not. */
  get free(): number {
    return this.#closed ? 0 : this.#threads.length - this.busy;
  }

  /** Threads that ended by themselves since the start. */
  get deaths(): number {
    return this.#deaths;
  }

  /** Gives the task to a free thread, one that is started if there is one. */
  run(task: ThreadTask<Request, Reply>): void {
    const free = this.#threads.filter((thread) => thread.task === undefined);
    const thread = free.find(({ worker }) => worker !== undefined) ?? free[0];
    if (!thread) throw new Error('No thread is free.');
    this.#give(thread, task);
  }

  /** Gives a task to each thread that is not started yet. */
  runOnCold(taskOf: () => ThreadTask<Request, Reply>): void {
    for (const thread of this.#threads) if (thread.worker === undefined) this.#give(thread, taskOf());
  }

  /** Ends every thread; what they were doing is not answered. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#threads.map(async ({ worker }) => worker?.terminate()));
  }

  #give(thread: Thread<Request, Reply>, task: ThreadTask<Request, Reply>): void {
    thread.task = task;
    const worker = (thread.worker ??= this.#start(thread));
    const { request, transfer } = task.message();
    worker.postMessage(request, transfer);
  }

  /** A thread that ends is not replaced before there is work for it: one that cannot start makes no busy loop. */
  #start(thread: Thread<Request, Reply>): Worker {
    // Its own empty environment: the process's holds secrets that arithmetic needs nothing of.
    const worker = new Worker(this.#workerUrl, { env: {}, workerData: this.#settings });
    let cause: unknown;
    worker.on('message', (message: Reply | WorkerNotice) => {
      if (isNotice(message)) {
        this.#notice?.(message.message);
        return;
      }
      const { task } = thread;
      thread.task = undefined;
      task?.answered(message);
      this.#idle();
    });
    worker.on('error', (error: unknown) => {
      cause = error;
    });
    worker.on('exit', () => {
      const { task } = thread;
      thread.worker = undefined;
      thread.task = undefined;
      if (!this.#closed) this.#deaths += 1;
      task?.died(cause);
      this.#idle();
    });
    return worker;
  }
}

const isNotice = (message: { readonly kind: string }): message is WorkerNotice => message.kind === 'notice';

/** The compiled `name.js` of the sources. */
export function workerUrlOf(name: string): URL {
  return new URL(`../../${name}.js`, import.meta.url);
}
