import { generateSigningKey, sign, type Sealer } from '../crypto/index.js';
import { sql, type Transaction } from '../database/index.js';
import type { Id } from '../kernel/ids.js';

/** The organization's Ed25519 key: it signs receipts and the checkpoints of its log. */
export interface OrganizationSigner {
  /** 32 bytes, RFC 8032. */
  readonly publicKey: Uint8Array;
  /** A 64-byte signature. */
  sign(message: Uint8Array): Uint8Array;
}

const sealingContext = (organizationId: Id<'org'>) => `signing_keys/${organizationId}`;

/** The organization's signer, its key made and sealed at the first need. */
export async function organizationSigner(
  transaction: Transaction,
  sealer: Sealer,
  organizationId: Id<'org'>,
  at: Date,
): Promise<OrganizationSigner> {
  const stored = async () => {
    const [row] = await transaction.rows(sql<{ publicKey: Uint8Array; sealedSecret: Uint8Array }>`
      select public_key as "publicKey", sealed_secret as "sealedSecret"
      from signing_keys where organization_id = ${organizationId}`);
    return row;
  };
  let key = await stored();
  if (!key) {
    await makeSigningKey(transaction, sealer, organizationId, at);
    key = await stored();
  }
  if (!key) throw new Error('The signing key that was just made cannot be read.');
  const { publicKey, sealedSecret } = key;
  return {
    publicKey,
    sign(message) {
      const secret = sealer.open(sealedSecret, sealingContext(organizationId));
      try {
        return sign(secret, message);
      } finally {
        secret.fill(0);
      }
    },
  };
}

/** Of two that make the first key at once, one is kept: both then read the same row. */
async function makeSigningKey(
  transaction: Transaction,
  sealer: Sealer,
  organizationId: Id<'org'>,
  at: Date,
): Promise<void> {
  const fresh = generateSigningKey();
  await transaction.rows(sql`
    insert into signing_keys (organization_id, public_key, sealed_secret, created_at)
    values (${organizationId}, ${fresh.publicKey}, ${sealer.seal(fresh.secret, sealingContext(organizationId))}, ${at})
    on conflict do nothing`);
  fresh.secret.fill(0);
}
