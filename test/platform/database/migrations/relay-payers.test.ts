import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { keyPairSigner, listPayers } from '../../../../src/domain/relays/index.js';
import { wireTransaction } from '../../../../src/domain/relays/execution/transaction-terms.js';
import { selectAttempts } from '../../../../src/domain/relays/relay.js';
import { type Database, sql } from '../../../../src/platform/database/index.js';
import type { Id } from '../../../../src/platform/kernel/ids.js';
import { compileMessage } from '../../../../src/platform/ledger/index.js';
import { randomAddress } from '../../../kit/ledger/confidential-records.js';
import { createEmptyDatabase } from '../../../kit/database/database.js';
import { migrateBefore } from '../../../kit/database/migrations.js';
import { relayerKey } from '../../../domain/relays/kit.js';

const MIGRATION = '0038-relay-payers';
const BLOCKHASH = '11111111111111111111111111111111';

describe('the migration that adds the payer of an attempt', () => {
  let empty: Awaited<ReturnType<typeof createEmptyDatabase>>;
  let database: Database;
  const open = { id: 'rly_open' as Id<'rly'>, payer: keyPairSigner(relayerKey()) };
  const ended = { id: 'rly_ended' as Id<'rly'>, payer: keyPairSigner(relayerKey()) };
  const late = { id: 'rly_late' as Id<'rly'>, payer: keyPairSigner(relayerKey()) };

  /** As the version before wrote it. */
  const insert = async ({ id, payer }: typeof open, status: string) => {
    const message = compileMessage(
      {
        programId: randomAddress(),
        accounts: [{ address: payer.address, isSigner: true, isWritable: true }],
        data: new Uint8Array(8),
      },
      { payer: payer.address, blockhash: BLOCKHASH, computeUnits: 1, microLamportsPerUnit: 0 },
    )!;
    const transaction = wireTransaction(message, await payer.sign(message));
    await database.rows(sql`
      insert into relay_requests (id, pool_selector, program_id, package_digest, sealed_package, status, sequence,
        attempt_number, next_look_at, created_at, updated_at)
      values (${id}, 'pool', 'program', ${Buffer.alloc(32)}, ${Buffer.alloc(1)}, ${status}, 1, 1,
        ${status === 'submitted' ? new Date() : null}, now(), now())`);
    await database.rows(sql`
      insert into relay_attempts (request_id, number, signature, message_sha256, transaction, blockhash,
        last_valid_block_height, context_slot, compute_units, fee_lamports, created_at)
      values (${id}, 1, ${`${id} signature`}, ${Buffer.alloc(32)}, ${transaction}, ${BLOCKHASH}, 1, 1, 1, 5000, now())`);
  };

  beforeAll(async () => {
    empty = await createEmptyDatabase();
    [database] = (await empty.open(1)) as [Database];
    await migrateBefore(database, MIGRATION);
    await insert(open, 'submitted');
    await insert(ended, 'succeeded');
    await database.migrate(MIGRATION);
    // A process of the previous version continues to write.
    await insert(late, 'submitted');
  }, 60_000);
  afterAll(async () => empty[Symbol.asyncDispose]());

  it('reads it from earlier signed transactions, and from those that the previous version signs afterwards', async () => {
    for (const { id, payer } of [open, ended, late])
      expect(await selectAttempts(database, id)).toMatchObject([{ payer: payer.address }]);
  });

  it('finds the open attempts of a payer', async () => {
    const listed = await listPayers(database, [{ address: ended.payer.address, state: 'retiring' }]);
    expect(listed).toHaveLength(3);
    expect(listed).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ address: ended.payer.address, state: 'retiring', openAttempts: 0 }),
        expect.objectContaining({ address: open.payer.address, state: 'removed', openAttempts: 1 }),
        expect.objectContaining({ address: late.payer.address, state: 'removed', openAttempts: 1 }),
      ]),
    );
  });
});
