import type { Command } from 'commander';
import type { Terminal } from './terminal.js';
import { addVerifyCommand } from './verify-command.js';

export function addRelayCommands(program: Command, terminal: Terminal): void {
  const group = program.command('relay').description('Check relays.').helpCommand(false);
  addVerifyCommand(group, terminal, {
    description: 'Check the receipt of a relay offline: its signature, and that it is of a package.',
    file: 'JSON: { "receipt", "package" }, or the receipt alone, as GraphQL answers it.',
    examples: [
      'lucarne relay verify .lucarne/demo-relay.json',
      'lucarne relay verify receipt.json --verifier-key "lucarne/org_…+1a2b3c4d+AQ…" --json',
    ],
    async verify(file, options) {
      const { verifyRelayReceipt } = await import('../relays/index.js');
      return verifyRelayReceipt(file, options);
    },
  });
}
