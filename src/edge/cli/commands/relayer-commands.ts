import type { Command } from 'commander';
import type { Product, RelayerStatus } from '../product.js';
import { print, printJson, type Terminal } from '../terminal.js';

const ACCESS = { instead: 'Read lucarne_relayer_open_attempts at /metrics, or stop the gateway first.' };

export function addRelayerCommands(program: Command, terminal: Terminal, product: Product): void {
  const group = program
    .command('relayer')
    .description('Show the accounts that pay for relays.')
    .helpCommand(false);
  group
    .command('status')
    .description(
      'Show the balance of each account, how many of its attempts are open, and which keys can be removed.',
    )
    .option('--json', 'Print everything as JSON.')
    .addHelpText(
      'after',
      `
Accounts are those of LUCARNE_RELAYER_KEYPAIR_FILE, LUCARNE_RELAYER_KEY, LUCARNE_RELAYER_KEYCHAIN_FILE and
LUCARNE_RELAYER_RETIRING as they are set here, and those of open attempts that none of them names.

Examples:
  lucarne relayer status
  lucarne relayer status --json`,
    )
    .action(async ({ json }: { readonly json?: true }) => {
      const status = await product.relayerStatus(ACCESS);
      if (json) printJson(terminal, status);
      else for (const line of linesOf(status)) print(terminal, line);
    });
}

function linesOf({ payers, failures, reserveLamports }: RelayerStatus): string[] {
  if (payers.length + failures.length === 0) return ['No account pays for relays, and no attempt is open.'];
  const closed = failures.map((failure) => `A key cannot be opened. ${failure}`);
  const listed = payers.flatMap((payer) => {
    const { address, balanceLamports, contradicted, openAttempts, lastSignedAt } = payer;
    const balance = balanceLamports === null ? 'unknown' : `${balanceLamports} lamports`;
    const signed = lastSignedAt === null ? 'never' : lastSignedAt.toISOString();
    return [
      `${address}: ${sentenceOf(payer, reserveLamports)}`,
      `  Balance ${balance}. Open attempts ${openAttempts}. Last signed: ${signed}.`,
      ...contradicted.map(
        (provider) =>
          `  ${provider} reports a different balance than most providers, so its answer is ignored.`,
      ),
    ];
  });
  return [...closed, ...listed];
}

function sentenceOf(
  { state, balanceLamports, openAttempts }: RelayerStatus['payers'][number],
  reserveLamports: number,
): string {
  if (state === 'paying')
    return balanceLamports !== null && balanceLamports < reserveLamports
      ? 'pays only when no other account has its reserve. Fund it.'
      : 'pays.';
  if (openAttempts > 0) return `${state}. Leave its balance until no attempt is open.`;
  return `${state}. Remove its key if every process has restarted since it was retired.`;
}
