import type { Command } from 'commander';
import type { Terminal } from '../terminal.js';
import { addVerifyCommand } from './verify-command.js';

export function addDisclosureCommands(program: Command, terminal: Terminal): void {
  const group = program.command('disclosure').description('Verify disclosures.').helpCommand(false);
  addVerifyCommand(group, terminal, {
    description: 'Verify a disclosure offline: its receipt, its content and the proof of every amount.',
    file: 'JSON file with the response of GET /v1/disclosures/{id} or of GraphQL.',
    examples: [
      'lucarne disclosure verify .lucarne/demo-disclosure.json',
      'lucarne disclosure verify disclosure.json --verifier-key "lucarne/org_…+1a2b3c4d+AQ…" --json',
    ],
    async verify(file, options) {
      const { verifyDisclosureFile } = await import('../../../domain/disclosures/index.js');
      return verifyDisclosureFile(file, options);
    },
  });
}
