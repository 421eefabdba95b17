import { type Command, InvalidArgumentError } from 'commander';
import { CommandFailed } from '../command-failed.js';
import type { Examined, Product } from '../product.js';
import { readText } from '../read-file.js';
import { print, printJson, styled, type Terminal } from '../terminal.js';

interface Options {
  readonly backup?: string;
  readonly maxBackupAge: number;
  readonly checkpoint: readonly string[];
  readonly json?: true;
}

/** A nightly backup, and two hours to make it. */
const DEFAULT_MAX_BACKUP_AGE_HOURS = 26;

export function addDoctorCommand(program: Command, terminal: Terminal, product: Product): void {
  program
    .command('doctor')
    .description(
      'Check whether a gateway with this configuration can serve. Prints one line for each check, and changes nothing.',
    )
    .option(
      '--backup <file>',
      'The newest backup, or a file that the backup job touches: its age is checked.',
    )
    .option(
      '--max-backup-age <hours>',
      'Maximum age of the newest backup, in hours.',
      parseHours,
      DEFAULT_MAX_BACKUP_AGE_HOURS,
    )
    .option(
      '--checkpoint <file...>',
      'Checkpoints that you keep elsewhere: the stored log must continue each of them.',
      [],
    )
    .option('--json', 'Print the checks as JSON.')
    .addHelpText(
      'after',
      `
The exit code is 1 if a check failed. A warning does not change it.

Examples:
  lucarne doctor
  lucarne doctor --backup /backups/lucarne.dump --checkpoint checkpoint.txt`,
    )
    .action(async ({ backup, maxBackupAge, checkpoint, json }: Options) => {
      const checkpoints = new Map<string, string>();
      for (const file of checkpoint) checkpoints.set(file, await readText(file));
      const checks = await product.examine({
        ...(backup === undefined ? {} : { backup }),
        maxBackupAgeHours: maxBackupAge,
        checkpoints,
      });
      const isHealthy = checks.every(({ result }) => result !== 'failed');
      if (json) printJson(terminal, { healthy: isHealthy, checks });
      else for (const examined of checks) printCheck(terminal, examined);
      if (!isHealthy) throw new CommandFailed('');
    });
}

const STYLES = { ok: 'green', warning: 'cyan', failed: 'red' } as const;

function printCheck(terminal: Terminal, { check, result, detail }: Examined): void {
  print(terminal, `${styled(terminal, STYLES[result], result.padEnd(8))} ${check.padEnd(14)} ${detail}`);
}

function parseHours(text: string): number {
  const hours = Number(text);
  if (!/^\d{1,6}$/.test(text) || hours === 0) throw new InvalidArgumentError('It must be a number of hours.');
  return hours;
}
