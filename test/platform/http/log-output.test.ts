import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '../../kit/eventually.js';
import { fc } from '../../kit/properties.js';
import { openLogOutput } from '../../../src/platform/http/log-output.js';

const refusal = (code: string) => Object.assign(new Error(code), { code });

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
          const output = openLogOutput(pipe);
          for (const line of lines) {
            output.write(line);
            await new Promise((resolve) => setImmediate(resolve));
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
    const output = openLogOutput({ ...pipe, maxWaitingBytes: 10 });
    for (let line = 0; line < 5; line += 1) output.write('some line\n');
    await new Promise((resolve) => setImmediate(resolve));
    expect(pipe.text()).toBe('some line\n'.repeat(5));
    expect(output.droppedLines).toBe(0);
  });

  it('writes nothing more when the reader has gone', async () => {
    let writes = 0;
    const output = openLogOutput({
      write() {
        writes += 1;
        throw refusal('EPIPE');
      },
    });
    for (let line = 0; line < 3; line += 1) {
      output.write('line\n');
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(writes).toBe(1);
    expect(output.droppedLines).toBe(0);
  });
});
