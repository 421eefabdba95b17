import { CommandFailed, type Examined } from '../../edge/cli/index.js';
import { messageOf } from '../../platform/kernel/errors.js';
import type { Configuration } from '../configuration/index.js';
import { startFailure } from '../start-failure.js';

/** A check that ended with an exception, in its sentence. */
export function failed(check: string, thrown: unknown, configuration?: Configuration): Examined {
  const sentence = thrown instanceof CommandFailed ? thrown.message : startFailure(thrown, configuration);
  return { check, result: 'failed', detail: sentence ?? messageOf(thrown) };
}
