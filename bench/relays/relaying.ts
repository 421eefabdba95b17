import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { base58 } from '#lucarne/platform/kernel/encoding/bytes.js';
import { LOCAL_POOLS_FILE, type LocalLedger } from '#devnet/index.js';
import { startProvider, type Manner, type Provider } from '../ledger-node/provider.ts';

export const PROVIDERS = 3;
const LAMPORTS = 10_000_000_000;

/** What a gateway needs to relay to a local ledger. */
export interface Relaying extends AsyncDisposable {
  readonly providers: readonly Provider[];
  /** Funded accounts, and the files of their keys. */
  readonly payers: readonly { readonly address: string; readonly file: string }[];
  /** Configuration variables, with which all payers pay. */
  readonly environment: Readonly<Record<string, string>>;
}

/** {@link PROVIDERS} providers, of which the first has a manner, one pool, and some payers. */
export async function openRelaying(
  ledger: LocalLedger,
  { manner = 'answers', payers: count = 1 }: { readonly manner?: Manner; readonly payers?: number },
): Promise<Relaying> {
  await using parts = new AsyncDisposableStack();
  const providers: Provider[] = [];
  for (let at = 0; at < PROVIDERS; at += 1)
    providers.push(parts.use(await startProvider(ledger.rpcUrl, at === 0 ? manner : 'answers')));
  const directory = await mkdtemp(path.join(os.tmpdir(), 'lucarne-bench-relayer-'));
  parts.defer(() => rm(directory, { recursive: true, force: true }));
  const payers = Array.from({ length: count }, (_, at) => {
    const key = newKey();
    return { key, address: base58.encode(key.subarray(32)), file: path.join(directory, `payer-${at}.json`) };
  });
  for (const { key, address, file } of payers) {
    await writeFile(file, JSON.stringify([...key]), { mode: 0o600 });
    ledger.airdrop(address, LAMPORTS);
  }
  const poolsFile = path.join(directory, 'pools.json');
  const [pool] = LOCAL_POOLS_FILE.pools;
  // In production, a pool must name who screens for it. Here, no application does.
  const pools = [{ ...pool, screening: { ...pool.screening, applications: [] } }];
  await writeFile(poolsFile, JSON.stringify({ pools }));
  const owned = parts.move();
  return {
    ...{ providers, payers },
    environment: {
      SOLANA_RPC_URL: providers.map(({ url }) => url).join(','),
      // Hints come from the ledger itself. A provider that does not answer gives none.
      SOLANA_WS_URL: providers
        .map((_, at) => (at === 0 && manner !== 'answers' ? 'ws://127.0.0.1:9' : ledger.wsUrl))
        .join(','),
      LUCARNE_POOLS_FILE: poolsFile,
      LUCARNE_RELAYER_KEYPAIR_FILE: payers.map(({ file }) => file).join(','),
      LUCARNE_RELAY_PER_CLIENT: '1000000',
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** A key pair in Solana's format: the seed and the public key, 64 bytes. */
function newKey(): Uint8Array {
  const { d, x } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return Uint8Array.from(Buffer.concat([d, x].map((part) => Buffer.from(part!, 'base64url'))));
}
