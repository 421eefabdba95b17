import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import { firstDataKey, sha256 } from '../crypto/index.js';
import { hex } from '../kernel/encoding/bytes.js';
import { systemRandom } from '../kernel/random.js';
import { type FileMasterKey, WrongMasterKey } from './master-key.js';

const KEY_LENGTH = 32;
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;
const FINGERPRINT_BYTES = 8;

/** A master key of 32 bytes in the memory of this process. Wrapped form: nonce 12 | AES-256-GCM ciphertext | tag 16. */
export function fileMasterKey(bytes: Uint8Array): FileMasterKey {
  const derive = (use: string) => new Uint8Array(hkdfSync('sha256', bytes, '', use, KEY_LENGTH));
  const wrapping = derive('lucarne wrapping v1');
  const fingerprint = sha256(derive('lucarne master key fingerprint v1'));
  return {
    provider: 'file',
    locator: hex.encode(fingerprint.subarray(0, FINGERPRINT_BYTES)),
    firstDataKey: firstDataKey(bytes),
    wrap(secret, context) {
      const nonce = systemRandom(NONCE_LENGTH);
      const cipher = createCipheriv('aes-256-gcm', wrapping, nonce, { authTagLength: TAG_LENGTH });
      cipher.setAAD(Buffer.from(context));
      const sealed = Buffer.concat([cipher.update(secret), cipher.final()]);
      return Promise.resolve(Uint8Array.from(Buffer.concat([nonce, sealed, cipher.getAuthTag()])));
    },
    async unwrap(wrapped, context) {
      await Promise.resolve();
      try {
        const nonce = wrapped.subarray(0, NONCE_LENGTH);
        const decipher = createDecipheriv('aes-256-gcm', wrapping, nonce, { authTagLength: TAG_LENGTH });
        decipher.setAAD(Buffer.from(context));
        decipher.setAuthTag(wrapped.subarray(-TAG_LENGTH));
        const secret = decipher.update(wrapped.subarray(NONCE_LENGTH, -TAG_LENGTH));
        decipher.final();
        return Uint8Array.from(secret);
      } catch (thrown) {
        throw new WrongMasterKey(
          'A data key is not wrapped by this master key. Restore the table data_keys from a backup.',
          { cause: thrown },
        );
      }
    },
  };
}
