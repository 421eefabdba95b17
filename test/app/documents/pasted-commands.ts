import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { bareEnvironment, ROOT, RunningCommand, type Ended, type Environment } from '../gateway-process.js';

/** The `bash` blocks of a document, in order: all commands that readers should paste. */
export async function commandsOf(file: string): Promise<readonly string[]> {
  const text = await readFile(path.join(ROOT, file), 'utf8');
  const from = file === 'README.md' ? text.indexOf('\n## A tour\n') : 0;
  return [...text.slice(from).matchAll(/^```bash\n([^]*?)^```$/gm)].map(([, block = '']) => block);
}

/** The `sh` blocks of a section of a document, in order. They need more than a gateway, or take longer. */
export async function longCommandsOf(file: string, heading: string): Promise<readonly string[]> {
  const text = await readFile(path.join(ROOT, file), 'utf8');
  const [, section = ''] = text.split(`\n### ${heading}\n`);
  return [...section.split(/\n###? /)[0]!.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = '']) => block);
}

/** Runs blocks in one shell, as a reader pastes them. Stops at the first failure. */
export async function paste(
  blocks: readonly string[],
  environment: Environment,
  cwd = ROOT,
): Promise<{ readonly output: readonly string[]; readonly ended: Ended }> {
  const marker = '=== next block ===';
  const shell = spawn('bash', ['--norc', '-euo', 'pipefail', '-c', blocks.join(`\necho '${marker}'\n`)], {
    cwd,
    env: { ...bareEnvironment(), ...environment },
    stdio: 'pipe',
  });
  const ended = await new RunningCommand(shell, '').ended;
  return { output: ended.output.split(`${marker}\n`), ended };
}
