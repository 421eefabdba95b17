import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import type { LogVerification, VerifyLogOptions } from '../../../domain/activity-log/index.js';
import { systemClock } from '../../../platform/kernel/clock.js';
import { CommandFailed } from '../command-failed.js';
import { ORGANIZATION_OPTION, parseOrganization } from '../organization-option.js';
import { printVerification } from '../print-verification.js';
import type { Product } from '../product.js';
import { parseJson, reading, readText } from '../read-file.js';
import { print, printJson, type Terminal } from '../terminal.js';

/** Bytes of a file that are read at a time. */
const PIECE_BYTES = 1_048_576;

/** Reading a file of this size takes more than a second. Above it, worker threads save more time than they take to start. */
const MIN_THREADED_BYTES = 268_435_456;

interface VerifyOptions {
  readonly key?: string;
  readonly since?: string;
  readonly complete?: true;
  readonly json?: true;
}

interface ResumeOptions {
  readonly organization: string;
  readonly reason: string;
  readonly json?: true;
}

interface EraseOptions {
  readonly organization: string;
  readonly user: string;
  readonly json?: true;
}

export function addLogCommands(program: Command, terminal: Terminal, product: Product): void {
  const group = program
    .command('log')
    .description('Verify activity logs, erase personal values from them, and continue them after a restore.')
    .helpCommand(false);
  group
    .command('verify')
    .description('Verify an exported activity log offline: every entry, value and proof, and the signature.')
    .argument('<file>', 'The export, as JSON.')
    .option(
      '--key <key>',
      'A current or earlier verifier key of the log (C2SP), obtained from another source.',
    )
    .option(
      '--since <checkpoint file>',
      'A checkpoint you saved earlier. The log must be a continuation of it.',
    )
    .option('--complete', 'Fail if the file lacks any entry that the checkpoint covers.')
    .option('--json', 'Print the checks as JSON.')
    .addHelpText(
      'after',
      `
The exit code is 0 if every check passed. The result also lists what a file alone cannot prove.

Examples:
  lucarne log verify log.json
  lucarne log verify log.json --key "lucarne.example/log/org_…+1a2b3c4d+AQ…" --since checkpoint.txt --complete`,
    )
    .action((file: string, options: VerifyOptions) => verify(file, options, terminal));
  group
    .command('resume')
    .description(
      'Continue the log of a restored database: a new key declares the old key compromised for everything after the backup.',
    )
    .requiredOption(...ORGANIZATION_OPTION)
    .requiredOption('--reason <text>', 'The reason, 1 to 2000 characters. It is recorded in the log.')
    .option('--json', 'Print the new key’s epoch and the index as JSON.')
    .addHelpText(
      'after',
      `
Run it before a gateway starts on the restored database. See “After a restore” in docs/operate.md.

Examples:
  lucarne log resume --organization org_… --reason "Restored from the backup of 2026-11-22"`,
    )
    .action((options: ResumeOptions) => resume(options, terminal, product));
  group
    .command('erase')
    .description(
      'Erase a former member’s names and addresses from the activity log. Every proof stays valid.',
    )
    .requiredOption(...ORGANIZATION_OPTION)
    .requiredOption('--user <id>', 'Id of the user (usr_…). The membership must have ended.')
    .option('--json', 'Print what was erased as JSON.')
    .addHelpText('after', '\nExamples:\n  lucarne log erase --organization org_… --user usr_…')
    .action((options: EraseOptions) => erase(options, terminal, product));
}

async function resume(options: ResumeOptions, terminal: Terminal, product: Product): Promise<void> {
  const organizationId = parseOrganization(options.organization);
  const { resumeRestoredLog, signLogIn } = await import('../../../domain/activity-log/index.js');
  const { operatorOf, requireOperatorOr } = await import('../../../domain/access/index.js');
  const { parseReason } = await import('../../../platform/kernel/text.js');
  const reason = parseReason(options.reason);
  const instead = 'Stop the gateway first: until then it signs with the old key.';
  const { actor } = requireOperatorOr(operatorOf(organizationId), 'policies:manage');
  const at = systemClock.now();
  const resumed = await product.withFoundation({ instead }, (foundation) =>
    signLogIn(foundation, organizationId, true, (transaction, signing) =>
      resumeRestoredLog(transaction, signing, { organizationId, actor, reason, at }),
    ),
  );
  if (options.json) printJson(terminal, resumed);
  else
    print(
      terminal,
      `The log continues at index ${resumed.fromIndex} with signing key ${resumed.epoch}. What earlier keys signed from ` +
        'there on is disowned. Publish the new verifier key, and tell those who keep checkpoints.',
    );
}

async function verify(file: string, options: VerifyOptions, terminal: Terminal): Promise<void> {
  const since = options.since === undefined ? undefined : await readText(options.since);
  const verification = await verifyFile(file, {
    ...(options.key === undefined ? {} : { verifierKey: options.key }),
    ...(since === undefined ? {} : { since }),
    complete: options.complete ?? false,
  });
  if (options.json) printJson(terminal, verification);
  else printVerification(verification, terminal);
  if (!verification.valid) throw new CommandFailed(`${file} does not verify.`);
}

/** Verifies the file while reading it. A file that is not laid out like an export is parsed as a whole instead. */
async function verifyFile(file: string, options: VerifyLogOptions): Promise<LogVerification> {
  const { verifyExportedLog, verifyLogFile } = await import('../../../domain/activity-log/index.js');
  // A pipe can be read only once.
  const stats = await reading(file, stat(file));
  const whole = stats.isFile() ? undefined : await reading(file, readFile(file));
  const pieces = whole ? [whole] : createReadStream(file, { highWaterMark: PIECE_BYTES });
  const threads = !whole && stats.size >= MIN_THREADED_BYTES ? availableParallelism() : 0;
  const verification = await reading(file, verifyExportedLog(pieces, options, { threads }));
  if (verification) return verification;
  return verifyLogFile(parseJson(file, whole?.toString() ?? (await readText(file))), options);
}

async function erase(options: EraseOptions, terminal: Terminal, product: Product): Promise<void> {
  const organizationId = parseOrganization(options.organization);
  const { erasePersonalValues } = await import('../../../domain/organizations/index.js');
  const { operatorOf } = await import('../../../domain/access/index.js');
  const instead = 'Use the GraphQL mutation erasePersonalValues while the gateway runs.';
  const erased = await product.withFoundation({ instead }, (foundation) =>
    erasePersonalValues(foundation, operatorOf(organizationId), options.user),
  );
  if (options.json) printJson(terminal, erased);
  else print(terminal, `Erased ${erased.values} values from ${erased.entries} entries.`);
}
