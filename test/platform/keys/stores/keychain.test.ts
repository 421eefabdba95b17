import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fetchSignerJson } from '@solana/keychain-core';
import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import path from 'node:path';
import { generateSigningKey, sign, verify } from '../../../../src/platform/crypto/index.js';
import { base58, hex } from '../../../../src/platform/kernel/encoding/bytes.js';
import { openKeychainSigner } from '../../../../src/platform/keys/index.js';
import { temporaryDirectory } from '../../../app/gateway-process.js';
import { listen } from '../../../kit/process/local-server.js';

const MESSAGE = Uint8Array.of(128, 1, 0, 1);

describe('a signer of @solana/keychain', () => {
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
  beforeAll(async () => {
    directory = await temporaryDirectory();
  });
  afterAll(async () => directory[Symbol.asyncDispose]());

  const written = async (content: object | string): Promise<string> => {
    const file = path.join(directory.path, 'signer.json');
    await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 });
    return file;
  };
  const keyFile = async (bytes: readonly number[]): Promise<string> => {
    const file = path.join(directory.path, 'key.json');
    await writeFile(file, JSON.stringify(bytes), { mode: 0o600 });
    return file;
  };

  it('signs with the key of its file: “memory”', async () => {
    const { secret, publicKey } = generateSigningKey();
    const privateKeyPath = await keyFile([...secret, ...publicKey]);
    const key = await openKeychainSigner(await written({ backend: 'memory', privateKeyPath }));
    expect(key.publicKey).toEqual(publicKey);
    expect(verify(publicKey, MESSAGE, await key.sign(MESSAGE))).toBe(true);
  });

  it.each<[string, object | string, RegExp]>([
    ['is no JSON', '{"backend": "turnkey", "apiPrivateKey": hush', /must be a JSON object/],
    ['is no object', '["hush"]', /must be a JSON object/],
    ['names no backend', { apiPrivateKey: 'hush' }, /such as \{"backend": "turnkey", …\}\.$/],
    ['names a path', { backend: '../../hush' }, /must be a JSON object/],
    [
      'names a backend whose package is not installed',
      { backend: 'turnkey', apiPrivateKey: 'hush' },
      /^The signer “turnkey” needs the optional package @solana\/keychain-turnkey, which is not installed\. docs\/operate\.md says how\.$/,
    ],
    [
      'names a package that makes no signer',
      { backend: 'core' },
      /^The package @solana\/keychain-core has no function that makes a signer\. Install version 1 of it\.$/,
    ],
    [
      'names a backend that sends transactions itself',
      { backend: 'crossmint', apiKey: 'hush' },
      /^The signer “crossmint” sends transactions itself, before Lucarne has stored them\. Use a signer that only signs\.$/,
    ],
    [
      'lets a backend send transactions itself',
      { backend: 'fireblocks', useProgramCall: true },
      /^The signer “fireblocks” with “useProgramCall” sends transactions itself/,
    ],
    [
      'has members that the signer refuses',
      { backend: 'memory' },
      /^The signer “memory” of @solana\/keychain refuses its configuration: Memory signer requires one of: .*\.$/,
    ],
    [
      'has a key that is none',
      { backend: 'memory', privateKeyString: 'hush' },
      /^The signer “memory” of @solana\/keychain cannot use its key \(SIGNER_INVALID_PRIVATE_KEY\)\. Correct the file\.$/,
    ],
  ])('is refused if its file %s, and nothing of it is quoted', async (_, content, sentence) => {
    const refused = openKeychainSigner(await written(content));
    await expect(refused).rejects.toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringMatching(sentence),
    });
    await expect(refused).rejects.not.toMatchObject({ message: expect.stringContaining('hush') });
  });

  it('is refused if its file cannot be read', async () => {
    const missing = openKeychainSigner(path.join(directory.path, 'none.json'));
    await expect(missing).rejects.toThrow(/none\.json cannot be read: .*Correct the path/);
  });

  describe('whose key a company hosts', () => {
    let server: Server;
    let url: string;
    const { secret, publicKey } = generateSigningKey();
    let answer: { readonly status: number; readonly signedBy: Uint8Array } | 'silence';
    beforeAll(async () => {
      server = createServer((request, response) => {
        if (answer === 'silence') return;
        const { status, signedBy } = answer;
        const message = new Uint8Array(Buffer.from(request.url!.slice(1), 'hex'));
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ signature: hex.encode(sign(signedBy, message)), error: 'hush' }));
      });
      url = `http://127.0.0.1:${await listen(server)}`;
    });
    afterAll(() => {
      server.closeAllConnections();
      server.close();
    });

    /** A package of a signer, with the requests and errors that those of `@solana/keychain` have. */
    const hosted = {
      createHostedSigner: ({ url }: { readonly url: string }) => {
        const address = base58.encode(publicKey);
        return Promise.resolve({
          address,
          signTransactions: (transactions: readonly { readonly messageBytes: Uint8Array }[]) =>
            Promise.all(
              transactions.map(async ({ messageBytes }) => {
                const asked = { url: `${url}/${hex.encode(messageBytes)}`, providerName: 'Hosted' };
                const { signature } = await fetchSignerJson<{ signature: string }>(asked);
                return { [address]: new Uint8Array(Buffer.from(signature, 'hex')) };
              }),
            ),
        });
      },
    };
    const signed = async (options: { readonly timeoutMs?: number } = {}): Promise<Uint8Array> => {
      const load = () => Promise.resolve(hosted);
      const key = await openKeychainSigner(await written({ backend: 'hosted', url }), { load, ...options });
      return key.sign(MESSAGE);
    };

    it('gives the signature of the exact message', async () => {
      answer = { status: 200, signedBy: secret };
      expect(verify(publicKey, MESSAGE, await signed())).toBe(true);
    });

    it.each([500, 503, 429])('is unavailable while it answers %d', async (status) => {
      answer = { status, signedBy: secret };
      await expect(signed()).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        message: 'The signer “hosted” of @solana/keychain does not answer: SIGNER_REMOTE_API_ERROR.',
      });
    });

    it.each([401, 403, 404])('must be corrected if it answers %d', async (status) => {
      answer = { status, signedBy: secret };
      await expect(signed()).rejects.toMatchObject({
        name: 'ConfigurationError',
        message: `The signer “hosted” of @solana/keychain is refused with status ${status}. Correct the credentials, the name of the key, or the policy of the key.`,
      });
    });

    it('is unavailable while it does not answer in time', async () => {
      answer = 'silence';
      await expect(signed({ timeoutMs: 100 })).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        message: 'The signer “hosted” of @solana/keychain does not answer in time.',
      });
    });

    it('is not used if it signs with another key than its address names', async () => {
      answer = { status: 200, signedBy: generateSigningKey().secret };
      await expect(signed()).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        message: expect.stringMatching(/signer\.json does not verify, so it is not used\.$/),
      });
    });
  });
});
