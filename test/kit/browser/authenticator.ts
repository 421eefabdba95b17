import { createHash, randomBytes } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import type { JsonObject } from '../../../src/platform/kernel/encoding/json.js';

type Algorithm = 'ES256' | 'EdDSA';

/** The faults of an authenticator or its browser in a story. */
export interface Deviation {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly counter?: number;
  readonly userVerified?: boolean;
  readonly userPresent?: boolean;
  readonly crossOrigin?: boolean;
  readonly type?: string;
  readonly credential?: Credential;
  readonly userHandle?: string;
  /** Changes the signed bytes after signing. */
  readonly tamper?: boolean;
}

interface Credential {
  readonly id: Buffer;
  readonly secretKey: Uint8Array;
  readonly rpId: string;
  readonly userHandle: string;
  counter: number;
}

const UP = 0x01;
const UV = 0x04;
const AT = 0x40;

/** An authenticator and its browser in software, with real keys and signatures (WebAuthn level 3, CTAP's CBOR). */
export class SoftAuthenticator {
  readonly credentials: Credential[] = [];
  private readonly origin: string;
  private readonly algorithm: Algorithm;
  private readonly counts: boolean;

  /** Synchronized passkeys always have a count of zero: `counts` is false. */
  constructor(origin: string, algorithm: Algorithm = 'ES256', counts = true) {
    this.origin = origin;
    this.algorithm = algorithm;
    this.counts = counts;
  }

  /** `navigator.credentials.create`: returns `RegistrationResponseJSON`. */
  create(options: JsonObject, wrong: Deviation = {}): JsonObject {
    const { rp, user, challenge } = options as unknown as {
      readonly rp: { readonly id: string };
      readonly user: { readonly id: string };
      readonly challenge: string;
    };
    const curve = this.algorithm === 'ES256' ? p256 : ed25519;
    const secretKey = curve.utils.randomSecretKey();
    const credential: Credential = {
      ...{ id: randomBytes(32), secretKey, rpId: rp.id, userHandle: user.id },
      counter: 0,
    };
    const attested = Buffer.concat([
      Buffer.alloc(16),
      Buffer.from([0, credential.id.length]),
      credential.id,
      this.coseKey(secretKey),
    ]);
    const authData = Buffer.concat([this.authData(credential, wrong, AT), attested]);
    const attestationObject = cbor(
      new Map<unknown, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ]),
    );
    this.credentials.push(credential);
    return {
      id: credential.id.toString('base64url'),
      rawId: credential.id.toString('base64url'),
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: this.clientData('webauthn.create', challenge, wrong).toString('base64url'),
        attestationObject: attestationObject.toString('base64url'),
        transports: ['internal'],
      },
    };
  }

  /** `navigator.credentials.get`: returns `AuthenticationResponseJSON`. */
  get(options: JsonObject, wrong: Deviation = {}): JsonObject {
    const credential = wrong.credential ?? this.credentials.at(-1)!;
    if (this.counts) credential.counter += 1;
    const authData = this.authData(credential, wrong);
    const clientData = this.clientData('webauthn.get', (options as { challenge: string }).challenge, wrong);
    const signed = Buffer.concat([authData, sha256(clientData)]);
    const signature =
      this.algorithm === 'ES256'
        ? p256.sign(signed, credential.secretKey, { format: 'der' })
        : ed25519.sign(signed, credential.secretKey);
    if (wrong.tamper) authData.writeUInt32BE(authData.readUInt32BE(33) + 7, 33);
    return {
      id: credential.id.toString('base64url'),
      rawId: credential.id.toString('base64url'),
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: Buffer.from(signature).toString('base64url'),
        userHandle: wrong.userHandle ?? credential.userHandle,
      },
    };
  }

  private clientData(type: string, challenge: string, wrong: Deviation): Buffer {
    return Buffer.from(
      JSON.stringify({
        type: wrong.type ?? type,
        challenge: wrong.challenge ?? challenge,
        origin: wrong.origin ?? this.origin,
        crossOrigin: wrong.crossOrigin ?? false,
      }),
    );
  }

  private authData(credential: Credential, wrong: Deviation, more = 0): Buffer {
    const flags = (wrong.userPresent === false ? 0 : UP) | (wrong.userVerified === false ? 0 : UV) | more;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(wrong.counter ?? credential.counter);
    return Buffer.concat([sha256(wrong.rpId ?? credential.rpId), Buffer.from([flags]), counter]);
  }

  private coseKey(secretKey: Uint8Array): Buffer {
    if (this.algorithm === 'EdDSA') {
      return cbor(
        new Map<unknown, unknown>([
          [1, 1],
          [3, -8],
          [-1, 6],
          [-2, Buffer.from(ed25519.getPublicKey(secretKey))],
        ]),
      );
    }
    const point = Buffer.from(p256.getPublicKey(secretKey, false));
    return cbor(
      new Map<unknown, unknown>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, point.subarray(1, 33)],
        [-3, point.subarray(33)],
      ]),
    );
  }
}

const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest();

/** CBOR (RFC 8949) for the values of authenticators: integers, byte strings, texts and maps. */
function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (value instanceof Map) {
    const members = [...value].flatMap(([key, member]) => [cbor(key), cbor(member)]);
    return Buffer.concat([head(5, value.size), ...members]);
  }
  throw new TypeError('Authenticators send nothing else.');
}

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length]);
  if (length < 256) return Buffer.from([(major << 5) | 24, length]);
  return Buffer.from([(major << 5) | 25, length >> 8, length & 255]);
}
