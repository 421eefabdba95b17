import type { Command } from 'commander';
import { CommandFailed } from '../command-failed.js';
import type { Product } from '../product.js';
import type { Terminal } from '../terminal.js';

export function addServeCommand(program: Command, _terminal: Terminal, product: Product): void {
  program
    .command('serve')
    .description('Run the gateway until SIGTERM or SIGINT.')
    .addHelpText(
      'after',
      `
Without configuration the gateway runs with an embedded database and a local Solana ledger, both stored in .lucarne.

Examples:
  lucarne serve
  LUCARNE_PORT=8080 lucarne serve
  DATABASE_URL=postgres://… SOLANA_RPC_URL=https://… LUCARNE_MASTER_KEY_FILE=key lucarne serve`,
    )
    .action(async () => {
      const exitCode = await product.serve();
      if (exitCode !== 0) throw new CommandFailed('', 1);
    });
}
