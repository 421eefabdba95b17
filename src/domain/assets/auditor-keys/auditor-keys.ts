import {
  type ElGamalKeypair,
  generateElGamalKeypair,
  type SealedColumn,
  type Sealer,
} from '../../../platform/crypto/index.js';
import {
  columnsOf,
  query,
  type Foundation,
  type Reader,
  type Transaction,
  valuesOf,
} from '../../../platform/database/index.js';
import { conflict, tooManyRequests } from '../../../platform/kernel/errors.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { lockOrganization } from '../../access/index.js';
import { AuditorKeyEntity } from '../asset.entity.js';

/** A record that no key opens costs one attempt for each epoch. */
const MAX_AUDITOR_KEY_EPOCHS = 32;
/** One person could otherwise use up all of them at once, before anyone else sees it in the log. */
const MAX_AUDITOR_KEYS_PER_DAY = 4;
const DAY_MS = 86_400_000;

/** An organization's auditor key of one epoch. Every epoch is kept, so that older ciphertexts stay readable. */
export interface AuditorKey {
  readonly epoch: number;
  /** 32 bytes, a compressed ristretto255 point. */
  readonly publicKey: Uint8Array;
  readonly createdAt: Date;
  /** The key was created elsewhere. It decrypts what was encrypted to it, but no asset shows it. */
  readonly imported: boolean;
}

const AUDITOR_KEY_COLUMNS = columnsOf(AuditorKeyEntity, ['epoch', 'publicKey', 'createdAt', 'imported']);

const sealingContext = (organizationId: Id<'org'>, epoch: number) =>
  `auditor_keys/${organizationId}/${epoch}`;

export const SEALED_AUDITOR_KEYS: SealedColumn = {
  ...{ table: 'auditor_keys', column: 'sealed_secret', purpose: 'auditor_keys', rows: 200 },
  key: ['organization_id', 'epoch'],
  context: ([organizationId, epoch]) => sealingContext(organizationId as Id<'org'>, epoch as number),
};

/** The key that assets show: the newest key that was created here. */
export const currentOf = (keys: readonly AuditorKey[]): AuditorKey | undefined =>
  keys.find(({ imported }) => !imported);

/** The organization's current auditor key. It is created and sealed when it is first needed. */
export async function currentAuditorKey(
  transaction: Transaction,
  foundation: Pick<Foundation, 'sealer' | 'clock' | 'random'>,
  organizationId: Id<'org'>,
): Promise<AuditorKey> {
  const existing = currentOf(await readKeys(transaction, organizationId));
  if (existing) return existing;
  // If two callers race, one creates the key. The other one waits here for the commit and then reads it.
  await lockOrganization(transaction, organizationId);
  const keys = await readKeys(transaction, organizationId);
  const made =
    currentOf(keys) ?? (await addAuditorKey(transaction, foundation, organizationId, nextEpoch(keys)));
  if (!made) throw new Error('The epoch of the first auditor key was taken while the keys were locked.');
  return made;
}

/** The epoch after the newest one. `keys` are newest first. */
export const nextEpoch = ([newest]: readonly AuditorKey[]): number => (newest?.epoch ?? 0) + 1;

/** @throws `CONFLICT` if the organization has the maximum number of keys */
export function requireRoomForKey(epoch: number): void {
  if (epoch > MAX_AUDITOR_KEY_EPOCHS)
    throw conflict(
      `An organization can have at most ${MAX_AUDITOR_KEY_EPOCHS} auditor keys. Yours has reached this limit.`,
    );
}

/**
 * `keys` are newest first. The first one, which a new asset needs, does not count.
 * @throws `TOO_MANY_REQUESTS` if the organization has added too many in 24 hours
 */
export function requireFewKeysToday(keys: readonly AuditorKey[], at: Date): void {
  const oldest = keys.filter(({ epoch }) => epoch > 1)[MAX_AUDITOR_KEYS_PER_DAY - 1];
  if (!oldest) return;
  const waitMs = oldest.createdAt.getTime() + DAY_MS - at.getTime();
  if (waitMs > 0)
    throw tooManyRequests(
      `An organization can add at most ${MAX_AUDITOR_KEYS_PER_DAY} auditor keys in 24 hours. Try again later.`,
      Math.ceil(waitMs / 1000),
    );
}

/** Creates and seals the key of an epoch. Undefined if the epoch has a key. */
export async function addAuditorKey(
  transaction: Transaction,
  foundation: Pick<Foundation, 'sealer' | 'clock' | 'random'>,
  organizationId: Id<'org'>,
  epoch: number,
): Promise<AuditorKey | undefined> {
  const keypair = generateElGamalKeypair(foundation.random);
  try {
    return await storeAuditorKey(transaction, foundation, {
      organizationId,
      epoch,
      keypair,
      imported: false,
    });
  } finally {
    keypair.secret.fill(0);
  }
}

export interface NewAuditorKey {
  readonly organizationId: Id<'org'>;
  readonly epoch: number;
  readonly keypair: ElGamalKeypair;
  readonly imported: boolean;
}

/** Seals a key for an epoch. Undefined if the epoch has a key. The caller wipes the secret. */
export async function storeAuditorKey(
  transaction: Transaction,
  { sealer, clock }: Pick<Foundation, 'sealer' | 'clock'>,
  { organizationId, epoch, keypair, imported }: NewAuditorKey,
): Promise<AuditorKey | undefined> {
  const [added] = await transaction.rows(
    query
      .insertInto('auditor_keys')
      .values(
        valuesOf(AuditorKeyEntity, {
          organizationId,
          epoch,
          publicKey: keypair.publicKey,
          sealedSecret: sealer.seal(keypair.secret, sealingContext(organizationId, epoch)),
          createdAt: clock.now(),
          imported,
        }),
      )
      .onConflict((key) => key.columns(['organization_id', 'epoch']).doNothing())
      .returning(AUDITOR_KEY_COLUMNS),
  );
  return added;
}

/** Every epoch's public key, newest first. */
export function auditorKeysOf(reader: Reader, organizationId: Id<'org'>): Promise<AuditorKey[]> {
  return readKeys(reader, organizationId);
}

/** Passes the secret of one epoch to `use`, which must not keep it, and then wipes it. A worker wipes its own copy. */
export async function withAuditorSecret<Result>(
  reader: Reader,
  sealer: Sealer,
  organizationId: Id<'org'>,
  epoch: number,
  use: (secret: Uint8Array) => Promise<Result>,
): Promise<Result> {
  const [row] = await reader.rows(
    query
      .selectFrom('auditor_keys')
      .select('sealed_secret as sealed')
      .where('organization_id', '=', organizationId)
      .where('epoch', '=', epoch),
  );
  if (!row) throw new Error(`The organization has no auditor key of epoch ${epoch}.`);
  const secret = sealer.open(row.sealed, sealingContext(organizationId, epoch));
  try {
    return await use(secret);
  } finally {
    secret.fill(0);
  }
}

function readKeys(reader: Reader, organizationId: Id<'org'>): Promise<AuditorKey[]> {
  return reader.rows(
    query
      .selectFrom('auditor_keys')
      .select(AUDITOR_KEY_COLUMNS)
      .where('organization_id', '=', organizationId)
      .orderBy('epoch', 'desc'),
  );
}
