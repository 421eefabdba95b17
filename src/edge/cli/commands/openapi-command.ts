import type { Command } from 'commander';
import type { Terminal } from '../terminal.js';

export function addOpenApiCommand(program: Command, terminal: Terminal): void {
  program
    .command('openapi')
    .description('Print the OpenAPI 3.1 document of all REST routes, as JSON.')
    .addHelpText('after', '\nExamples:\n  lucarne openapi > openapi.json')
    .action(async () => {
      const { printOpenApi } = await import('../../rest/index.js');
      terminal.output.write(printOpenApi());
    });
}
