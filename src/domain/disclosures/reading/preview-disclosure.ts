import type { Foundation } from '../../../platform/database/index.js';
import { newestPosition } from '../../transactions/index.js';
import type { Disclosure } from '../disclosure.js';
import { MAX_DISCLOSED_RECORDS, scopeFromJson } from '../disclosure-scope.js';
import { countRecords } from '../results/select-records.js';

export interface DisclosurePreview {
  /** Null if there are more than a disclosure may have. */
  readonly records: number | null;
}

/** The records that a disclosure selects: as of its authorization or, before that, now. */
export async function previewDisclosure(
  { database }: Pick<Foundation, 'database'>,
  { organizationId, assetId, asOfPosition, scope }: Disclosure,
): Promise<DisclosurePreview> {
  const records = await countRecords(database, {
    organizationId,
    assetId,
    scope: scopeFromJson(scope),
    asOfPosition: asOfPosition ?? (await newestPosition(database, organizationId, assetId)),
  });
  return { records: records > MAX_DISCLOSED_RECORDS ? null : records };
}
