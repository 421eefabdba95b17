import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { CK } from '#lucarne/platform/keys/pkcs11/pkcs11-module.js';
import type { Sessions } from '#lucarne/platform/keys/pkcs11/sessions.js';

/** The SoftHSM2 library of Debian or Fedora, if it is installed. */
export const SOFT_HSM_LIBRARY = ['/usr/lib/softhsm/libsofthsm2.so', '/usr/lib64/pkcs11/libsofthsm2.so'].find(
  (file) => existsSync(file),
);

export const PIN = '271828';

/** Creates a token in the directory that the file of `SOFTHSM2_CONF` names. */
export async function makeToken(label: string): Promise<void> {
  const init = ['--init-token', '--free', '--label', label, '--pin', PIN, '--so-pin', '31415926'];
  await promisify(execFile)('softhsm2-util', init);
}

/** Creates an Ed25519 key pair in a token. */
export function makeSigningKey(sessions: Sessions, token: string, label: string): Promise<void> {
  const common = [
    { type: CK.TOKEN, value: true },
    { type: CK.LABEL, value: label },
  ];
  return sessions.use(token, ({ cryptoki, handle }) => {
    cryptoki.C_GenerateKeyPair(
      handle,
      { mechanism: CK.EC_EDWARDS_KEY_PAIR_GEN },
      [
        ...common,
        { type: CK.EC_PARAMS, value: Buffer.from('06032b6570', 'hex') },
        { type: CK.VERIFY, value: true },
      ],
      [
        ...common,
        { type: CK.SIGN, value: true },
        { type: CK.PRIVATE, value: true },
        { type: CK.SENSITIVE, value: true },
      ],
    );
    return Promise.resolve();
  });
}
