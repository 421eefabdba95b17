import type { KeyStoreConfiguration, KeyStores } from '../../../../src/platform/keys/index.js';
import type { ToldStores } from '../../../crash/dying.js';
import { openLocalAwsKms } from './local-aws-kms.js';
import { localGcpClient } from './local-gcp-client.js';
import { gcpError, openLocalGcpKms } from './local-gcp-kms.js';
import { openLocalVault } from './local-vault.js';
import { HAS_SOFT_HSM, openSoftHsm } from './soft-hsm.js';

/** A store of Ed25519 keys that can be made unavailable. */
export interface SigningStore extends AsyncDisposable {
  readonly stores: KeyStores;
  /** The configuration of a gateway that uses it. */
  readonly keyStores: KeyStoreConfiguration;
  /** The part of its configuration that is passed to a process that is killed. */
  readonly told: ToldStores;
  /** The URIs of two keys. */
  readonly uris: readonly [string, string];
  /** The URI of a key that does not sign. */
  readonly otherUri: string;
  setPresent(isPresent: boolean): Promise<void>;
}

async function softHsm(): Promise<SigningStore> {
  const token = `lucarne-log-${Math.random().toString(36).slice(2, 8)}`;
  const hsm = await openSoftHsm(token);
  for (const label of ['one', 'two']) await hsm.makeSigningKey(label);
  const uri = (label: string) => `pkcs11:token=${token};object=${label}`;
  await hsm.stores.pkcs11!.masterKey(`token=${token};object=other`).makeUnlessThere();
  const told = { pkcs11: hsm.configuration };
  return Object.assign(hsm, {
    ...{ uris: [uri('one'), uri('two')] as const, otherUri: uri('other'), told, keyStores: told },
  });
}

async function vault(): Promise<SigningStore> {
  const server = await openLocalVault();
  for (const name of ['one', 'two']) server.makeKey(name, 'ed25519');
  server.makeKey('other', 'aes256-gcm96');
  const told = { vault: server.configuration };
  return Object.assign(server, {
    uris: ['vault:transit/one', 'vault:transit/two'] as const,
    otherUri: 'vault:transit/other',
    ...{ told, keyStores: told },
    setPresent(isPresent: boolean) {
      server.trouble = isPresent ? undefined : () => ({ status: 503 });
      return Promise.resolve();
    },
  });
}

async function awsKms(): Promise<SigningStore> {
  const kms = await openLocalAwsKms();
  const arn = (name: string) => `arn:aws:kms:eu-central-1:123456789012:key/${name}`;
  for (const name of ['one', 'two']) kms.makeKey(arn(name), 'ECC_NIST_EDWARDS25519', 'SIGN_VERIFY');
  kms.makeKey(arn('other'));
  const told = { aws: kms.configuration };
  return Object.assign(kms, {
    uris: [`aws-kms:${arn('one')}`, `aws-kms:${arn('two')}`] as const,
    otherUri: `aws-kms:${arn('other')}`,
    ...{ told, keyStores: told },
    setPresent(isPresent: boolean) {
      kms.trouble = isPresent ? undefined : () => ({ status: 500, body: '{}' });
      return Promise.resolve();
    },
  });
}

async function gcpKms(): Promise<SigningStore> {
  const kms = await openLocalGcpKms();
  const name = (key: string) => `projects/p/locations/l/keyRings/r/cryptoKeys/${key}/cryptoKeyVersions/1`;
  for (const key of ['one', 'two']) kms.makeKey(name(key), 'ASYMMETRIC_SIGN', 'EC_SIGN_ED25519');
  kms.makeKey(name('other'), 'ASYMMETRIC_SIGN', 'EC_SIGN_P256_SHA256');
  return Object.assign(kms, {
    uris: [`gcp-kms:${name('one')}`, `gcp-kms:${name('two')}`] as const,
    otherUri: `gcp-kms:${name('other')}`,
    told: { gcp: { port: kms.port } },
    keyStores: { gcp: { client: localGcpClient(kms.port) } },
    setPresent(isPresent: boolean) {
      kms.trouble = isPresent ? undefined : () => gcpError('UNAVAILABLE');
      return Promise.resolve();
    },
  });
}

/** Without Debian's softhsm2, there is no token. */
export const SIGNING_STORES: readonly (readonly [name: string, open: () => Promise<SigningStore>])[] = [
  ...(HAS_SOFT_HSM ? ([['a token (SoftHSM2)', softHsm]] as const) : []),
  ['Vault (a local server)', vault],
  ['AWS KMS (a local server)', awsKms],
  ['Cloud KMS (a local server)', gcpKms],
];
