import { expect, it } from '@jest/globals';
import { insertGeneration } from '../../../src/domain/reports/generation/generation-rows.js';
import {
  CHUNK_BYTES,
  chunkWriter,
  SEALED_CHUNKS,
} from '../../../src/domain/reports/generation/report-chunks.js';
import { sealingKeyOf } from '../../../src/platform/crypto/index.js';
import { sql } from '../../../src/platform/database/index.js';
import { newId } from '../../../src/platform/kernel/ids.js';
import {
  announceDataKeys,
  reseal,
  retireMasterKey,
  rotateMasterKey,
} from '../../../src/platform/keys/index.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { seedOrganization, testFoundation } from '../../kit/seed.js';
import { letSettle, openKeyRoom } from '../../platform/keys/key-room.js';

it('content that is made while the master key is rotated and retired is sealed with the data key that is in use when it is stored', async () => {
  await using database = await createTestDatabase();
  await using room = await openKeyRoom();
  await using gateway = await room.gateway(database);
  const foundation = { ...testFoundation(database), sealer: gateway.sealer };
  const { organization, application, owner } = await seedOrganization(foundation);
  const id = newId('rpt');
  const row = {
    ...{ id, organizationId: organization.id, applicationId: application.id, caseId: null },
    ...{ reportType: 'activity_log' as const, requestedBy: owner.principal.userId },
  };
  await insertGeneration(database, { ...row, requestedAt: foundation.clock.now() }, 'lease-1', () =>
    Promise.resolve(),
  );
  const writer = chunkWriter(foundation, id, 'lease-1');
  // The last of these bytes wait for more.
  const bytes = new Uint8Array(2.5 * CHUNK_BYTES).fill(7);
  await writer.write(bytes);

  const operator = room.operator(database);
  await rotateMasterKey(operator);
  await announceDataKeys(operator);
  await gateway.refresh();
  expect(await reseal({ ...operator, sealer: gateway.sealer })).toEqual([]);
  await letSettle(database);
  expect(await retireMasterKey(operator, 1)).toBeGreaterThan(0);

  await writer.write('the end');
  await writer.end();
  const chunks = await database.rows(sql<{ index: number; sealed: Uint8Array }>`
    select chunk_index as index, sealed_bytes as sealed from report_chunks where content_id = ${id}
    order by chunk_index`);
  expect(new Set(chunks.map(({ sealed }) => sealingKeyOf(sealed))).size).toBe(1);
  await using restarted = await room.gateway(database);
  const opened = chunks.map(({ index, sealed }) =>
    restarted.sealer.open(sealed, SEALED_CHUNKS.context([id, index])),
  );
  expect(Buffer.concat(opened)).toHaveLength(bytes.length + 'the end'.length);
});
