import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { prepareLocalPackage } from '../../../src/demo/relay-package.js';
import { keyFileSigner } from '../../../src/domain/relays/index.js';
import { silentLog } from '../../../src/platform/kernel/log.js';
import {
  deployLocalPool,
  fundLocalRelayer,
  LOCAL_POOL_SELECTOR,
  LOCAL_POOLS_FILE,
  localRelayerKeyFile,
  startLocalLedger,
} from '../../../devnet/index.js';
import { eventually } from '../../kit/eventually.js';
import { startTestApp, type TestApp } from '../../kit/app.js';
import { hostileProvider, type HostileProvider, type Hostility } from '../../kit/ledger/hostile-provider.js';
import { watchAnswers } from '../../kit/watched-answers.js';
import { temporaryDirectory } from '../gateway-process.js';

const RELAYS = 4;
/** The maximum of a short answer plus two chunks: the last one, and one that is read ahead. */
const MAX_READ_BYTES = 3 * 64 * 1024;

describe('a gateway with one hostile provider', () => {
  const parts = new AsyncDisposableStack();
  let hostile: HostileProvider;
  let app: TestApp;
  beforeAll(async () => {
    const directory = parts.use(await temporaryDirectory());
    const ledger = parts.use(await startLocalLedger());
    deployLocalPool(ledger);
    const keyFile = localRelayerKeyFile(directory.path);
    fundLocalRelayer(ledger, (await keyFileSigner(keyFile, silentLog)).address);
    const poolsFile = path.join(directory.path, 'pools.json');
    await writeFile(poolsFile, JSON.stringify(LOCAL_POOLS_FILE));
    hostile = parts.use(await hostileProvider(ledger.rpcUrl));
    app = parts.use(
      await startTestApp({
        SOLANA_RPC_URL: [hostile.url, ledger.rpcUrl, ledger.rpcUrl].join(','),
        SOLANA_WS_URL: ledger.wsUrl,
        LUCARNE_POOLS_FILE: poolsFile,
        LUCARNE_RELAYER_KEYPAIR_FILE: keyFile,
      }),
    );
  });
  afterAll(() => parts.disposeAsync());

  async function relay(): Promise<string> {
    const { body } = prepareLocalPackage({ poolSelector: LOCAL_POOL_SELECTOR, applicationIdHints: [] });
    const submitted = await fetch(`${app.url}/api/relay-requests`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const { statusUrl } = (await submitted.json()) as { readonly statusUrl: string };
    const statusOf = async () => {
      const { status } = (await (await fetch(`${app.url}${statusUrl}`)).json()) as {
        readonly status: string;
      };
      return status;
    };
    return eventually(statusOf, (status) => ['succeeded', 'rejected', 'failed'].includes(status));
  }

  it.each<[string, Hostility]>([
    ['lists in lists', 'deep'],
    ['hundreds of thousands of objects', 'wide'],
    ['tens of thousands of names', 'many_names'],
    ['a body without an end', 'endless'],
    ['a compressed body without an end', 'compressed'],
  ])('is alive whenever such an answer comes, of which it parses nothing: %s', async (_, hostility) => {
    const asked: Promise<number>[] = [];
    const isAlive = async () => (await fetch(`${app.url}/livez`)).status;
    hostile.become(hostility);
    const watched = watchAnswers(hostile.url, () => asked.push(isAlive()));
    const ends = await Promise.all(Array.from({ length: RELAYS }, relay)).finally(() =>
      watched[Symbol.dispose](),
    );

    expect(ends).toEqual(Array(RELAYS).fill('succeeded'));
    expect(new Set(await Promise.all(asked))).toEqual(new Set([200]));
    expect(watched.mostBytes).toBeLessThanOrEqual(MAX_READ_BYTES);
    expect(watched.longestParsed).toBeLessThan(64 * 1024);
  });
});
