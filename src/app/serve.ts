import 'reflect-metadata';
import process from 'node:process';
import { acrossOrganizations } from '../platform/database/index.js';
import { pause } from '../platform/jobs/index.js';
import { originForPeople } from '../platform/kernel/hosts.js';
import { packageVersion } from '../platform/kernel/package.js';
import type { Application } from './application.js';
import { bannerLines, missing, type DemoShown } from './banner.js';
import { type Configuration, readConfiguration } from './configuration/index.js';
import { startFailure } from './start-failure.js';
import { fillDemoInBackground } from './demo-data.js';
import { stopSignal } from './stop-signal.js';

const STOP_DEADLINE_MS = 15_000;
const LAST_MS = 1_000;

/** Runs until a signal asks it to stop. Resolves with the exit code. */
export async function serve(): Promise<number> {
  let configuration: Configuration | undefined;
  let application: Application;
  try {
    configuration = await readConfiguration();
    // Loaded after the configuration, so that its errors are printed before a second of loading.
    const { startApplication } = await import('./application.js');
    application = await startApplication(configuration);
  } catch (thrown) {
    return reportFailedStart(thrown, configuration);
  }
  const stopped = stopSignal(process);
  let wasReady: boolean;
  let demoData: Disposable | undefined;
  try {
    const first = await Promise.race([application.initialized.then(() => 'ready' as const), stopped]);
    wasReady = first === 'ready';
    if (wasReady) demoData = await welcome(configuration, application);
  } catch (thrown) {
    await application[Symbol.asyncDispose]();
    return reportFailedStart(thrown, configuration);
  }
  await stopped;
  demoData?.[Symbol.dispose]();
  await stop(application, wasReady ? configuration.drainMs : 0);
  return 0;
}

/** First reports that it is not ready, and still answers until every proxy has noticed. Then closes the listener. */
async function stop(application: Application, drainMs: number): Promise<void> {
  application.stopAccepting();
  if (drainMs > 0) {
    application.foundation.log.info(
      { drainMs },
      'Stopping. /readyz reports not ready, and requests are answered until proxies notice.',
    );
    await pause(drainMs);
  }
  const deadline = setTimeout(() => {
    process.stderr.write('Stopping took longer than 15 s. The process ends now.\n');
    process.exit(1);
  }, STOP_DEADLINE_MS);
  await application[Symbol.asyncDispose]();
  clearTimeout(deadline);
  // A request to a key store that hangs must not keep the process alive.
  setTimeout(() => process.exit(), LAST_MS).unref();
}

// Failures that a person can fix are printed as a sentence; anything else with its stack.
function reportFailedStart(thrown: unknown, configuration: Configuration | undefined): number {
  const sentence =
    startFailure(thrown, configuration) ??
    `Lucarne cannot start: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`;
  process.stderr.write(`${sentence}\n`);
  return 1;
}

/**
 * Reports what runs, and starts to fill the embedded demo. A terminal gets a banner. Any other output gets one log line.
 */
async function welcome(
  configuration: Configuration,
  application: Application,
): Promise<Disposable | undefined> {
  const demo = await openDemo(configuration, application);
  tell(configuration, application, demo);
  return configuration.demoData && demo?.file !== undefined
    ? fillDemoInBackground(demo.file, (isFilling) => application.fillsDemo(isFilling))
    : undefined;
}

function tell(configuration: Configuration, application: Application, demo: DemoShown | undefined): void {
  if (process.stdout.isTTY) {
    process.stdout.write(`${bannerLines(configuration, application, demo).join('\n')}\n`);
    return;
  }
  const { url, address, relayer } = application;
  const started = {
    version: packageVersion,
    address,
    ...(url === undefined ? {} : { portal: `${originForPeople(url)}/portal/` }),
    roles: [...configuration.roles],
    pools: relayer.pools,
    missing: missing(configuration, application),
  };
  application.foundation.log.info(started, url === undefined ? 'Lucarne runs.' : `Lucarne serves ${url}`);
}

async function openDemo(
  configuration: Configuration,
  application: Application,
): Promise<DemoShown | undefined> {
  const { url, ledger, foundation, relayer } = application;
  if (url === undefined || !configuration.demo || !ledger.local) return undefined;
  const { rpcUrl, wsUrl } = ledger.local;
  const { address, pools } = relayer;
  const addresses = { baseUrl: url, ledger: { rpcUrl, wsUrl }, relayer: { address: address ?? '', pools } };
  const { dataDirectory } = configuration;
  const { createDemoOrganizations, demoAccountsOf, readdressDemoFile, writeDemoFile } =
    await import('../demo/index.js');
  await acrossOrganizations(() =>
    createDemoOrganizations(foundation, ({ first, other }) =>
      writeDemoFile(dataDirectory, { ...addresses, ...first, other }),
    ),
  );
  const file = await readdressDemoFile(dataDirectory, addresses);
  // Only for a local database on loopback.
  if (file !== undefined && configuration.databaseUrl === undefined && isLoopback(configuration))
    application.offerDemoAccounts(await demoAccountsOf(file));
  return file === undefined ? {} : { file };
}

const isLoopback = ({ host, publicUrl }: Configuration) =>
  publicUrl === undefined && ['127.0.0.1', '::1', 'localhost'].includes(host);
