import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readConfiguration } from '../../../src/app/configuration/index.js';
import { examineAuditorKeys } from '../../../src/app/doctor/examine-auditor-keys.js';
import { examineKeys } from '../../../src/app/doctor/examine-keys.js';
import { createAsset, withAuditorSecret } from '../../../src/domain/assets/index.js';
import { rotateAuditorKey } from '../../../src/domain/assets/auditor-keys/rotate-auditor-key.js';
import {
  acrossOrganizations,
  type Database,
  type Foundation,
  sql,
} from '../../../src/platform/database/index.js';
import { base64 } from '../../../src/platform/kernel/encoding/bytes.js';
import type { Id } from '../../../src/platform/kernel/ids.js';
import { announceDataKeys, type Keyring, reseal } from '../../../src/platform/keys/index.js';
import { EURO } from '../../domain/assets/kit.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { seedOrganization, testFoundation } from '../../kit/seed.js';
import { type KeyRoom, openKeyRoom } from '../../platform/keys/key-room.js';

const reason = 'The old key may have leaked';
const TO_DO =
  'Restore its row of auditor_keys from a backup. Until then, this gateway reads no amount that was encrypted to it.';

describe('lucarne doctor', () => {
  let parts: AsyncDisposableStack;
  let database: Database;
  let room: KeyRoom;
  let keyring: Keyring;
  let foundation: Foundation;
  beforeEach(async () => {
    parts = new AsyncDisposableStack();
    database = parts.use(await createTestDatabase());
    room = parts.use(await openKeyRoom());
    keyring = parts.use(await room.gateway(database));
    foundation = { ...testFoundation(database), sealer: keyring.sealer };
  });
  afterEach(() => parts.disposeAsync());

  /** An organization with keys of epochs 1 and 2. */
  async function organizationWithTwoKeys(name: string): Promise<Id<'org'>> {
    const { organization, owner, apiKey } = await seedOrganization(foundation, { name, foreignId: name });
    await createAsset(foundation, apiKey.principal, EURO);
    await rotateAuditorKey(foundation, owner.principal, { reason });
    return organization.id;
  }
  async function found() {
    const configuration = await readConfiguration({
      ...{ DATABASE_URL: 'postgres://u@127.0.0.1/lucarne', LUCARNE_MASTER_KEY_FILE: room.file },
    });
    const checks = await acrossOrganizations(() => examineKeys(database, configuration));
    return checks
      .filter(({ check }) => check === 'auditor keys')
      .map(({ result, detail }) => `${result} ${detail}`);
  }
  const secretOf = (organizationId: Id<'org'>, epoch: number) =>
    withAuditorSecret(database, keyring.sealer, organizationId, epoch, (secret) =>
      Promise.resolve(base64.encode(secret)),
    );

  it('opens the auditor keys of all epochs and organizations, and names those that do not open or are another key’s', async () => {
    expect(await found()).toEqual(['ok Examined: all 0. Each opens, and belongs to its public key.']);
    const [one, other] = [await organizationWithTwoKeys('one'), await organizationWithTwoKeys('other')];
    expect(await found()).toEqual(['ok Examined: all 4. Each opens, and belongs to its public key.']);

    const secrets = [await secretOf(one, 1), await secretOf(other, 2)];
    await database.rows(sql`update auditor_keys set sealed_secret = set_byte(sealed_secret, 30,
      get_byte(sealed_secret, 30) # 1) where organization_id = ${one} and epoch = 1`);
    await database.rows(sql`update auditor_keys set public_key = ${base64.decode(secrets[0]!)!}
      where organization_id = ${other} and epoch = 2`);
    const lines = await found();
    expect(lines).toHaveLength(3);
    expect(lines).toContainEqual(
      expect.stringMatching(
        new RegExp(
          `^failed The auditor key of epoch 1 of ${one} does not work: A sealed value cannot be opened`,
        ),
      ),
    );
    expect(lines).toContain(
      `failed The auditor key of epoch 2 of ${other} does not work: Its secret does not belong to its public key. ${TO_DO}`,
    );
    expect(lines.at(-1)).toBe('failed Examined: all 4. 2 do not work.');
    for (const secret of secrets) expect(lines.join('\n')).not.toContain(secret);
  });

  it('opens auditor keys that were sealed again since it read the data keys', async () => {
    await organizationWithTwoKeys('one');
    const before = await room.gateway(database);
    const operator = room.operator(database);
    await announceDataKeys(operator);
    await reseal({ ...operator, sealer: (await room.gateway(database)).sealer });
    expect(await examineAuditorKeys(database, before)).toMatchObject([{ result: 'ok' }]);
  });

  it('opens as many auditor keys as the limit allows, and says how many there are if there are more', async () => {
    await organizationWithTwoKeys('one');
    await organizationWithTwoKeys('other');
    expect(await examineAuditorKeys(database, keyring, 3)).toMatchObject([
      { detail: 'Examined: 3 of 4, chosen at random. Each opens, and belongs to its public key.' },
    ]);
    await database.rows(sql`update auditor_keys set sealed_secret = substring(sealed_secret from 1 for 40)`);
    const broken = await examineAuditorKeys(database, keyring, 3);
    expect(broken).toHaveLength(4);
    expect(broken.at(-1)).toMatchObject({
      result: 'failed',
      detail: 'Examined: 3 of 4, chosen at random. 3 do not work.',
    });
  });

  it('lists ten auditor keys that do not work, and counts the others', async () => {
    const { owner, apiKey } = await seedOrganization(foundation);
    await createAsset(foundation, apiKey.principal, EURO);
    const begin = foundation.clock.now().getTime();
    for (let epoch = 2; epoch <= 12; epoch += 1) {
      // A few a day are allowed.
      const clock = { now: () => new Date(begin + epoch * 86_400_000) };
      await rotateAuditorKey({ ...foundation, clock }, owner.principal, { reason });
    }
    await database.rows(sql`update auditor_keys set sealed_secret = substring(sealed_secret from 1 for 40)`);
    const broken = await examineAuditorKeys(database, keyring);
    expect(broken).toHaveLength(11);
    expect(broken.at(-1)!.detail).toBe('Examined: all 12. 12 do not work; 2 of them are not listed.');
  });
});
