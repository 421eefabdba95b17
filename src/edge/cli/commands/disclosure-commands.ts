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

export function addAmountCommands(program: Command, terminal: Terminal): void {
  const group = program.command('amount').description('Verify single amounts.').helpCommand(false);
  addVerifyCommand(group, terminal, {
    isUnsigned: true,
    description: 'Verify one amount offline: it is the decryption of its ciphertext under the auditor key.',
    file: 'JSON file that the portal saves from the mark of an amount.',
    examples: ['lucarne amount verify amount.json'],
    async verify(file) {
      const { verifyAmountFile } = await import('../../../domain/disclosures/index.js');
      return verifyAmountFile(file);
    },
  });
}
