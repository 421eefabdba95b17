import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { sign, signingPublicKey, verify } from '#lucarne/platform/crypto/index.js';
import { createKeyStores } from '#lucarne/platform/keys/index.js';
import { fileMasterKey } from '#lucarne/platform/keys/file-master-key.js';
import { createSessions } from '#lucarne/platform/keys/pkcs11/sessions.js';
import type { Benchmark } from '../kit/benchmark.ts';
import { compare, timed } from '../kit/compare.ts';
import { makeSigningKey, makeToken, PIN, SOFT_HSM_LIBRARY } from '../../test/kit/process/soft-hsm-token.ts';

const TOKEN = 'lucarne-bench';

/**
 * Keys in a SoftHSM2 token, with its process, compared with keys of a file: one data key unwrapped and one message signed at a
 * time.
 */
export const benchmark: Benchmark = async ({ quick, pairs, parts, tell }) => {
  if (SOFT_HSM_LIBRARY === undefined) {
    tell('SoftHSM2 is not installed: nothing is measured');
    return [];
  }
  const times = quick ? 10 : 500;
  const pkcs11 = await openToken(SOFT_HSM_LIBRARY, parts);
  const store = createKeyStores({ pkcs11 }).pkcs11!;
  const locator = (object: string) => `token=${TOKEN};object=${object}`;

  const secret = Uint8Array.from(randomBytes(32));
  const inToken = store.masterKey(locator('master'));
  await inToken.makeUnlessThere();
  const inFile = fileMasterKey(randomBytes(32));
  const unwrapping = async (key: typeof inToken | typeof inFile) => {
    const wrapped = await key.wrap(secret, 'measured');
    return () =>
      timed(times, async () => {
        for (let n = 0; n < times; n += 1) {
          const opened = await key.unwrap(wrapped, 'measured');
          if (Buffer.compare(opened, secret) !== 0) throw new Error('Another data key came back.');
        }
      });
  };
  const unwrapped = await compare(
    { product: await unwrapping(inToken), reference: await unwrapping(inFile) },
    pairs,
  );
  tell('unwrapping compared');

  await makeSigningKey(createSessions(pkcs11), TOKEN, 'relayer');
  const tokenKey = await store.signingKey(locator('relayer'));
  const seed = Uint8Array.from(randomBytes(32));
  const fileKey = {
    publicKey: signingPublicKey(seed),
    sign: (message: Uint8Array) => Promise.resolve(sign(seed, message)),
  };
  const message = Uint8Array.from(randomBytes(1_000));
  const signing = (key: typeof fileKey) => () =>
    timed(times, async () => {
      let signature = new Uint8Array();
      for (let n = 0; n < times; n += 1) signature = Uint8Array.from(await key.sign(message));
      if (!verify(key.publicKey, message, signature)) throw new Error('A signature does not verify.');
    });
  const signed = await compare({ product: signing(tokenKey), reference: signing(fileKey) }, pairs);
  return [
    {
      what: 'Data keys unwrapped in SoftHSM2',
      unit: 'keys',
      reference: 'a master key of a file',
      ...unwrapped,
    },
    {
      what: 'Messages of 1,000 bytes signed in SoftHSM2',
      unit: 'signatures',
      reference: 'a key of a file',
      ...signed,
    },
  ];
};

async function openToken(module: string, parts: AsyncDisposableStack) {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'lucarne-bench-token-'));
  parts.defer(() => rm(directory, { recursive: true, force: true }));
  await mkdir(path.join(directory, 'tokens'));
  process.env['SOFTHSM2_CONF'] = path.join(directory, 'softhsm2.conf');
  const settings = `directories.tokendir = ${directory}/tokens\nobjectstore.backend = file\nlog.level = ERROR\n`;
  await writeFile(process.env['SOFTHSM2_CONF'], settings);
  const pinFile = path.join(directory, 'pin');
  await writeFile(pinFile, PIN, { mode: 0o400 });
  await makeToken(TOKEN);
  return { module, pinFile };
}
