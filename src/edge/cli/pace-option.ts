import { InvalidArgumentError, Option } from 'commander';
import type { Database } from '../../platform/database/index.js';

/** The percentage of its time for which a command that works on whole tables works. No gateway runs next to the embedded database. */
const PACE_PERCENT = { postgresql: 25, pglite: 100 } as const;

export const paceOption = () =>
  new Option(
    '--pace <percent>',
    `Percentage of the time in which the command works; it rests in between, so that it does not slow gateways. The default is ${PACE_PERCENT.postgresql}, and ${PACE_PERCENT.pglite} on the embedded database, which has no gateway meanwhile.`,
  ).argParser(percentOf);

/** The share of its time for which the command works. */
export const shareOf = (pace: number | undefined, { engine }: Pick<Database, 'engine'>): number =>
  (pace ?? PACE_PERCENT[engine]) / 100;

function percentOf(text: string): number {
  const percent = Number(text);
  if (!/^\d{1,3}$/.test(text) || percent < 1 || percent > 100)
    throw new InvalidArgumentError('It must be a whole number from 1 to 100.');
  return percent;
}
