import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { verify } from '../../../../src/platform/crypto/index.js';
import { silentLog } from '../../../../src/platform/kernel/log.js';
import { addressBytes } from '../../../../src/platform/ledger/index.js';
import { InvalidKeyFile, keyFileSigner } from '../../../../src/domain/relays/payers/relay-signer.js';
import { relayerKey } from '../kit.js';

describe('the key file of the relayer', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), 'lucarne-key-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  async function read(content: string, mode = 0o600) {
    const warnings: string[] = [];
    const file = path.join(directory, 'relayer.json');
    await writeFile(file, content);
    await chmod(file, mode);
    const log = { ...silentLog, warn: (_: object, message: string) => void warnings.push(message) };
    return { signer: await keyFileSigner(file, log), warnings };
  }

  it('has the format of the Solana command line', async () => {
    const keyPair = relayerKey();
    const { signer, warnings } = await read(JSON.stringify([...keyPair]));
    expect(addressBytes(signer.address)).toEqual(keyPair.slice(32));
    const message = Uint8Array.of(1, 2, 3);
    expect(verify(keyPair.slice(32), message, await signer.sign(message))).toBe(true);
    expect(warnings).toEqual([]);
  });

  it('causes a warning if others can read it', async () => {
    const { warnings } = await read(JSON.stringify([...relayerKey()]), 0o640);
    expect(warnings).toEqual([
      'Users other than its owner can read the key file of the relayer. Set its mode to 0600.',
    ]);
  });

  it('is refused if it is not a key pair, without revealing its contents', async () => {
    const keyPair = [...relayerKey()];
    const other = [...keyPair.slice(0, 32), ...relayerKey().slice(32)];
    for (const content of ['[1,2', '{}', '[]', JSON.stringify(keyPair.with(5, 256)), JSON.stringify(other)]) {
      const refusal = await read(content).catch((thrown: unknown) => thrown);
      expect(refusal).toBeInstanceOf(InvalidKeyFile);
      const { message, cause } = refusal as InvalidKeyFile;
      expect(message).not.toContain(keyPair.slice(0, 4).join(','));
      expect(cause).toBeUndefined();
    }
    const missing = keyFileSigner(path.join(directory, 'none.json'), silentLog);
    await expect(missing).rejects.toThrow('cannot be read');
  });
});
