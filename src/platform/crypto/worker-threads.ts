import { Worker } from 'node:worker_threads';

/** A task for a thread, with callbacks for its result. */
export interface ThreadTask<Request, Reply> {
  /** Created when the thread exists. `transfer` is moved to the thread, not copied. */
  readonly message: () => { readonly request: Request; readonly transfer: ArrayBuffer[] };
  readonly answered: (reply: Reply) => void;
  /** Called if the thread ended before it answered. */
  readonly died: (cause: unknown) => void;
}

/** A problem, as a sentence for the log. A thread may send it at any time. */
export interface WorkerNotice {
  readonly kind: 'notice';
  readonly message: string;
}

export interface WorkerThreadsOptions {
  /** Maximum number of threads. Each is started when there is work for it. */
  readonly workers: number;
  /** Compiled code that answers each message with one message. */
  readonly workerUrl: URL;
  /** The `workerData` of each thread. */
  readonly settings?: object;
  readonly notice?: ((message: string) => void) | undefined;
  /** Called when a thread has no task anymore. */
  readonly idle: () => void;
}

interface Thread<Request, Reply> {
  worker: Worker | undefined;
  task: ThreadTask<Request, Reply> | undefined;
}

/** Threads that run one task each at a time. The owner queues waiting tasks. */
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

  /** Number of threads that are alive. */
  get alive(): number {
    return this.#threads.filter(({ worker }) => worker !== undefined).length;
  }

  /** Number of threads that are working. */
  get busy(): number {
    return this.#threads.filter(({ task }) => task !== undefined).length;
  }

  /** Number of threads that can get a task, started or not. */
  get free(): number {
    return this.#closed ? 0 : this.#threads.length - this.busy;
  }

  /** Number of threads that ended unexpectedly since the start. */
  get deaths(): number {
    return this.#deaths;
  }

  /** Gives the task to a free thread, preferably one that is started. */
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

  /** Ends every thread. Their tasks are not answered. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#threads.map(async ({ worker }) => worker?.terminate()));
  }

  #give(thread: Thread<Request, Reply>, task: ThreadTask<Request, Reply>): void {
    // If no thread can be started, this one stays free.
    const worker = (thread.worker ??= this.#start(thread));
    thread.task = task;
    const { request, transfer } = task.message();
    worker.postMessage(request, transfer);
  }

  /**
   * A thread that ends is replaced only when there is work for it, so that one that cannot start does not cause a busy loop.
   */
  #start(thread: Thread<Request, Reply>): Worker {
    // An empty environment: the process's environment contains secrets that arithmetic does not need.
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

/** The URL of the compiled `name.js` of a source file. */
export function workerUrlOf(name: string): URL {
  return new URL(`../../${name}.js`, import.meta.url);
}
