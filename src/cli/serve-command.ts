import type { Command } from 'commander';
import { CommandFailed } from './command-failed.js';

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('Run the gateway with the roles of LUCARNE_ROLES until SIGTERM or SIGINT.')
    .addHelpText(
      'after',
      `
Without configuration everything is embedded: the database and a local Solana ledger live in .lucarne.

Examples:
  lucarne serve
  LUCARNE_PORT=8080 lucarne serve
  DATABASE_URL=postgres://… SOLANA_RPC_URL=https://… LUCARNE_MASTER_KEY_FILE=key lucarne serve`,
    )
    .action(async () => {
      const { serve } = await import('../main.js');
      const exitCode = await serve();
      if (exitCode !== 0) throw new CommandFailed('', 1);
    });
}
