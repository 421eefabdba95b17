import { GraphQLDateTimeISO } from 'graphql-scalars';
import { FieldResolver, Resolver, Root } from 'type-graphql';
import type { Foundation } from '../../../platform/database/index.js';
import { PROOF_DESCRIPTION } from './disclosure-result.js';
import {
  DisclosedRecordType,
  DisclosureProofSchemeType,
  DisclosureResultType,
  ReceiptType,
} from './disclosure-result.type.js';
import type { ResultHandle } from './read-result.js';
import { readReceipt } from './receipt.js';

/** Up to 10,000 records are decrypted completely, so that a listing can show only a few results. */
const OPENING_COST = 500;

/** The members of a result. Only the members with plaintext open it. */
@Resolver(() => DisclosureResultType)
export class DisclosureResultResolver {
  constructor(private readonly foundation: Foundation) {}

  @FieldResolver(() => [DisclosedRecordType], {
    nullable: true,
    complexity: OPENING_COST,
    description:
      'The records in the order of indexing, whatever the format. Null once the result is deleted.',
  })
  async records(@Root() result: ResultHandle) {
    return (await result.open())?.records;
  }

  @FieldResolver(() => String, {
    nullable: true,
    complexity: OPENING_COST,
    description:
      'The records as text in the requested format. CSV has no proofs, and a cell that a spreadsheet would ' +
      'read as a formula begins with an apostrophe. Null once the result is deleted.',
  })
  async content(@Root() result: ResultHandle) {
    return (await result.open())?.content();
  }

  @FieldResolver(() => DisclosureProofSchemeType, {
    description: 'The scheme of the proofs, and how to check them.',
  })
  proof() {
    return PROOF_DESCRIPTION;
  }

  @FieldResolver(() => String, {
    nullable: true,
    complexity: OPENING_COST,
    description:
      'The salt of the digests in the receipt: base64 of 16 bytes. Null once the result is deleted.',
  })
  async salt(@Root() result: ResultHandle) {
    return (await result.open())?.salt;
  }

  @FieldResolver(() => GraphQLDateTimeISO, {
    nullable: true,
    description:
      'When the result was deleted at the end of its retention period. Null if it was not deleted. `records`, ' +
      '`content` and `salt` of a deleted result are null; its receipt is kept and can still be verified.',
  })
  deletedAt(@Root() result: ResultHandle) {
    return result.deletedAt();
  }

  @FieldResolver(() => ReceiptType, { description: 'The signed receipt.' })
  async receipt(@Root() { disclosure, receiptId }: ResultHandle) {
    const receipt = await readReceipt(this.foundation.database, disclosure.organizationId, receiptId);
    if (!receipt) throw new Error('A result has no receipt.');
    return { id: receiptId, ...receipt };
  }
}
