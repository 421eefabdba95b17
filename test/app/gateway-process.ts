import { spawn, type ChildProcess } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { findTemplate } from '../kit/database/template.js';

export const ROOT = path.resolve(import.meta.dirname, '../..');
const COMMAND = path.join(ROOT, 'bin', 'lucarne.mjs');

export type Environment = Readonly<Record<string, string>>;

export interface Ended {
  readonly exitCode: number | null;
  readonly output: string;
  readonly errors: string;
}

/** A directory that is removed when the test ends. */
export async function temporaryDirectory(): Promise<AsyncDisposable & { readonly path: string }> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'lucarne-cli-'));
  return {
    path: directory,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/**
 * A data directory whose embedded database is already there, with all tables, for a test that is not about a first start:
 * making the database takes most of the CPU time of such a start.
 */
export async function dataDirectory(): Promise<AsyncDisposable & { readonly path: string }> {
  const directory = await temporaryDirectory();
  const template = findTemplate('migrated');
  if (template !== undefined) await cp(template, path.join(directory.path, 'database'), { recursive: true });
  return directory;
}

/** The environment of this process without the variables that configure Lucarne. */
export function bareEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  return { PATH, HOME, NODE_COMPILE_CACHE };
}

/** Runs the command in a separate process, as a user does, with only the configuration of the test. */
export function start(
  parameters: readonly string[],
  environment: Environment,
  input = '',
  user: { readonly uid?: number } = {},
): RunningCommand {
  // Its life is too short for optimizing PGlite's WebAssembly to pay off.
  const child = spawn(process.execPath, ['--liftoff-only', COMMAND, ...parameters], {
    env: { ...bareEnvironment(), ...environment },
    stdio: 'pipe',
    ...user,
  });
  return new RunningCommand(child, input);
}

export function run(...command: Parameters<typeof start>): Promise<Ended> {
  return start(...command).ended;
}

/** Starts a gateway and waits until it reports that it listens. */
export async function startGateway(environment: Environment): Promise<RunningCommand & { url: string }> {
  const gateway = start(['serve'], {
    LUCARNE_PORT: '0',
    LUCARNE_LOG_LEVEL: 'info',
    LUCARNE_DEMO_DATA: '0',
    ...environment,
  });
  const [, url = ''] = await gateway.said(/"msg":"Lucarne serves (http[^"]+)"/);
  return Object.assign(gateway, { url });
}

export class RunningCommand implements AsyncDisposable {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  private output = '';
  private errors = '';

  constructor(child: ChildProcess, input: string) {
    this.child = child;
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.errors += text));
    child.stdin?.end(input);
    this.ended = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (exitCode) => resolve({ exitCode, output: this.output, errors: this.errors }));
    });
  }

  /** Waits for a text on standard output. If the command ends before, throws with its whole output. */
  async said(pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(this.output);
        if (match) resolve(match);
      };
      this.child.stdout?.on('data', look);
      look();
      void this.ended.then(({ exitCode, output, errors }) =>
        reject(new Error(`It ended with ${exitCode} and said:\n${output}${errors}`)),
      );
    });
  }

  async kill(signal: NodeJS.Signals): Promise<Ended> {
    this.child.kill(signal);
    return this.ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) await this.kill('SIGKILL');
  }
}
