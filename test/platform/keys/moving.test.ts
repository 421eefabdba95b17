import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Database } from '../../../src/platform/database/index.js';
import {
  announceDataKeys,
  createMasterKeys,
  type KeyStores,
  keyStatus,
  parseKeyUri,
  reseal,
  retireMasterKey,
  rotateMasterKey,
} from '../../../src/platform/keys/index.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { letSettle, opened, openGateway, openKeyRoom, storedPieces, storePieces } from './key-room.js';
import { openLocalAwsKms } from './stores/local-aws-kms.js';
import { gcpError, openLocalGcpKms } from './stores/local-gcp-kms.js';
import { openLocalVault } from './stores/local-vault.js';
import { HAS_SOFT_HSM, openSoftHsm } from './stores/soft-hsm.js';

const PIECES = 20;

/** A store that can be made unavailable. */
interface Moved extends AsyncDisposable {
  readonly stores: KeyStores;
  setPresent(isPresent: boolean): Promise<void>;
}

const TOKEN = 'lucarne-rotation';

const softHsm = (): Promise<Moved> => openSoftHsm(TOKEN);

async function localVault(): Promise<Moved> {
  const vault = await openLocalVault();
  const setPresent = (isPresent: boolean) => {
    vault.trouble = isPresent ? undefined : () => ({ status: 503 });
    return Promise.resolve();
  };
  return Object.assign(vault, { setPresent });
}

async function localAwsKms(): Promise<Moved> {
  const kms = await openLocalAwsKms();
  // AWS gives keys their ids, so an operator creates them.
  for (const name of ['master-1', 'master-2', 'master-3']) kms.makeKey(`${AWS_PREFIX}${name}`);
  const setPresent = (isPresent: boolean) => {
    kms.trouble = isPresent ? undefined : () => ({ status: 500, body: '{}' });
    return Promise.resolve();
  };
  return Object.assign(kms, { setPresent });
}

async function localGcpKms(): Promise<Moved> {
  const kms = await openLocalGcpKms();
  for (const name of ['master-1', 'master-2', 'master-3']) kms.makeKey(`${GCP_PREFIX}${name}`);
  const setPresent = (isPresent: boolean) => {
    kms.trouble = isPresent ? undefined : () => gcpError('UNAVAILABLE');
    return Promise.resolve();
  };
  return Object.assign(kms, { setPresent });
}

const GCP_PREFIX = 'projects/p/locations/europe-west3/keyRings/lucarne/cryptoKeys/';
const AWS_PREFIX = 'arn:aws:kms:eu-central-1:123456789012:key/';

describe.each([
  ['a token (SoftHSM2)', softHsm, `pkcs11:token=${TOKEN};object=`, 'has no AES key “nobody”'],
  ['Vault (a local server)', localVault, 'vault:transit/', 'has no key “transit/nobody”'],
  ['AWS KMS (a local server)', localAwsKms, `aws-kms:${AWS_PREFIX}`, 'AWS KMS has no key'],
  ['Cloud KMS (a local server)', localGcpKms, `gcp-kms:${GCP_PREFIX}`, 'Cloud KMS has no key'],
] as const)('moving the master key into %s', (_, open, prefix, missing) => {
  const uri = (name: string) => parseKeyUri(`${prefix}${name}`);
  // Without Debian's softhsm2, there is no token.
  const there = open === softHsm && !HAS_SOFT_HSM ? it.skip : it;
  const parts = new AsyncDisposableStack();
  let moved: Moved;
  let database: Database;
  beforeAll(async () => {
    if (there === it.skip) return;
    moved = parts.use(await open());
    database = parts.use(await createTestDatabase());
  });
  afterAll(() => parts.disposeAsync());

  there('is a rotation, and so is the way from one of its keys to the next', async () => {
    await using room = await openKeyRoom(moved.stores);
    const gateway = await room.gateway(database);
    await storePieces(database, gateway.sealer, 'one', PIECES);
    const { store: provider, locator } = uri('master-1');
    expect(await rotateMasterKey(room.operator(database), uri('master-1'))).toMatchObject({
      ...{ version: 2, provider, locator },
    });
    await gateway.refresh();
    expect(gateway.master).toEqual({ version: 2, isReachable: true });

    // From here on, the file is not needed.
    const place = { kind: 'store', name: 'it', uri: uri('master-1') } as const;
    const masterKeys = createMasterKeys(place, moved.stores);
    const expectOpen = async () =>
      expect(opened((await openGateway(database, masterKeys)).sealer, await storedPieces(database))).toBe(
        PIECES,
      );
    await expectOpen();
    const again = rotateMasterKey({ database, masterKeys }, uri('master-1'));
    await expect(again).rejects.toThrow(/is already a master key of this database/);
    await expect(rotateMasterKey({ database, masterKeys })).rejects.toThrow(/Name the next one with --to/);
    expect(await rotateMasterKey({ database, masterKeys }, uri('master-2'))).toMatchObject({ version: 3 });

    // An unavailable provider is no reason to use another key.
    await moved.setPresent(false);
    await expect(openGateway(database, masterKeys)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    const next = rotateMasterKey({ database, masterKeys }, uri('master-3'));
    await expect(next).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(opened(gateway.sealer, await storedPieces(database))).toBe(PIECES);
    await moved.setPresent(true);
    await expectOpen();

    const operator = { ...room.operator(database), masterKeys };
    await announceDataKeys(operator);
    await reseal({ ...operator, sealer: (await openGateway(database, masterKeys)).sealer });
    await letSettle(database);
    expect(await retireMasterKey(operator, 1)).toBeGreaterThan(0);
    expect(await retireMasterKey(operator, 2)).toBe(0);
    await expectOpen();
    // Back to a file.
    expect(await rotateMasterKey(room.operator(database))).toMatchObject({ version: 4, provider: 'file' });
    expect(opened((await room.gateway(database)).sealer, await storedPieces(database))).toBe(PIECES);
  });

  there('can be where a database begins', async () => {
    await using fresh = await createTestDatabase();
    const place = { kind: 'store', name: 'it', uri: uri('master-1') } as const;
    const { sealer } = await openGateway(fresh, createMasterKeys(place, moved.stores));
    await storePieces(fresh, sealer, 'one', 1);
    expect((await keyStatus(fresh)).masterKeys).toMatchObject([{ version: 1, provider: place.uri.store }]);
    const nobody = { ...place, uri: uri('nobody') };
    await using other = await createTestDatabase();
    await expect(openGateway(other, createMasterKeys(nobody, moved.stores))).rejects.toThrow(missing);
  });
});
