import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Argument, type Command } from 'commander';
import { unreachable } from '../platform/kernel/unreachable.js';
import type { DemoEvent } from './storyteller.js';
import type { DemoFailed } from './gateway.js';
import type { DemoFile } from './organization.js';
import type { DemoOutcome } from './story.js';
import type { RelayOutcome } from './relay-story.js';
import { CommandFailed, print, styled, type Product, type Terminal } from '../edge/cli/index.js';
import { attempt } from '../platform/kernel/encoding/attempt.js';

/** Beside demo.json once the demo organization is filled. */
const FILLED = 'demo-data.json';

interface DemoOptions {
  readonly file?: string;
  readonly json?: true;
}

export function addDemoCommand(program: Command, terminal: Terminal, product: Product): void {
  program
    .command('demo')
    .description('Run a demo against a running gateway: a confidential asset, or a relay.')
    .addArgument(
      new Argument('[story]', 'Which demo to run.').choices(['asset', 'relay', 'data']).default('asset'),
    )
    .option('--file <file>', 'The demo.json of the gateway. Default: the one in LUCARNE_DATA_DIR (.lucarne).')
    .option('--json', 'Print the steps as JSON lines.')
    .addHelpText(
      'after',
      `
asset: registers an asset, deploys its mint, sends confidential transfers, binds the mint, waits for the indexer,
requests a disclosure, authorizes it as the owner, and verifies every amount. Saves the disclosure as
demo-disclosure.json next to demo.json.

relay: submits a package to the local test pool, follows its status over WebSocket, finds the transaction and its
nullifiers on the ledger, tries a repetition, a conflicting package and an invalid proof, and verifies the receipt.
Saves package and receipt as demo-relay.json. Proofs for the test pool are simulated: they are valid but prove nothing.

data: fills the demo organization with assets, cases, reports, disclosures and relays. The first start with the embedded
database does it by itself. If it is run again, it creates nothing twice.

The exit code is 1 if any check fails.

Examples:
  lucarne demo
  lucarne demo relay
  lucarne demo --file /srv/lucarne/demo.json --json`,
    )
    .action((story: keyof typeof RUN, options: DemoOptions) => RUN[story](options, terminal, product));
}

const RUN = { asset: runDemo, relay: runRelayDemo, data: runFill } as const;

async function runFill(options: DemoOptions, terminal: Terminal, product: Product): Promise<void> {
  const { demo, file, tell, story } = await openDemo(options, terminal, product);
  await reportFailure(story.DemoFailed, story.fillDemo({ demo, tell }));
  await keep(file, FILLED, { filledAt: new Date().toISOString() });
}

async function runDemo(options: DemoOptions, terminal: Terminal, product: Product): Promise<void> {
  const { demo, file, tell, story } = await openDemo(options, terminal, product);
  if (!options.json)
    introduce('A confidential asset, from registration to a verified disclosure', demo, terminal);
  const outcome = await reportFailure(story.DemoFailed, story.tellDemoStory({ demo, tell }));
  const { disclosure, ...summary } = outcome;
  const kept = await keep(file, 'demo-disclosure.json', disclosure);
  if (options.json) print(terminal, JSON.stringify({ event: 'summary', ...summary, file: kept }));
  else conclude(outcome, path.relative(process.cwd(), kept), terminal);
}

async function runRelayDemo(options: DemoOptions, terminal: Terminal, product: Product): Promise<void> {
  const { demo, file, tell, story } = await openDemo(options, terminal, product);
  if (!options.json) introduce('A relay, from a package to a finalized transaction', demo, terminal);
  const outcome = await reportFailure(story.DemoFailed, story.tellRelayStory({ demo, tell }));
  const { package: prepared, receipt, ...summary } = outcome;
  const { relayRequestId } = outcome;
  const kept = await keep(file, 'demo-relay.json', { relayRequestId, package: prepared, receipt });
  if (options.json) print(terminal, JSON.stringify({ event: 'summary', ...summary, file: kept }));
  else concludeRelay(outcome, path.relative(process.cwd(), kept), terminal);
}

async function openDemo(options: DemoOptions, terminal: Terminal, product: Product) {
  const file = options.file ?? path.join(await product.dataDirectory(), 'demo.json');
  const story = await import('./index.js');
  const demo = await readDemoFile(file, story.parseDemoFile);
  const tell = options.json ? (event: object) => print(terminal, JSON.stringify(event)) : narrator(terminal);
  return { demo, file, tell, story };
}

async function reportFailure<Outcome>(Failure: typeof DemoFailed, story: Promise<Outcome>): Promise<Outcome> {
  try {
    return await story;
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    throw new CommandFailed(thrown.message, 1, { cause: thrown });
  }
}

async function keep(demoFile: string, name: string, value: unknown): Promise<string> {
  const kept = path.join(path.dirname(demoFile), name);
  await writeFile(kept, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  return kept;
}

async function readDemoFile(
  file: string,
  parse: (value: unknown) => DemoFile | undefined,
): Promise<DemoFile> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const problem =
      code === 'ENOENT'
        ? `${file} does not exist. Start the gateway without configuration first: npm start`
        : `${file} cannot be read (${code ?? 'unknown'}). Read it as the user that runs the gateway.`;
    throw new CommandFailed(problem, 1, { cause });
  }
  const demo = parse(attempt(() => JSON.parse(text) as unknown));
  if (!demo) throw new CommandFailed(`${file} is not a valid demo.json.`);
  return demo;
}

function introduce(title: string, demo: DemoFile, terminal: Terminal): void {
  print(terminal, styled(terminal, 'bold', title));
  print(terminal, styled(terminal, 'dim', `gateway ${demo.baseUrl}   ledger ${demo.ledger.rpcUrl}`));
}

function narrator(terminal: Terminal): (event: DemoEvent) => void {
  return (event) => {
    switch (event.event) {
      case 'step':
        print(terminal);
        print(
          terminal,
          styled(terminal, 'bold', `${String(event.number).padStart(2)}/${event.of}  ${event.title}`),
        );
        return;
      case 'call':
        print(terminal, styled(terminal, 'cyan', `       ${event.call} → ${event.status}`));
        return;
      case 'detail':
        print(terminal, `       ${event.text}`);
        return;
      case 'done':
        print(terminal, styled(terminal, 'dim', `       ${Math.round(event.durationMs)} ms`));
        return;
      default:
        unreachable(event);
    }
  };
}

function conclude(outcome: DemoOutcome, kept: string, terminal: Terminal): void {
  const seconds = (outcome.durationMs / 1000).toFixed(1);
  print(terminal);
  print(
    terminal,
    styled(
      terminal,
      'green',
      `Every check passed: ${outcome.transfers} hidden amounts disclosed and proven in ${seconds} s.`,
    ),
  );
  print(terminal, `  asset       ${outcome.assetId}`);
  print(terminal, `  mint        ${outcome.mintAddress}`);
  print(terminal, `  disclosure  ${outcome.disclosureId}   receipt ${outcome.receiptId}`);
  print(terminal);
  print(terminal, `Verify the disclosure yourself:  npx lucarne disclosure verify ${kept}`);
}

function concludeRelay(outcome: RelayOutcome, kept: string, terminal: Terminal): void {
  const seconds = (outcome.durationMs / 1000).toFixed(1);
  print(terminal);
  print(
    terminal,
    styled(terminal, 'green', `Every check passed: one package, one transaction, in ${seconds} s.`),
  );
  print(terminal, `  request      ${outcome.relayRequestId}`);
  print(terminal, `  transaction  ${outcome.transactionHash}`);
  print(terminal);
  print(terminal, `Verify the receipt yourself:  npx lucarne relay verify ${kept}`);
}
