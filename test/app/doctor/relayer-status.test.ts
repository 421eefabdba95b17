import { describe, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readConfiguration } from '../../../src/app/configuration/index.js';
import { payersOf } from '../../../src/app/relayer/relayer-status.js';
import { ConfigurationError } from '../../../src/platform/kernel/configuration-error.js';
import { keyPairSigner } from '../../../src/domain/relays/index.js';
import { openRelayRoom, relayerKey } from '../../domain/relays/kit.js';
import { say } from '../../edge/cli/terminal.js';
import { forFile } from '../../kit/for-file.js';
import { startFaultLedger } from '../../kit/ledger/fault-ledger.js';
import { temporaryDirectory } from '../gateway-process.js';

const room = forFile(await openRelayRoom());
const directory = forFile(await temporaryDirectory());

describe('lucarne relayer status', () => {
  const keyFile = async (keyPair: Uint8Array) => {
    const { address } = keyPairSigner(keyPair);
    const file = path.join(directory.path, `${address}.json`);
    await writeFile(file, JSON.stringify([...keyPair]), { mode: 0o600 });
    return file;
  };
  const statusWith = (environment: Readonly<Record<string, string>>, ...parameters: string[]) =>
    say(['relayer', 'status', ...parameters], '', {
      relayerStatus: async () =>
        payersOf(
          room.foundation.database,
          await readConfiguration({
            LUCARNE_DATA_DIR: directory.path,
            SOLANA_RPC_URL: room.ledger.rpcUrl,
            ...environment,
          }),
        ),
    });

  it('prints which account pays, which needs funds, and which can be removed and when', async () => {
    const nodes = room.nodes(1);
    nodes.fail({ method: 'send' }, { kind: 'swallowed' });
    const id = await room.submit();
    const worker = room.worker({ nodes });
    await room.until(id, ({ status }) => status === 'submitted');
    await worker.stop();
    const retiring = room.signer.address;
    const poor = relayerKey();
    const { address } = keyPairSigner(poor);
    room.ledger.airdrop(address, 2_000_000);
    const files = [await keyFile(poor), await keyFile(room.keyPair)];
    const environment = {
      LUCARNE_RELAYER_KEYPAIR_FILE: files.join(','),
      LUCARNE_RELAYER_RETIRING: retiring,
    };
    const signedAt = (await room.attempts(id))[0]!.createdAt.toISOString();
    const { exitCode, output } = await statusWith(environment);
    expect(exitCode).toBe(0);
    expect(output.split('\n')).toEqual([
      `${address}: pays only when no other account has its reserve. Fund it.`,
      '  Balance 2000000 lamports. Open attempts 0. Last signed: never.',
      `${retiring}: retiring. Leave its balance until no attempt is open.`,
      `  Balance 10000000000 lamports. Open attempts 1. Last signed: ${signedAt}.`,
      '',
    ]);
    const removed = await statusWith({ LUCARNE_RELAYER_KEYPAIR_FILE: files[0]! }, '--json');
    expect(JSON.parse(removed.output)).toMatchObject({
      reserveLamports: 50_000_000,
      payers: [
        { address, state: 'paying', balanceLamports: 2_000_000, openAttempts: 0, lastSignedAt: null },
        {
          address: retiring,
          state: 'removed',
          balanceLamports: 10_000_000_000,
          openAttempts: 1,
          lastSignedAt: signedAt,
        },
      ],
    });

    nodes.heal();
    room.worker({ nodes });
    await room.untilEnded(id);
    expect((await statusWith(environment)).output).toContain(
      `${retiring}: retiring. Remove its key if every process has restarted since it was retired.\n`,
    );
  });

  it('prints which key cannot be opened, and the status of the others', async () => {
    const file = await keyFile(room.keyPair);
    const missing = path.join(directory.path, 'missing.json');
    const { exitCode, output } = await statusWith({ LUCARNE_RELAYER_KEYPAIR_FILE: `${missing},${file}` });
    expect(exitCode).toBe(0);
    expect(output).toMatch(
      /^A key cannot be opened\. LUCARNE_RELAYER_KEYPAIR_FILE: .*missing\.json'\. Correct the path, or let the user that runs Lucarne read the file\.\n/,
    );
    expect(output).toContain(`\n${room.signer.address}: pays.\n`);
  });

  it('reports when there is no payer, and refuses a key that is named twice', async () => {
    expect((await statusWith({})).output).toBe('No account pays for relays, and no attempt is open.\n');
    const file = await keyFile(relayerKey());
    const configuration = await readConfiguration({ LUCARNE_RELAYER_KEYPAIR_FILE: `${file},${file}` });
    const twice = payersOf(room.foundation.database, configuration);
    await expect(twice).rejects.toThrow(ConfigurationError);
    await expect(twice).rejects.toThrow(/ name the key of \w+ twice\. Name each key once\.$/);
  });

  it('names a provider that reports a different balance from the others, and ignores its answer', async () => {
    const telling = (lamports: number) =>
      startFaultLedger({ answers: { getBalance: () => ({ context: { slot: 7 }, value: lamports }) } });
    await using honest = await telling(60_000_000);
    await using another = await telling(60_000_000);
    await using liar = await telling(0);
    const rpcUrls = [honest, liar, another].map(({ rpcUrl }) => rpcUrl);
    const { output } = await statusWith({
      SOLANA_RPC_URL: rpcUrls.join(','),
      LUCARNE_RELAYER_KEYPAIR_FILE: await keyFile(relayerKey()),
    });
    const [, ...about] = output.split('\n');
    expect(about.slice(0, 2)).toEqual([
      '  Balance 60000000 lamports. Open attempts 0. Last signed: never.',
      `  ${new URL(liar.rpcUrl).host}#1 reports a different balance than most providers, so its answer is ignored.`,
    ]);
  });

  it('prints no balance for the embedded ledger, which runs inside a gateway', async () => {
    const file = await keyFile(room.keyPair);
    const { exitCode, output } = await statusWith({ SOLANA_RPC_URL: '', LUCARNE_RELAYER_KEYPAIR_FILE: file });
    expect(exitCode).toBe(0);
    expect(output).toContain(room.signer.address);
    expect(output).toContain('Balance unknown');
  });
});
