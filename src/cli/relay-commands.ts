import type { Command } from 'commander';
import { CommandFailed } from './command-failed.js';
import { printVerification } from './print-verification.js';
import { readJsonFile } from './read-json-file.js';
import { printJson, type Terminal } from './terminal.js';

interface VerifyOptions {
  readonly verifierKey?: string;
  readonly json?: true;
}

export function addRelayCommands(program: Command, terminal: Terminal): void {
  const group = program.command('relay').description('Check relays.').helpCommand(false);
  group
    .command('verify')
    .description('Check the receipt of a relay offline: its signature, and that it is of a package.')
    .argument('<file>', 'JSON: { "receipt", "package" }, or the receipt alone, as GraphQL answers it.')
    .option('--verifier-key <key>', 'The organization’s verifier key (C2SP) as you know it from elsewhere.')
    .option('--json', 'Print the checks as JSON.')
    .addHelpText(
      'after',
      `
Exit code 0 means that every check passed. What a file alone cannot show is listed with the result.

Examples:
  lucarne relay verify .lucarne/demo-relay.json
  lucarne relay verify receipt.json --verifier-key "lucarne/org_…+1a2b3c4d+AQ…" --json`,
    )
    .action((file: string, options: VerifyOptions) => verify(file, options, terminal));
}

async function verify(file: string, options: VerifyOptions, terminal: Terminal): Promise<void> {
  const given = await readJsonFile(file);
  const { verifyRelayReceipt } = await import('../relays/index.js');
  const { verifierKey } = options;
  const verification = verifyRelayReceipt(given, verifierKey === undefined ? {} : { verifierKey });
  if (options.json) printJson(terminal, verification);
  else printVerification(verification, terminal);
  if (!verification.valid) throw new CommandFailed(`${file} does not verify.`);
}
