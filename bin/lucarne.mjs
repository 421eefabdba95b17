#!/usr/bin/env node
// The command's entry: hands over to the bundled Node where the system's own is older than 24, then runs the command.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';

const file = fileURLToPath(import.meta.url);
const root = path.resolve(path.dirname(file), '..');
const command = path.join(root, 'dist', 'src', 'app', 'main.js');
const bundledNode = path.join(root, 'node_modules', 'node', 'bin', 'node');

if (Number(process.versions.node.split('.')[0]) >= 24) await run();
else if (existsSync(bundledNode)) handOver();
else {
  console.error(
    `lucarne needs Node 24 or newer; this is ${process.version}. Run "npm ci", which installs it.`,
  );
  process.exitCode = 1;
}

async function run() {
  if (!existsSync(command)) {
    const builder = path.join(root, 'scripts', 'build.mjs');
    const { status } = spawnSync(process.execPath, [builder], { stdio: 'inherit' });
    if (status !== 0) process.exit(status ?? 1);
  }
  await import(pathToFileURL(command).href);
}

// The child does the work; a signal sent to this process alone, as a supervisor or `kill` does, must reach it.
function handOver() {
  const child = spawn(bundledNode, [file, ...process.argv.slice(2)], { stdio: 'inherit' });
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'];
  for (const signal of signals) process.on(signal, () => forward(child, signal));
  child.on('error', (error) => {
    console.error(`lucarne cannot start ${bundledNode}: ${error.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (os.constants.signals[signal] ?? 1)));
}

// A terminal sends Ctrl-C to both: forwarded as well, it would count as a second one, which ends without draining.
function forward(child, signal) {
  if (signal === 'SIGINT' && process.stdin.isTTY) return;
  child.kill(signal);
}
