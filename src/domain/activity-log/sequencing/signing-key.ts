import { type SealedColumn, generateSigningKey, sign, type Sealer } from '../../../platform/crypto/index.js';
import { query, type Transaction } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';

/** The organization's Ed25519 key: it signs receipts and the checkpoints of its log. */
export interface OrganizationSigner {
  /** 32 bytes, RFC 8032. */
  readonly publicKey: Uint8Array;
  /** A 64-byte signature. */
  sign(message: Uint8Array): Uint8Array;
}

const sealingContext = (organizationId: Id<'org'>) => `signing_keys/${organizationId}`;

export const SEALED_SIGNING_KEYS: SealedColumn = {
  ...{ table: 'signing_keys', column: 'sealed_secret', purpose: 'signing_keys', rows: 1_000 },
  key: ['organization_id'],
  context: ([organizationId]) => sealingContext(organizationId as Id<'org'>),
};

/** The organization's signer. Its key is made and sealed when it is first needed. */
export async function organizationSigner(
  transaction: Transaction,
  sealer: Sealer,
  organizationId: Id<'org'>,
  at: Date,
): Promise<OrganizationSigner> {
  const stored = async () => {
    const [row] = await transaction.rows(
      query
        .selectFrom('signing_keys')
        .select(['public_key as publicKey', 'sealed_secret as sealedSecret'])
        .where('organization_id', '=', organizationId),
    );
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

/** If two callers race, one key wins, and both then read the same row. */
async function makeSigningKey(
  transaction: Transaction,
  sealer: Sealer,
  organizationId: Id<'org'>,
  at: Date,
): Promise<void> {
  const fresh = generateSigningKey();
  await transaction.rows(
    query
      .insertInto('signing_keys')
      .values({
        organization_id: organizationId,
        public_key: fresh.publicKey,
        sealed_secret: sealer.seal(fresh.secret, sealingContext(organizationId)),
        created_at: at,
      })
      .onConflict((conflict) => conflict.doNothing()),
  );
  fresh.secret.fill(0);
}
