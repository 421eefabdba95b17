import 'reflect-metadata';
import process from 'node:process';
import type { Application } from './app.js';
import { ConfigurationError, readConfiguration, type Configuration } from './config.js';
import { messageOf } from './kernel/errors.js';
import { DataDirectoryInUse, stopSignal, WrongMasterKey } from './operations/index.js';

const STOP_DEADLINE = 15_000;

/** Runs until a signal asks it to stop. Resolves with the exit code. */
export async function serve(): Promise<number> {
  let configuration: Configuration;
  let application: Application;
  try {
    configuration = await readConfiguration();
    // Behind the configuration: what is wrong with it is told before a second of loading.
    const { startApplication } = await import('./app.js');
    application = await startApplication(configuration);
  } catch (thrown) {
    return reportFailedStart(thrown);
  }
  const stopped = stopSignal(process);
  try {
    const first = await Promise.race([application.initialized.then(() => 'ready' as const), stopped]);
    if (first === 'ready') await welcome(configuration, application);
  } catch (thrown) {
    await application[Symbol.asyncDispose]();
    return reportFailedStart(thrown);
  }
  await stopped;
  application.stopAccepting();
  const deadline = setTimeout(() => {
    process.stderr.write('The stop took longer than 15 s; ending now.\n');
    process.exit(1);
  }, STOP_DEADLINE);
  await application[Symbol.asyncDispose]();
  clearTimeout(deadline);
  return 0;
}

function demoLines(file: string | undefined): string[] {
  if (file === undefined) {
    return [
      'The demo organizations exist; the instance that made them holds their credentials in its demo.json.',
    ];
  }
  return [
    `Two demo organizations; their users, passwords and API keys are in ${file}`,
    '  Sign in    POST /auth/sign-in {email, password}, or the mutation signIn on the GraphQL page',
    '  Or send    Authorization: Bearer <apiKey>',
    '  Watch      npx lucarne demo, npx lucarne demo relay   (in a second terminal)',
  ];
}

const NO_ADDRESS_HERE = new Set(['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN']);

// Failures that a person can mend are told in a sentence; anything else with its stack.
function reportFailedStart(thrown: unknown): number {
  process.stderr.write(`${failureMessage(thrown)}\n`);
  return 1;
}

function failureMessage(thrown: unknown): string {
  const { code, port } = thrown as NodeJS.ErrnoException & { readonly port?: number };
  if (code === 'EADDRINUSE') {
    return `Port ${port} is taken by another program. Set LUCARNE_PORT to a free one; the embedded ledger takes the next.`;
  }
  if (code !== undefined && NO_ADDRESS_HERE.has(code))
    return 'LUCARNE_HOST names no address of this machine.';
  const expected =
    thrown instanceof ConfigurationError ||
    thrown instanceof DataDirectoryInUse ||
    thrown instanceof WrongMasterKey;
  if (expected) return messageOf(thrown);
  return `Lucarne cannot start: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`;
}

async function welcome(configuration: Configuration, application: Application): Promise<void> {
  const { url, ledger, foundation } = application;
  if (url === undefined) return;
  const lines = [
    '',
    `Lucarne serves ${url}`,
    `  GraphQL    ${url}/graphql${configuration.production ? '' : '   (open it in a browser)'}`,
    `  REST       ${url}/docs      (the reference of every route)`,
    // A provider's URL can hold its key.
    `  Ledger     ${ledger.local ? `${ledger.rpcUrl}         (embedded)` : new URL(ledger.rpcUrl).host}`,
  ];
  if (configuration.databaseUrl === undefined) {
    lines.push(
      '  Database   embedded: one process, not synced to disk on every commit; use DATABASE_URL for real data',
    );
  }
  if (configuration.demo && ledger.local) {
    const { rpcUrl, wsUrl } = ledger.local;
    const { address, pools } = application.relayer;
    const addresses = { baseUrl: url, ledger: { rpcUrl, wsUrl }, relayer: { address: address ?? '', pools } };
    const { dataDirectory } = configuration;
    const { createDemoOrganizations, readdressDemoFile, writeDemoFile } = await import('./localnet/index.js');
    await createDemoOrganizations(foundation, ({ first, other }) =>
      writeDemoFile(dataDirectory, { ...addresses, ...first, other }),
    );
    const file = await readdressDemoFile(dataDirectory, addresses);
    lines.push('', ...demoLines(file));
  }
  process.stdout.write(`${lines.join('\n')}\n\n`);
}
