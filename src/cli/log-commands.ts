import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import type { Command } from 'commander';
import type { LogVerification, VerifyLogOptions } from '../activity-log/index.js';
import { messageOf } from '../kernel/errors.js';
import { parseUnambiguousJson } from '../kernel/json.js';
import { CommandFailed } from './command-failed.js';
import { ORGANIZATION_OPTION, parseOrganization } from './organization-option.js';
import { printVerification } from './print-verification.js';
import { print, printJson, type Terminal } from './terminal.js';

/** What is read of a file at once. */
const PIECE_BYTES = 1_048_576;

interface VerifyOptions {
  readonly key?: string;
  readonly since?: string;
  readonly complete?: true;
  readonly json?: true;
}

interface EraseOptions {
  readonly organization: string;
  readonly user: string;
  readonly json?: true;
}

export function addLogCommands(program: Command, terminal: Terminal): void {
  const group = program
    .command('log')
    .description('Check activity logs, and erase persons from them.')
    .helpCommand(false);
  group
    .command('verify')
    .description('Check an export of the activity log offline: every entry, value, proof and the signature.')
    .argument('<file>', 'The export as JSON.')
    .option('--key <key>', 'The log’s verifier key (C2SP) as you know it from elsewhere.')
    .option('--since <checkpoint file>', 'A checkpoint that you kept: the log must continue it.')
    .option('--complete', 'Fail unless every entry that the checkpoint counts is in the file.')
    .option('--json', 'Print the checks as JSON.')
    .addHelpText(
      'after',
      `
Exit code 0 means that every check passed. What a file alone cannot show is listed with the result.

Examples:
  lucarne log verify log.json
  lucarne log verify log.json --key "lucarne.example/log/org_…+1a2b3c4d+AQ…" --since checkpoint.txt --complete`,
    )
    .action((file: string, options: VerifyOptions) => verify(file, options, terminal));
  group
    .command('erase')
    .description(
      'Erase a former member’s names and addresses from the activity log; every proof stays valid.',
    )
    .requiredOption(...ORGANIZATION_OPTION)
    .requiredOption('--user <id>', 'Id of the user (usr_…), whose membership has ended.')
    .option('--json', 'Print what was erased as JSON.')
    .addHelpText('after', '\nExamples:\n  lucarne log erase --organization org_… --user usr_…')
    .action((options: EraseOptions) => erase(options, terminal));
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

/** Reads the file as it is verified; parses it whole where it is laid out otherwise than exports are. */
async function verifyFile(file: string, options: VerifyLogOptions): Promise<LogVerification> {
  const { verifyExportedLog, verifyLogFile } = await import('../activity-log/index.js');
  // What is no file, such as a pipe, is read only once.
  const whole = (await reading(file, stat(file))).isFile() ? undefined : await reading(file, readFile(file));
  const pieces = whole ? [whole] : createReadStream(file, { highWaterMark: PIECE_BYTES });
  const verification = await reading(file, verifyExportedLog(pieces, options));
  if (verification) return verification;
  return verifyLogFile(parseJson(file, whole?.toString() ?? (await readText(file))), options);
}

async function erase(options: EraseOptions, terminal: Terminal): Promise<void> {
  const organizationId = parseOrganization(options.organization);
  const { withFoundation } = await import('./open-foundation.js');
  const { erasePersonalValues } = await import('../auditors-log/index.js');
  const { operatorOf } = await import('../organizations/index.js');
  const instead = 'Erase them there, with the GraphQL mutation erasePersonalValues.';
  const erased = await withFoundation({ instead }, (foundation) =>
    erasePersonalValues(foundation, operatorOf(organizationId), options.user),
  );
  if (options.json) printJson(terminal, erased);
  else print(terminal, `Erased ${erased.values} values from ${erased.entries} entries.`);
}

const readText = (file: string): Promise<string> => reading(file, readFile(file, 'utf8'));

async function reading<Value>(file: string, read: Promise<Value>): Promise<Value> {
  try {
    return await read;
  } catch (thrown) {
    throw new CommandFailed(`${file} cannot be read: ${messageOf(thrown)}`, 2, { cause: thrown });
  }
}

function parseJson(file: string, text: string): unknown {
  try {
    return parseUnambiguousJson(text);
  } catch (thrown) {
    throw new CommandFailed(`${file} is not JSON that everyone reads alike: ${messageOf(thrown)}`, 1, {
      cause: thrown,
    });
  }
}
