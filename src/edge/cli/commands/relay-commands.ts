import type { Command } from 'commander';
import type { ShownRelay } from '../../../domain/relays/index.js';
import type { Product } from '../product.js';
import { print, printJson, type Terminal } from '../terminal.js';
import { addVerifyCommand } from './verify-command.js';

export function addRelayCommands(program: Command, terminal: Terminal, product: Product): void {
  const group = program.command('relay').description('Show and verify relays.').helpCommand(false);
  addVerifyCommand(group, terminal, {
    description: 'Verify the receipt of a relay offline: its signature and the package it belongs to.',
    file: 'JSON file: { "receipt", "package" }, or only the receipt, as GraphQL returns it.',
    examples: [
      'lucarne relay verify .lucarne/demo-relay.json',
      'lucarne relay verify receipt.json --verifier-key "lucarne/org_…+1a2b3c4d+AQ…" --json',
    ],
    async verify(file, options) {
      const { verifyRelayReceipt } = await import('../../../domain/relays/index.js');
      return verifyRelayReceipt(file, options);
    },
  });
  group
    .command('show')
    .description('Show what a relay request waits for, and what each provider said.')
    .argument('<id>', 'Id of the request (rly_…).')
    .option('--json', 'Print everything as JSON, with the evidence of every change.')
    .addHelpText(
      'after',
      `
Providers are named by host and position, never by their URL. The package and the signed bytes are not shown.

Examples:
  lucarne relay show rly_0123456789abcdefghjkmnpqrs
  lucarne relay show rly_0123456789abcdefghjkmnpqrs --json`,
    )
    .action((id: string, options: { readonly json?: true }) => show(id, options, terminal, product));
}

async function show(
  id: string,
  options: { readonly json?: true },
  terminal: Terminal,
  product: Product,
): Promise<void> {
  const { showRelay } = await import('../../../domain/relays/index.js');
  const instead = 'Read relayHistory of the running gateway, or stop the gateway first.';
  const relay = await product.withDatabase({ instead }, (database) => showRelay(database, id));
  if (options.json) printJson(terminal, relay);
  else for (const line of linesOf(relay)) print(terminal, line);
}

function linesOf(relay: ShownRelay): string[] {
  const { waitingFor, lastLook, nextLookAt, attempts, events } = relay;
  const reason = relay.reason === null ? '' : ` (${relay.reason})`;
  return [
    `${relay.id}: ${relay.status}${reason} since ${time(relay.updatedAt)}`,
    `Pool ${relay.poolSelector}, program ${relay.programId}. Accepted ${time(relay.createdAt)}.`,
    ...(waitingFor ? [`It waits for ${waitingFor.bound} [${waitingFor.wait}].`] : []),
    ...(nextLookAt ? [`The next check is due at ${time(nextLookAt)}.`] : []),
    ...(relay.failedLooks > 0 ? [`The last ${relay.failedLooks} checks learned nothing.`] : []),
    '',
    'Attempts:',
    ...(attempts.length === 0 ? ['  none signed'] : []),
    ...attempts.map(
      ({ number, signature, outcome, lastValidBlockHeight }) =>
        `  ${number}. ${signature}: ${outcome ?? 'not proven'}, can land up to block ${lastValidBlockHeight}`,
    ),
    '',
    'Changes:',
    ...events.map(
      ({ sequence, status, reason, createdAt }) =>
        `  ${sequence}. ${time(createdAt)} ${status}${reason === null ? '' : ` (${reason})`}`,
    ),
    ...(lastLook ? ['', `The last check, ${time(lastLook.at)}:`, ...evidenceLines(lastLook.evidence)] : []),
  ];
}

const time = (date: Date) => date.toISOString();

/** One line for each provider, and one for every other named answer. */
function evidenceLines(evidence: ShownRelay['events'][number]['evidence']): string[] {
  return Object.entries(evidence).flatMap(([name, value]) =>
    Array.isArray(value) && value.length > 0
      ? [`  ${name}:`, ...value.map((item) => `    ${JSON.stringify(item)}`)]
      : [`  ${name}: ${JSON.stringify(value)}`],
  );
}
