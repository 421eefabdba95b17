import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Argument, type Command } from 'commander';
import { readConfiguration } from '../config.js';
import { unreachable } from '../kernel/unreachable.js';
import type { DemoEvent, DemoFailed, DemoFile, DemoOutcome, RelayOutcome } from '../localnet/index.js';
import { CommandFailed } from './command-failed.js';
import { print, styled, type Terminal } from './terminal.js';

interface DemoOptions {
  readonly file?: string;
  readonly json?: true;
}

export function addDemoCommand(program: Command, terminal: Terminal): void {
  program
    .command('demo')
    .description(
      'Tell the life of a confidential asset, or of a relay, against a running gateway, and check every claim.',
    )
    .addArgument(new Argument('[story]', 'Which of them.').choices(['asset', 'relay']).default('asset'))
    .option('--file <file>', 'The demo.json of the gateway; in LUCARNE_DATA_DIR (.lucarne) when left out.')
    .option('--json', 'Print the steps as JSON lines.')
    .addHelpText(
      'after',
      `
asset: registers an asset, deploys its mint, makes confidential transfers, binds the mint, waits until all is indexed,
requests a disclosure, authorizes it as the owner, and verifies every amount. The disclosure is kept in
demo-disclosure.json beside demo.json.

relay: submits a package of the local test pool, follows its status live to the end, finds its transaction and its
nullifiers on the ledger, submits it again, contradicts it, tries a wrong proof, and verifies the receipt. Package and
receipt are kept in demo-relay.json. The proofs are simulated with the public trapdoor of the test pool's key: they verify,
and prove nothing.

Exit code 1 when anything does not match.

Examples:
  lucarne demo
  lucarne demo relay
  lucarne demo --file /srv/lucarne/demo.json --json`,
    )
    .action((story: 'asset' | 'relay', options: DemoOptions) =>
      story === 'asset' ? runDemo(options, terminal) : runRelayDemo(options, terminal),
    );
}

async function runDemo(options: DemoOptions, terminal: Terminal): Promise<void> {
  const { demo, file, tell, localnet } = await openDemo(options, terminal);
  if (!options.json)
    introduce('A confidential asset, from registration to a verified disclosure', demo, terminal);
  const outcome = await told(localnet.DemoFailed, localnet.tellDemoStory({ demo, tell }));
  const { disclosure, ...summary } = outcome;
  const kept = await keep(file, 'demo-disclosure.json', disclosure);
  if (options.json) print(terminal, JSON.stringify({ event: 'summary', ...summary, file: kept }));
  else conclude(outcome, path.relative(process.cwd(), kept), terminal);
}

async function runRelayDemo(options: DemoOptions, terminal: Terminal): Promise<void> {
  const { demo, file, tell, localnet } = await openDemo(options, terminal);
  if (!options.json) introduce('A relay, from a package to a finalized transaction', demo, terminal);
  const outcome = await told(localnet.DemoFailed, localnet.tellRelayStory({ demo, tell }));
  const { package: prepared, receipt, ...summary } = outcome;
  const { relayRequestId } = outcome;
  const kept = await keep(file, 'demo-relay.json', { relayRequestId, package: prepared, receipt });
  if (options.json) print(terminal, JSON.stringify({ event: 'summary', ...summary, file: kept }));
  else concludeRelay(outcome, path.relative(process.cwd(), kept), terminal);
}

async function openDemo(options: DemoOptions, terminal: Terminal) {
  const file = options.file ?? path.join((await readConfiguration()).dataDirectory, 'demo.json');
  const localnet = await import('../localnet/index.js');
  const demo = await readDemoFile(file, localnet.parseDemoFile);
  const tell = options.json ? (event: object) => print(terminal, JSON.stringify(event)) : narrator(terminal);
  return { demo, file, tell, localnet };
}

async function told<Outcome>(Failure: typeof DemoFailed, story: Promise<Outcome>): Promise<Outcome> {
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
    throw new CommandFailed(
      `${file} is not there. A gateway on the embedded default writes it at its first start: npm start`,
      1,
      { cause },
    );
  }
  const demo = parse(parseJson(text));
  if (!demo) throw new CommandFailed(`${file} is not the demo.json of a gateway.`);
  return demo;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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
        print(terminal, styled(terminal, 'dim', `       ${Math.round(event.milliseconds)} ms`));
        return;
      default:
        unreachable(event);
    }
  };
}

function conclude(outcome: DemoOutcome, kept: string, terminal: Terminal): void {
  const seconds = (outcome.milliseconds / 1000).toFixed(1);
  print(terminal);
  print(
    terminal,
    styled(
      terminal,
      'green',
      `All of it holds: ${outcome.transfers} hidden amounts disclosed and proven, in ${seconds} s.`,
    ),
  );
  print(terminal, `  asset       ${outcome.assetId}`);
  print(terminal, `  mint        ${outcome.mintAddress}`);
  print(terminal, `  disclosure  ${outcome.disclosureId}   receipt ${outcome.receiptId}`);
  print(terminal);
  print(terminal, `Verify it yourself:  npx lucarne disclosure verify ${kept}`);
}

function concludeRelay(outcome: RelayOutcome, kept: string, terminal: Terminal): void {
  const seconds = (outcome.milliseconds / 1000).toFixed(1);
  print(terminal);
  print(
    terminal,
    styled(terminal, 'green', `All of it holds: one package, one transaction, in ${seconds} s.`),
  );
  print(terminal, `  request      ${outcome.relayRequestId}`);
  print(terminal, `  transaction  ${outcome.transactionHash}`);
  print(terminal);
  print(terminal, `Verify its receipt yourself:  npx lucarne relay verify ${kept}`);
}
