import { describe, expect, it } from '@jest/globals';
import { EventEmitter } from 'node:events';
import { stopSignal } from '../../../src/app/stop-signal.js';

/** A process that counts how it was ended, with a clock that the test controls. */
function signalled() {
  const exits: number[] = [];
  const process = Object.assign(new EventEmitter(), { exit: (code: number) => void exits.push(code) });
  const clock = { now: 0 };
  return { process, exits, clock, stopped: stopSignal(process, () => clock.now) };
}

describe('the signal to stop', () => {
  it.each(['SIGINT', 'SIGTERM'])('stops in order at the first %s', async (signal) => {
    const { process, exits, stopped } = signalled();
    process.emit(signal);
    await expect(stopped).resolves.toBe('stop');
    expect(exits).toEqual([]);
  });

  it('counts the Ctrl-C of a terminal and the copy that npm forwards as one signal', async () => {
    const { process, exits, clock, stopped } = signalled();
    process.emit('SIGINT');
    clock.now += 5;
    process.emit('SIGINT');
    await stopped;
    expect(exits).toEqual([]);
  });

  it('ends the gateway immediately when it is sent again', () => {
    const { process, exits, clock } = signalled();
    process.emit('SIGTERM');
    clock.now += 2_000;
    process.emit('SIGINT');
    expect(exits).toEqual([130]);
  });
});
