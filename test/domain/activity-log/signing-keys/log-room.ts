import {
  checkpointOfNow,
  logSigningKeys,
  newestCheckpoint,
} from '../../../../src/domain/activity-log/index.js';
import { rotateSigningKey } from '../../../../src/domain/organizations/signing-keys/rotate-signing-key.js';
import { openCheckpoint, parseVerifierKey } from '../../../../src/platform/crypto/index.js';
import { sql, type Database, type Foundation } from '../../../../src/platform/database/index.js';
import type { SeededOrganization } from '../../../kit/seed.js';
import { exportOf, type LogFile } from '../exporting/exported-log.js';
import { act, faultsOfLog, loggedEntries, PUBLIC_HOST } from '../kit.js';

/** The questions of tests to the log of one organization. */
export function roomOf(database: Database, { organization, owner }: SeededOrganization) {
  const organizationId = organization.id;
  const newest = () => newestCheckpoint(database, organizationId);
  return {
    organizationId,
    newest,
    rotate: (foundation: Foundation, input: object = {}) =>
      rotateSigningKey(foundation, owner.principal, { reason: 'The key moves', ...input }),
    grow: async (foundation: Foundation) => {
      await act(foundation, organizationId, 1);
      return checkpointOfNow(foundation, { organizationId, publicHost: PUBLIC_HOST });
    },
    keys: async () => (await logSigningKeys(database, organizationId)).map((key) => key.verifierKey),
    places: () =>
      database.rows(sql<{ epoch: number; store: string | null; sealed: boolean }>`
        select epoch, store_key as store, sealed_secret is not null as sealed from signing_keys
        where organization_id = ${organizationId} order by epoch`),
    waiting: async () =>
      (await loggedEntries(database, organizationId)).filter(({ index }) => index === null).length,
    exported: async () => JSON.parse(await exportOf(database, organizationId)) as LogFile,
    faults: () => faultsOfLog(database, organizationId),
  };
}

export const opensWith = (note: string, key: string) =>
  openCheckpoint(note, parseVerifierKey(key)!) !== undefined;
