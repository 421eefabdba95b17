import { ConfigurationError } from '../../kernel/configuration-error.js';
import type { SigningKey } from '../signing-key.js';
import { type Attribute, CK } from './pkcs11-module.js';
import type { ObjectName } from './pkcs11-uri.js';
import type { Session, Sessions } from './sessions.js';

const PUBLIC_KEY_LENGTH = 32;
const SIGNATURE_LENGTH = 64;
/** The advice fits both a key in use and a key that is named for the first time. */
const ADVICE = 'Allow it in the settings of the token, or use a key of another token.';
/** The DER header of an OCTET STRING of 32 bytes, the form in which tokens return a point. */
const POINT_HEADER = Buffer.from([0x04, PUBLIC_KEY_LENGTH]);

/** An Ed25519 key pair in a token, which makes the signatures itself. Both halves have the same label. */
export async function pkcs11SigningKey(
  sessions: Sessions,
  { token, object }: ObjectName,
): Promise<SigningKey> {
  const find = (session: Session, half: number) => {
    const template: Attribute[] = [
      { type: CK.CLASS, value: half },
      { type: CK.KEY_TYPE, value: CK.KEY_TYPE_EC_EDWARDS },
      { type: CK.LABEL, value: object },
    ];
    const key = session.find(object, template);
    if (key) return key;
    const kind = half === CK.PUBLIC_KEY ? 'public' : 'private';
    throw new ConfigurationError(
      `The token “${token}” has no ${kind} Ed25519 key “${object}”. Correct its label, or make the pair.`,
    );
  };
  const publicKey = await sessions.use(token, (session) => {
    const { cryptoki, handle } = session;
    session.requireMechanism(CK.EDDSA, 'CKM_EDDSA', ADVICE);
    find(session, CK.PRIVATE_KEY);
    const [point] = cryptoki.C_GetAttributeValue(handle, find(session, CK.PUBLIC_KEY), [
      { type: CK.EC_POINT },
    ]);
    return Promise.resolve(publicKeyOf(point!.value, object));
  });
  return {
    publicKey,
    sign: (message) =>
      sessions.use(token, async (session) => {
        const { cryptoki, handle } = session;
        cryptoki.C_SignInit(handle, { mechanism: CK.EDDSA }, find(session, CK.PRIVATE_KEY));
        const output = Buffer.alloc(SIGNATURE_LENGTH);
        return Uint8Array.from(await cryptoki.C_SignAsync(handle, Buffer.from(message), output));
      }),
  };
}

/** PKCS #11 3.0 specifies the bare point, but most tokens return it in an OCTET STRING. */
function publicKeyOf(point: Buffer, object: string): Uint8Array {
  const hasHeader = point.subarray(0, POINT_HEADER.length).equals(POINT_HEADER);
  const bare = hasHeader && point.length > PUBLIC_KEY_LENGTH ? point.subarray(POINT_HEADER.length) : point;
  if (bare.length === PUBLIC_KEY_LENGTH) return Uint8Array.from(bare);
  throw new ConfigurationError(`The key “${object}” does not use the curve Ed25519. Create an Ed25519 key.`);
}
