import type { Command } from 'commander';
import type { KnownKeys, Verification } from '../../../platform/kernel/verification.js';
import { CommandFailed } from '../command-failed.js';
import { printVerification } from '../print-verification.js';
import { readJsonFile } from '../read-json-file.js';
import { printJson, type Terminal } from '../terminal.js';

interface VerifyOptions {
  readonly verifierKey?: string;
  readonly keys?: string;
  readonly json?: true;
}

/** What is known of the keys of the organization. */
interface Known {
  readonly verifierKey?: string;
  readonly keys?: KnownKeys;
}

export interface VerifyCommand {
  readonly description: string;
  /** Describes the file. */
  readonly file: string;
  readonly examples: readonly string[];
  /** Loads its modules when it is called. */
  readonly verify: (file: unknown, options: Known) => Promise<Verification>;
}

/** The command `verify` of a group: checks a file that an organization signed, offline. */
export function addVerifyCommand(
  group: Command,
  terminal: Terminal,
  { description, file, examples, verify }: VerifyCommand,
): void {
  group
    .command('verify')
    .description(description)
    .argument('<file>', file)
    .option('--verifier-key <key>', 'The organization’s verifier key (C2SP), obtained from another source.')
    .option(
      '--keys <file>',
      'The keys of the organization: an export of its activity log, or its logCheckpoint with keyChanges.',
    )
    .option('--json', 'Print the checks as JSON.')
    .addHelpText(
      'after',
      `
The exit code is 0 if every check passed. The result also lists what a file alone cannot prove. With --keys, --verifier-key may
be any key that the organization had: the changes of keys lead from it to the one that signed.

Examples:
${examples.map((example) => `  ${example}`).join('\n')}`,
    )
    .action(async (name: string, options: VerifyOptions) => {
      report(name, await verify(await readJsonFile(name), await known(options)), options, terminal);
    });
}

/** The command `verify` of a group whose files nobody signed: they are checked by what they hold alone. */
export function addUnsignedVerifyCommand(
  group: Command,
  terminal: Terminal,
  { description, file, examples, verify }: VerifyCommand,
): void {
  group
    .command('verify')
    .description(description)
    .argument('<file>', file)
    .option('--json', 'Print the checks as JSON.')
    .addHelpText(
      'after',
      `
The exit code is 0 if every check passed. The result also lists what a file alone cannot prove.

Examples:
${examples.map((example) => `  ${example}`).join('\n')}`,
    )
    .action(async (name: string, options: Pick<VerifyOptions, 'json'>) => {
      report(name, await verify(await readJsonFile(name), {}), options, terminal);
    });
}

function report(
  name: string,
  verification: Verification,
  { json }: Pick<VerifyOptions, 'json'>,
  terminal: Terminal,
): void {
  if (json) printJson(terminal, verification);
  else printVerification(verification, terminal);
  if (!verification.valid) throw new CommandFailed(`${name} does not verify.`);
}

async function known({ verifierKey, keys }: VerifyOptions): Promise<Known> {
  const expected = verifierKey === undefined ? {} : { verifierKey };
  if (keys === undefined) return expected;
  const { receiptKeys } = await import('../../../domain/activity-log/index.js');
  return { ...expected, keys: receiptKeys(await readJsonFile(keys), verifierKey) };
}
