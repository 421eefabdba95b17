import { type KeyStores, type MasterKeyPlace, parseKeyUri } from '../../src/platform/keys/index.js';
import { openLocalAwsKms } from '../platform/keys/stores/local-aws-kms.js';
import { openLocalGcpKms } from '../platform/keys/stores/local-gcp-kms.js';
import { openLocalVault } from '../platform/keys/stores/local-vault.js';
import { HAS_SOFT_HSM, openSoftHsm } from '../platform/keys/stores/soft-hsm.js';
import type { KeyTask } from './dying.js';

/** Where a master key can be. */
export interface Place extends AsyncDisposable {
  readonly stores: KeyStores;
  /** The URI of a key that is in no file. Without it, the key is a line of the file. */
  readonly to?: string;
  /** The part of the place that is passed to the process that is killed. */
  readonly told: Pick<KeyTask, 'stores' | 'to'>;
}

const file = (): Promise<Place> =>
  Promise.resolve({ stores: {}, told: {}, [Symbol.asyncDispose]: () => Promise.resolve() });

async function vault(): Promise<Place> {
  const server = await openLocalVault();
  const to = 'vault:transit/master';
  return Object.assign(server, { to, told: { to, stores: { vault: server.configuration } } });
}

async function softHsm(): Promise<Place> {
  const token = `lucarne-master-${Math.random().toString(36).slice(2, 8)}`;
  const hsm = await openSoftHsm(token);
  const to = `pkcs11:token=${token};object=master`;
  return Object.assign(hsm, { to, told: { to, stores: { pkcs11: hsm.configuration } } });
}

async function awsKms(): Promise<Place> {
  const kms = await openLocalAwsKms();
  const arn = 'arn:aws:kms:eu-central-1:123456789012:key/master';
  kms.makeKey(arn);
  const to = `aws-kms:${arn}`;
  return Object.assign(kms, { to, told: { to, stores: { aws: kms.configuration } } });
}

async function gcpKms(): Promise<Place> {
  const kms = await openLocalGcpKms();
  const name = 'projects/p/locations/l/keyRings/r/cryptoKeys/master';
  kms.makeKey(name);
  const to = `gcp-kms:${name}`;
  return Object.assign(kms, { to, told: { to, stores: { gcp: { port: kms.port } } } });
}

export const PLACES: readonly (readonly [name: string, open: () => Promise<Place>])[] = [
  ['a line of the file', file],
  ['a key in Vault', vault],
  // Without Debian's softhsm2, there is no token.
  ...(HAS_SOFT_HSM ? ([['a key in a token', softHsm]] as const) : []),
  ['a key in AWS KMS', awsKms],
  ['a key in Cloud KMS', gcpKms],
];

/** The setting of a gateway whose master key is there, and not elsewhere. */
export const settingOf = ({ to }: Pick<Place, 'to'>, file: string): MasterKeyPlace =>
  to === undefined
    ? { kind: 'file', name: 'the file', file }
    : { kind: 'store', name: 'the URI', uri: parseKeyUri(to) };
