import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '../../kit/eventually.js';
import { fc } from '../../kit/properties.js';
import { createLogger } from '../../../src/platform/http/logger.js';
import { type LogOutput, openLogOutput } from '../../../src/platform/http/log-output.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));
const messageOfLine = (line: string) => (JSON.parse(line) as { readonly msg: string }).msg;

const refusal = (code: string) => Object.assign(new Error(code), { code });

/** Every line is a warning, which is written at the end of its turn. */
const urgent = (output: LogOutput) => Object.assign(output, { lastLevel: WARN });
const WARN = 40;

/** A pipe that takes as many bytes as the test says, one number for each write; 0 is a full pipe. */
function openPipe(takes: readonly number[] = []) {
  const left = [...takes];
  const written: Uint8Array[] = [];
  return {
    text: () => Buffer.concat(written).toString(),
    write(bytes: Uint8Array) {
      const taken = Math.min(bytes.length, left.shift() ?? bytes.length);
      if (taken === 0) throw refusal('EAGAIN');
      written.push(Uint8Array.from(bytes.subarray(0, taken)));
      return taken;
    },
  };
}

describe('the output of the log', () => {
  it('writes each byte once and in order, however a pipe takes them', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'binary', minLength: 1 }), { minLength: 1, maxLength: 20 }),
        fc.array(fc.nat({ max: 7 }), { maxLength: 6 }),
        async (lines, takes) => {
          const pipe = openPipe(takes);
          const output = urgent(openLogOutput(pipe));
          for (const line of lines) {
            output.write(line);
            await turn();
          }
          const expected = Buffer.from(lines.join('')).toString();
          await eventually(() => pipe.text().length >= expected.length);
          expect(pipe.text()).toBe(expected);
          expect(output.droppedLines).toBe(0);
        },
      ),
      { numRuns: 20 },
    ));

  it('drops and counts the lines that do not fit, and says so once the pipe is read again', async () => {
    let isFull = true;
    const pipe = openPipe();
    const reports: number[] = [];
    const output = openLogOutput({
      write: (bytes) => (isFull ? pipe.write(new Uint8Array()) : pipe.write(bytes)),
      recovered: (lines) => reports.push(lines),
      maxWaitingBytes: 10,
    });
    for (const line of ['first\n', 'second\n', 'third\n']) {
      output.write(line);
      await sleep(120);
    }
    expect(output.droppedLines).toBe(2);
    isFull = false;
    await eventually(() => reports.length > 0);
    expect(reports).toEqual([2]);
    expect(pipe.text()).toBe('first\n');
  });

  it('writes the lines of one turn however many they are', async () => {
    const pipe = openPipe();
    const output = urgent(openLogOutput({ ...pipe, maxWaitingBytes: 10 }));
    for (let line = 0; line < 5; line += 1) output.write('some line\n');
    await turn();
    expect(pipe.text()).toBe('some line\n'.repeat(5));
    expect(output.droppedLines).toBe(0);
  });

  describe('while other lines may come', () => {
    beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'performance'] }));
    afterEach(() => void jest.useRealTimers());

    it('gathers lines for 10 ms, and writes a warning with all before it at the end of its turn', async () => {
      const pipe = openPipe();
      const log = createLogger({ level: 'info', instanceId: 'one' }, openLogOutput(pipe));
      const messages = () => pipe.text().split('\n').filter(Boolean).map(messageOfLine);
      log.info('first');
      await turn();
      log.info('second');
      await turn();
      expect(messages()).toEqual([]);
      log.warn('third');
      await turn();
      expect(messages()).toEqual(['first', 'second', 'third']);
      log.info('fourth');
      jest.advanceTimersByTime(10);
      expect(messages().at(-1)).toBe('fourth');
    });
  });

  it('writes nothing more when the reader has gone', async () => {
    let writes = 0;
    const output = urgent(
      openLogOutput({
        write() {
          writes += 1;
          throw refusal('EPIPE');
        },
      }),
    );
    for (let line = 0; line < 3; line += 1) {
      output.write('line\n');
      await turn();
    }
    expect(writes).toBe(1);
    expect(output.droppedLines).toBe(0);
  });
});
