import { generateElGamalKeypair, type Sealer } from '../crypto/index.js';
import { sql, type Foundation, type Reader, type Transaction } from '../database/index.js';
import type { Id } from '../kernel/ids.js';

/** An organization's auditor key of one epoch. Every epoch is kept: ciphertexts stay readable under their time's key. */
export interface AuditorKey {
  readonly epoch: number;
  /** 32 bytes, a compressed ristretto255 point. */
  readonly publicKey: Uint8Array;
}

const sealingContext = (organizationId: Id<'org'>, epoch: number) =>
  `auditor_keys/${organizationId}/${epoch}`;

/** The organization's newest auditor key, made and sealed at the first need. */
export async function currentAuditorKey(
  transaction: Transaction,
  foundation: Pick<Foundation, 'sealer' | 'clock' | 'random'>,
  organizationId: Id<'org'>,
): Promise<AuditorKey> {
  const newest = () => readKeys(transaction, organizationId).then((keys) => keys.at(0));
  const existing = await newest();
  if (existing) return existing;
  const { secret, publicKey } = generateElGamalKeypair(foundation.random);
  const sealedSecret = foundation.sealer.seal(secret, sealingContext(organizationId, 1));
  secret.fill(0);
  // Of two first needs at once one key is kept: the other waits here for its commit, then reads it.
  await transaction.rows(sql`
    insert into auditor_keys (organization_id, epoch, public_key, sealed_secret, created_at)
    values (${organizationId}, 1, ${publicKey}, ${sealedSecret}, ${foundation.clock.now()})
    on conflict (organization_id, epoch) do nothing`);
  const kept = await newest();
  if (!kept) throw new Error('The auditor key that was just made cannot be read.');
  return kept;
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
  const [row] = await reader.rows(sql<{ sealed: Uint8Array }>`
    select sealed_secret as sealed from auditor_keys
    where organization_id = ${organizationId} and epoch = ${epoch}`);
  if (!row) throw new Error(`The organization has no auditor key of epoch ${epoch}.`);
  const secret = sealer.open(row.sealed, sealingContext(organizationId, epoch));
  try {
    return await use(secret);
  } finally {
    secret.fill(0);
  }
}

function readKeys(reader: Reader, organizationId: Id<'org'>): Promise<AuditorKey[]> {
  return reader.rows(sql<AuditorKey>`
    select epoch, public_key as "publicKey" from auditor_keys
    where organization_id = ${organizationId} order by epoch desc`);
}
