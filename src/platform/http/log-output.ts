import { writeSync } from 'node:fs';
import process from 'node:process';
import { levels, symbols, type DestinationStream } from 'pino';
import { Counter, type Registry } from 'prom-client';

export interface LogOutput extends DestinationStream {
  readonly [symbols.needsMetadataGsym]: true;
  /** The level of the line that is written next. pino sets it. */
  lastLevel: number;
  /** Lines that were not written since the start, because too many waited. */
  readonly droppedLines: number;
}

export interface LogOutputOptions {
  /** Called when everything that waited was written, with the number of lines that were dropped since the last call. */
  readonly recovered?: (droppedLines: number) => void;
  /** Writes as `fs.writeSync` does: how many bytes were written. */
  readonly write?: (bytes: Uint8Array) => number;
  readonly maxWaitingBytes?: number;
}

const STANDARD_OUTPUT = 1;
/** Seconds of the log of a busy gateway. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;
const TRY_AGAIN_MS = 50;
const GATHER_MS = 10;
const END_WITHIN_MS = 1_000;

/**
 * Standard output for a log. Lines wait for others for 10 ms, so that many requests cost one write. Those of level `warn` and above
 * are written at the end of their turn of the event loop, with all before them. When the process exits, everything is written; a
 * process that is killed loses what waits. Nothing waits for who reads the lines: what a pipe does not take is kept up to a limit and
 * tried again, and further lines are dropped and counted.
 */
export function openLogOutput({
  recovered,
  write = (bytes) => writeSync(STANDARD_OUTPUT, bytes),
  maxWaitingBytes = MAX_WAITING_BYTES,
}: LogOutputOptions = {}): LogOutput {
  let lines: string[] = [];
  /** What earlier turns left. */
  const waiting: Buffer[] = [];
  let waitingBytes = 0;
  let gathering: NodeJS.Timeout | undefined;
  let isScheduled = false;
  let isClosed = false;
  let droppedLines = 0;
  let reportedLines = 0;

  const hold = () => {
    if (lines.length === 0) return;
    const bytes = Buffer.from(lines.join(''));
    // What nothing waits before is tried, whatever its size: the pipe may be read.
    if (waitingBytes > 0 && waitingBytes + bytes.length > maxWaitingBytes) droppedLines += lines.length;
    else {
      waiting.push(bytes);
      waitingBytes += bytes.length;
    }
    lines = [];
  };
  /** @returns Whether nothing waits anymore. */
  const flush = (): boolean => {
    hold();
    while (waiting.length > 0) {
      const written = isClosed ? waiting[0]!.length : tryToWrite(waiting[0]!);
      if (written === undefined) return false;
      waitingBytes -= written;
      if (written === waiting[0]!.length) waiting.shift();
      else waiting[0] = waiting[0]!.subarray(written);
    }
    return true;
  };
  const tryToWrite = (bytes: Uint8Array): number | undefined => {
    try {
      return write(bytes);
    } catch (thrown) {
      // Nobody reads further output.
      if ((thrown as NodeJS.ErrnoException).code !== 'EPIPE') return undefined;
      isClosed = true;
      return bytes.length;
    }
  };
  const flushInTurn = () => {
    clearTimeout(gathering);
    gathering = undefined;
    isScheduled = !flush();
    if (isScheduled) {
      setTimeout(flushInTurn, TRY_AGAIN_MS).unref();
      return;
    }
    const dropped = droppedLines - reportedLines;
    reportedLines = droppedLines;
    if (dropped > 0) recovered?.(dropped);
  };
  process.on('exit', () => {
    const end = performance.now() + END_WITHIN_MS;
    while (!flush() && performance.now() < end) pause();
  });
  return {
    [symbols.needsMetadataGsym]: true,
    lastLevel: 0,
    write(line) {
      lines.push(line);
      if (isScheduled) return;
      if (this.lastLevel < levels.values['warn']!) {
        gathering ??= setTimeout(flushInTurn, GATHER_MS).unref();
        return;
      }
      isScheduled = true;
      setImmediate(flushInTurn);
    },
    get droppedLines() {
      return droppedLines;
    },
  };
}

const NEVER_CHANGED = new Int32Array(new SharedArrayBuffer(4));
/** The event loop has ended. */
const pause = () => void Atomics.wait(NEVER_CHANGED, 0, 0, 10);

export function createLogOutputMetrics(registry: Registry, output: LogOutput): void {
  new Counter({
    name: 'lucarne_log_lines_dropped_total',
    help: 'Log lines that were not written, because standard output was not read and too many waited.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(output.droppedLines);
    },
  });
}
