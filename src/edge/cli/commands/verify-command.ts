import type { Command } from 'commander';
import type { Verification } from '../../../platform/kernel/verification.js';
import { CommandFailed } from '../command-failed.js';
import { printVerification } from '../print-verification.js';
import { readJsonFile } from '../read-json-file.js';
import { printJson, type Terminal } from '../terminal.js';

interface VerifyOptions {
  readonly verifierKey?: string;
  readonly json?: true;
}

export interface VerifyCommand {
  readonly description: string;
  /** Describes the file. */
  readonly file: string;
  readonly examples: readonly string[];
  /** Loads its modules when it is called. */
  readonly verify: (file: unknown, options: { readonly verifierKey?: string }) => Promise<Verification>;
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
    .option('--json', 'Print the checks as JSON.')
    .addHelpText(
      'after',
      `
The exit code is 0 if every check passed. The result also lists what a file alone cannot prove.

Examples:
${examples.map((example) => `  ${example}`).join('\n')}`,
    )
    .action(async (name: string, options: VerifyOptions) => {
      const { verifierKey } = options;
      const verification = await verify(
        await readJsonFile(name),
        verifierKey === undefined ? {} : { verifierKey },
      );
      if (options.json) printJson(terminal, verification);
      else printVerification(verification, terminal);
      if (!verification.valid) throw new CommandFailed(`${name} does not verify.`);
    });
}
