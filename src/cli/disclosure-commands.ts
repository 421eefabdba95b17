import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { DisclosureVerification } from '../disclosures/index.js';
import { messageOf } from '../kernel/errors.js';
import { parseUnambiguousJson } from '../kernel/json.js';
import { CommandFailed } from './command-failed.js';
import { print, printJson, styled, type Terminal } from './terminal.js';

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
  const disclosure = await readJson(file);
  const { verifyDisclosureFile } = await import('../disclosures/index.js');
  const { verifierKey } = options;
  const verification = verifyDisclosureFile(disclosure, verifierKey === undefined ? {} : { verifierKey });
  if (options.json) printJson(terminal, verification);
  else printVerification(verification, terminal);
  if (!verification.valid) throw new CommandFailed(`${file} does not verify.`);
}

function printVerification({ valid, checks, unverified }: DisclosureVerification, terminal: Terminal): void {
  for (const { name, passed, detail } of checks) {
    const mark = passed ? styled(terminal, 'green', 'pass') : styled(terminal, 'red', 'FAIL');
    print(terminal, `${mark}  ${name.replaceAll('_', ' ').padEnd(18)}${detail}`);
  }
  if (!valid) return;
  print(terminal);
  print(terminal, 'A file alone cannot show:');
  for (const limit of unverified) print(terminal, `  - ${limit}`);
}

async function readJson(file: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (thrown) {
    throw new CommandFailed(`${file} cannot be read: ${messageOf(thrown)}`, 2, { cause: thrown });
  }
  try {
    return parseUnambiguousJson(text);
  } catch (thrown) {
    throw new CommandFailed(`${file} is not JSON: ${messageOf(thrown)}`, 1, { cause: thrown });
  }
}
