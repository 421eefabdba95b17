import type { Command } from 'commander';
import type { KnownKeys, Verification } from '../../../platform/kernel/verification.js';
import { CommandFailed } from '../command-failed.js';
import { printVerification } from '../print-verification.js';
import { readJsonFile } from '../read-file.js';
import { printJson, type Terminal } from '../terminal.js';

interface VerifyOptions {
  readonly verifierKey?: string;
  readonly keys?: string;
  readonly json?: true;
}

/** The known keys of the organization. */
interface Known {
  readonly verifierKey?: string;
  readonly keys?: KnownKeys;
}

interface VerifyCommand {
  readonly description: string;
  /** Describes the file. */
  readonly file: string;
  readonly examples: readonly string[];
  /** Whether the file has no signature, so that only its content is verified. */
  readonly isUnsigned?: boolean;
  /** Loads its modules when it is called. */
  readonly verify: (file: unknown, options: Known) => Promise<Verification>;
}

const ABOUT_KEYS = ` With --keys, --verifier-key may
be any key that the organization had: the key changes lead from it to the key that signed.`;

/** The command `verify` of a group: checks a file offline. */
export function addVerifyCommand(
  group: Command,
  terminal: Terminal,
  { description, file, examples, isUnsigned = false, verify }: VerifyCommand,
): void {
  const command = group.command('verify').description(description).argument('<file>', file);
  if (!isUnsigned)
    command
      .option('--verifier-key <key>', 'The organization’s verifier key (C2SP), obtained from another source.')
      .option(
        '--keys <file>',
        'The keys of the organization: an export of its activity log, or its logCheckpoint with keyChanges.',
      );
  command
    .option('--json', 'Print the checks as JSON.')
    .addHelpText(
      'after',
      `
The exit code is 0 if every check passed. The result also lists what a file alone cannot prove.${isUnsigned ? '' : ABOUT_KEYS}

Examples:
${examples.map((example) => `  ${example}`).join('\n')}`,
    )
    .action(async (name: string, options: VerifyOptions) => {
      const verification = await verify(await readJsonFile(name), await known(options));
      if (options.json) printJson(terminal, verification);
      else printVerification(verification, terminal);
      if (!verification.valid) throw new CommandFailed(`${name} does not verify.`);
    });
}

async function known({ verifierKey, keys }: VerifyOptions): Promise<Known> {
  const expected = verifierKey === undefined ? {} : { verifierKey };
  if (keys === undefined) return expected;
  const { receiptKeys } = await import('../../../domain/activity-log/index.js');
  return { ...expected, keys: receiptKeys(await readJsonFile(keys), verifierKey) };
}
