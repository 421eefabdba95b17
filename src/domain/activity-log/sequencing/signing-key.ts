import { type SealedColumn, generateSigningKey, sign } from '../../../platform/crypto/index.js';
import {
  columnsOf,
  query,
  type Reader,
  type RowOf,
  type Transaction,
  valuesOf,
} from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { conflict } from '../../../platform/kernel/errors.js';
import { equalBytes } from '../../../platform/kernel/encoding/bytes.js';
import { SigningKeyEntity } from '../activity-log.entity.js';
import type { SigningFoundation } from './sign-log.js';

/** An organization's Ed25519 key: it signs receipts and the checkpoints of its log. */
export interface OrganizationSigner {
  /** Number of the key: 1 is the first. */
  readonly epoch: number;
  /** 32 bytes, RFC 8032. */
  readonly publicKey: Uint8Array;
  /** A 64-byte signature. For a key in a store, an earlier attempt requested it. */
  sign(message: Uint8Array): Uint8Array;
}

/** The dependencies of signing. */
export type Signing = Pick<SigningFoundation, 'sealer' | 'signatures'>;

/** A key of an organization, without its secret. */
export type SigningKeyRow = Omit<RowOf<typeof SigningKeyEntity>, 'organizationId' | 'sealedSecret'>;

// The first key is sealed under the context from before keys had epochs.
const sealingContext = (organizationId: Id<'org'>, epoch: number) =>
  epoch === 1 ? `signing_keys/${organizationId}` : `signing_keys/${organizationId}/${epoch}`;

export const SEALED_SIGNING_KEYS: SealedColumn = {
  ...{ table: 'signing_keys', column: 'sealed_secret', purpose: 'signing_keys', rows: 200 },
  key: ['organization_id', 'epoch'],
  context: ([organizationId, epoch]) => sealingContext(organizationId as Id<'org'>, epoch as number),
};

/** The organization's signer. Its first key is created and sealed when it is first needed. */
export async function organizationSigner(
  transaction: Transaction,
  signing: Signing,
  organizationId: Id<'org'>,
  at: Date,
): Promise<OrganizationSigner> {
  return (await logSigners(transaction, signing, organizationId, at))[0];
}

/** The key in use. A missing key is not created. */
export async function storedCurrentSigner(
  reader: Reader,
  signing: Signing,
  organizationId: Id<'org'>,
): Promise<OrganizationSigner | undefined> {
  const [current] = await storedKeys(reader, organizationId);
  return current && storedSigner(signing, organizationId, current);
}

/** The keys that sign the organization’s log now: the current key first, then replaced keys that still sign with it. */
export async function logSigners(
  transaction: Transaction,
  signing: Signing,
  organizationId: Id<'org'>,
  at: Date,
): Promise<readonly [OrganizationSigner, ...OrganizationSigner[]]> {
  let stored = await storedKeys(transaction, organizationId);
  if (stored.length === 0) {
    // If two callers race, one key wins, and both then read the same row.
    await addSigningKey(transaction, signing, { organizationId, epoch: 1, at });
    stored = await storedKeys(transaction, organizationId);
  }
  const [current, ...replaced] = stored;
  if (!current) throw new Error('The signing key that was just made cannot be read.');
  // An instance whose clock is ahead may have destroyed a secret that should still cosign by this instance's clock.
  const cosigning = replaced.filter(
    ({ cosignsUntil, sealedSecret, storeKey }) =>
      (sealedSecret !== null || storeKey !== null) && cosignsUntil !== null && cosignsUntil > at,
  );
  const signerOf = (key: StoredKey) => storedSigner(signing, organizationId, key);
  return [signerOf(current), ...cosigning.map(signerOf)];
}

interface StoredKey extends SigningKeyRow {
  readonly sealedSecret: Uint8Array | null;
}

const KEY_COLUMNS = columnsOf(SigningKeyEntity, [
  'epoch',
  'publicKey',
  'storeKey',
  'createdAt',
  'cosignsUntil',
  'compromisedFrom',
]);

const keysOf = (organizationId: Id<'org'>) =>
  query
    .selectFrom('signing_keys')
    .select(KEY_COLUMNS)
    .where('organization_id', '=', organizationId)
    .orderBy('epoch', 'desc');

const storedKeys = (reader: Reader, organizationId: Id<'org'>): Promise<StoredKey[]> =>
  reader.rows(keysOf(organizationId).select('sealed_secret as sealedSecret'));

/** The keys of the organization, newest first. */
export const signingKeysOf = (reader: Reader, organizationId: Id<'org'>): Promise<SigningKeyRow[]> =>
  reader.rows(keysOf(organizationId));

function storedSigner(
  { sealer, signatures }: Signing,
  organizationId: Id<'org'>,
  { epoch, publicKey, sealedSecret, storeKey }: StoredKey,
): OrganizationSigner {
  return {
    epoch,
    publicKey,
    sign(message) {
      if (storeKey !== null) return signatures.sign({ uri: storeKey, publicKey }, message);
      if (!sealedSecret) throw new Error(`The secret of signing key ${epoch} was destroyed.`);
      const secret = sealer.open(sealedSecret, sealingContext(organizationId, epoch));
      try {
        return sign(secret, message);
      } finally {
        secret.fill(0);
      }
    },
  };
}

interface Place {
  readonly organizationId: Id<'org'>;
  readonly epoch: number;
  readonly at: Date;
}

/** Creates the key of an epoch at the configured place, unless it exists. */
export async function addSigningKey(transaction: Transaction, signing: Signing, place: Place): Promise<void> {
  const { organizationId, epoch, at } = place;
  const key = newKey(signing, place);
  const known = await signingKeysOf(transaction, organizationId);
  // A reused key could not show whether it signed something before or after its rotation.
  if (known.some((other) => other.epoch !== epoch && equalBytes(other.publicKey, key.publicKey)))
    throw conflict(
      'The key that the gateway is configured to rotate to has signed this log before. Ask the operator to ' +
        'name another key in LUCARNE_SIGNING_KEY, or to remove that setting. The next key is then created and ' +
        'encrypted in the database.',
    );
  await transaction.rows(
    query
      .insertInto('signing_keys')
      .values(valuesOf(SigningKeyEntity, { ...key, organizationId, epoch, createdAt: at }))
      .onConflict((conflict) => conflict.doNothing()),
  );
}

type NewKey = Pick<StoredKey, 'publicKey' | 'sealedSecret' | 'storeKey'>;

function newKey({ sealer, signatures }: Signing, { organizationId, epoch }: Place): NewKey {
  const { next: storeKey } = signatures;
  if (storeKey !== undefined)
    return { publicKey: signatures.publicKeyAt(storeKey), sealedSecret: null, storeKey };
  const name = `new key ${organizationId} ${epoch}`;
  const kept = signatures.kept<NewKey>(name);
  if (kept) return kept;
  const { publicKey, secret } = generateSigningKey();
  const sealedSecret = sealer.seal(secret, sealingContext(organizationId, epoch));
  secret.fill(0);
  return signatures.keep(name, { publicKey, sealedSecret, storeKey: null });
}

/** Destroys the secrets of the organization's keys that sign nothing anymore. */
export async function destroyUnusedSecrets(
  transaction: Transaction,
  organizationId: Id<'org'>,
  at: Date,
): Promise<void> {
  await transaction.rows(
    query
      .updateTable('signing_keys')
      .set({ sealed_secret: null })
      .where('organization_id', '=', organizationId)
      .where('cosigns_until', '<=', at)
      .where('sealed_secret', 'is not', null),
  );
}
