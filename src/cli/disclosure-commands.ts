import type { Command } from 'commander';
import { CommandFailed } from './command-failed.js';
import { printVerification } from './print-verification.js';
import { readJsonFile } from './read-json-file.js';
import { printJson, type Terminal } from './terminal.js';

interface VerifyOptions {
  readonly verifierKey?: string;
  readonly json?: true;
}

export function addDisclosureCommands(program: Command, terminal: Terminal): void {
  const group = program.command('disclosure').description('Check disclosures.').helpCommand(false);
  group
    .command('verify')
    .description('Check a disclosure offline: its receipt, its content and the proof of every amount.')
    .argument('<file>', 'The answer of GET /v1/disclosures/{id}, or of GraphQL, as JSON.')
    .option('--verifier-key <key>', 'The organization’s verifier key (C2SP) as you know it from elsewhere.')
    .option('--json', 'Print the checks as JSON.')
    .addHelpText(
      'after',
      `
Exit code 0 means that every check passed. What a file alone cannot show is listed with the result.

Examples:
  lucarne disclosure verify .lucarne/demo-disclosure.json
  lucarne disclosure verify disclosure.json --verifier-key "lucarne/org_…+1a2b3c4d+AQ…" --json`,
    )
    .action((file: string, options: VerifyOptions) => verify(file, options, terminal));
}

async function verify(file: string, options: VerifyOptions, terminal: Terminal): Promise<void> {
  const disclosure = await readJsonFile(file);
  const { verifyDisclosureFile } = await import('../disclosures/index.js');
  const { verifierKey } = options;
  const verification = verifyDisclosureFile(disclosure, verifierKey === undefined ? {} : { verifierKey });
  if (options.json) printJson(terminal, verification);
  else printVerification(verification, terminal);
  if (!verification.valid) throw new CommandFailed(`${file} does not verify.`);
}
