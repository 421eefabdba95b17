import type { Foundation } from '../../../platform/database/index.js';
import type { ConfidentialEventType } from '../../../platform/ledger/index.js';
import { newestPosition } from '../../transactions/index.js';
import type { Disclosure } from '../disclosure.js';
import { MAX_DISCLOSED_RECORDS, scopeFromJson } from '../disclosure-scope.js';
import { summarizeRecords } from '../results/select-records.js';

/** Numbers and times of public records. All members are null if there are more records than a disclosure may have. */
export interface DisclosurePreview {
  readonly records: number | null;
  readonly byType: readonly { readonly type: ConfidentialEventType; readonly count: number }[] | null;
  /** Unix seconds. Null also if no record has a block time. */
  readonly earliest: number | null;
  readonly latest: number | null;
  readonly accounts: number | null;
}

const TOO_MANY: DisclosurePreview = {
  records: null,
  byType: null,
  earliest: null,
  latest: null,
  accounts: null,
};

/** The records that a disclosure selects: as of its authorization or, before that, now. */
export async function previewDisclosure(
  { database }: Pick<Foundation, 'database'>,
  { organizationId, assetId, asOfPosition, scope }: Disclosure,
): Promise<DisclosurePreview> {
  const { count, ...others } = await summarizeRecords(database, {
    organizationId,
    assetId,
    scope: scopeFromJson(scope),
    asOfPosition: asOfPosition ?? (await newestPosition(database, organizationId, assetId)),
  });
  return count > MAX_DISCLOSED_RECORDS ? TOO_MANY : { records: count, ...others };
}
