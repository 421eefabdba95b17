import { describe, expect, it } from '@jest/globals';
import { dataDirectory, startGateway } from '../gateway-process.js';

/** Their lines are more than a pipe holds. */
const REQUESTS = 2_000;

describe('a gateway whose log nobody reads', () => {
  it('answers, and writes the lines when they are read again', async () => {
    await using directory = await dataDirectory();
    await using gateway = await startGateway({ LUCARNE_DATA_DIR: directory.path, LUCARNE_DEMO: '0' });
    const ask = async (number: number) => (await fetch(`${gateway.url}/v1/nothing/${number}`)).status;
    gateway.child.stdout!.pause();
    for (let sent = 0; sent < REQUESTS; sent += 50) {
      const answers = await Promise.all(Array.from({ length: 50 }, (_, at) => ask(sent + at)));
      expect(new Set(answers)).toEqual(new Set([404]));
    }
    gateway.child.stdout!.resume();
    await gateway.said(/nothing\/1999/);
    const { output, exitCode } = await gateway.kill('SIGTERM');
    expect(exitCode).toBe(0);
    const written = [...output.matchAll(/"path":"\/v1\/nothing\/(\d+)"/g)].map(([, number]) =>
      Number(number),
    );
    expect(written.sort((one, other) => one - other)).toEqual(
      Array.from({ length: REQUESTS }, (_, at) => at),
    );
  });

  it('ends when it is told to', async () => {
    await using directory = await dataDirectory();
    await using gateway = await startGateway({ LUCARNE_DATA_DIR: directory.path, LUCARNE_DEMO: '0' });
    gateway.child.stdout!.pause();
    for (let sent = 0; sent < REQUESTS; sent += 50)
      await Promise.all(Array.from({ length: 50 }, () => fetch(`${gateway.url}/v1/nothing`)));
    gateway.child.kill('SIGTERM');
    const exitCode = await new Promise((resolve) => gateway.child.once('exit', resolve));
    expect(exitCode).toBe(0);
  });
});
