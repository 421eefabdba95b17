import type { Command } from 'commander';
import type { Verification } from '../kernel/verification.js';
import { CommandFailed } from './command-failed.js';
import { printVerification } from './print-verification.js';
import { readJsonFile } from './read-json-file.js';
import { printJson, type Terminal } from './terminal.js';

interface VerifyOptions {
  readonly verifierKey?: string;
  readonly json?: true;
}

export interface VerifyCommand {
  readonly description: string;
  /** What the file is. */
  readonly file: string;
  readonly examples: readonly string[];
  /** Loads what it needs when it runs. */
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
    .option('--verifier-key <key>', 'The organization’s verifier key (C2SP) as you know it from elsewhere.')
    .option('--json', 'Print the checks as JSON.')
    .addHelpText(
      'after',
      `
Exit code 0 means that every check passed. What a file alone cannot show is listed with the result.

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
