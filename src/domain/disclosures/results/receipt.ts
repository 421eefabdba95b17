import { verifierKey } from '../../../platform/crypto/index.js';
import { organizationSigner, type Signing } from '../../activity-log/index.js';
import {
  type Foundation,
  query,
  type Reader,
  type Transaction,
  valuesOf,
} from '../../../platform/database/index.js';
import { base64 } from '../../../platform/kernel/encoding/bytes.js';
import { notFound } from '../../../platform/kernel/errors.js';
import { type Id, parseIdOrNotFound } from '../../../platform/kernel/ids.js';
import { type Principal, requireScope } from '../../access/index.js';
import { ReceiptEntity } from '../disclosure.entity.js';
import { receiptKeyName, receiptMessage, type ReceiptBody, type SignedReceipt } from './receipt-statement.js';

/** Signs and stores a receipt in the transaction that makes its result available. */
export async function issueReceipt(
  transaction: Transaction,
  signing: Signing,
  ids: { readonly id: Id<'rcp'>; readonly organizationId: Id<'org'>; readonly disclosureId: Id<'dsc'> },
  body: ReceiptBody,
  createdAt: Date,
): Promise<SignedReceipt> {
  const signer = await organizationSigner(transaction, signing, ids.organizationId, createdAt);
  const signature = signer.sign(receiptMessage(body));
  await transaction.rows(
    query.insertInto('receipts').values(
      valuesOf(ReceiptEntity, {
        ...ids,
        ...{ body, signature, signingKeyEpoch: signer.epoch, createdAt },
      }),
    ),
  );
  return signed(body, signature, signer.publicKey);
}

/** A receipt of the organization. It has salted digests, and none of the disclosed data. */
export async function findReceipt(
  foundation: Foundation,
  principal: Principal | undefined,
  receiptId: string,
): Promise<SignedReceipt & { readonly id: Id<'rcp'> }> {
  const { organizationId } = requireScope(principal, 'disclosures:read');
  const id = parseIdOrNotFound('rcp', receiptId);
  const receipt = await readReceipt(foundation.database, organizationId, id);
  if (!receipt) throw notFound('receipt');
  return { id, ...receipt };
}

/** For callers whose permission was checked. */
export async function readReceipt(
  reader: Reader,
  organizationId: Id<'org'>,
  id: Id<'rcp'>,
): Promise<SignedReceipt | undefined> {
  const [row] = await reader.rows(
    query
      .selectFrom('receipts')
      .innerJoin('signing_keys', (join) =>
        join
          .onRef('signing_keys.organization_id', '=', 'receipts.organization_id')
          .onRef('signing_keys.epoch', '=', 'receipts.signing_key_epoch'),
      )
      .select(['body', 'signature', 'public_key as publicKey'])
      .where('receipts.organization_id', '=', organizationId)
      .where('receipts.id', '=', id),
  );
  return row && signed(row.body as unknown as ReceiptBody, row.signature, row.publicKey);
}

function signed(body: ReceiptBody, signature: Uint8Array, publicKey: Uint8Array): SignedReceipt {
  const name = receiptKeyName(body.organizationId);
  return { body, signature: base64.encode(signature), verifierKey: verifierKey(name, publicKey) };
}
