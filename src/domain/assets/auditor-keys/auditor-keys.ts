import { type SealedColumn, generateElGamalKeypair, type Sealer } from '../../../platform/crypto/index.js';
import {
  columnsOf,
  query,
  type Foundation,
  type Reader,
  type Transaction,
} from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { AuditorKeyEntity } from '../asset.entity.js';

/** Each record that none of them opens costs as many attempts as there are epochs. */
export const MAX_AUDITOR_KEY_EPOCHS = 32;

/** An organization's auditor key of one epoch. Every epoch is kept, so that older ciphertexts stay readable. */
export interface AuditorKey {
  readonly epoch: number;
  /** 32 bytes, a compressed ristretto255 point. */
  readonly publicKey: Uint8Array;
  readonly createdAt: Date;
}

const AUDITOR_KEY_COLUMNS = columnsOf(AuditorKeyEntity, ['epoch', 'publicKey', 'createdAt']);

const sealingContext = (organizationId: Id<'org'>, epoch: number) =>
  `auditor_keys/${organizationId}/${epoch}`;

export const SEALED_AUDITOR_KEYS: SealedColumn = {
  ...{ table: 'auditor_keys', column: 'sealed_secret', purpose: 'auditor_keys', rows: 1_000 },
  key: ['organization_id', 'epoch'],
  context: ([organizationId, epoch]) => sealingContext(organizationId as Id<'org'>, epoch as number),
};

/** The organization's newest auditor key, made and sealed when it is first needed. */
export async function currentAuditorKey(
  transaction: Transaction,
  foundation: Pick<Foundation, 'sealer' | 'clock' | 'random'>,
  organizationId: Id<'org'>,
): Promise<AuditorKey> {
  const newest = () => readKeys(transaction, organizationId).then((keys) => keys.at(0));
  const existing = await newest();
  if (existing) return existing;
  // If two callers race, one key wins: the other caller waits here for the commit, then reads that key.
  await addAuditorKey(transaction, foundation, organizationId, 1);
  const kept = await newest();
  if (!kept) throw new Error('The auditor key that was just made cannot be read.');
  return kept;
}

/** Makes and seals the key of an epoch; undefined when the epoch has one. */
export async function addAuditorKey(
  transaction: Transaction,
  foundation: Pick<Foundation, 'sealer' | 'clock' | 'random'>,
  organizationId: Id<'org'>,
  epoch: number,
): Promise<AuditorKey | undefined> {
  const { secret, publicKey } = generateElGamalKeypair(foundation.random);
  const sealedSecret = foundation.sealer.seal(secret, sealingContext(organizationId, epoch));
  secret.fill(0);
  const [added] = await transaction.rows(
    query
      .insertInto('auditor_keys')
      .values({
        organization_id: organizationId,
        epoch,
        public_key: publicKey,
        sealed_secret: sealedSecret,
        created_at: foundation.clock.now(),
      })
      .onConflict((key) => key.columns(['organization_id', 'epoch']).doNothing())
      .returning(AUDITOR_KEY_COLUMNS),
  );
  return added;
}

/** Every epoch's public key, newest first. */
export function auditorKeysOf(reader: Reader, organizationId: Id<'org'>): Promise<AuditorKey[]> {
  return readKeys(reader, organizationId);
}

/**
 * Lends the secret of one epoch to `use` and zeroes it afterwards. The callee must not keep it: what it hands to a
 * worker is a copy that the worker zeroes.
 */
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
