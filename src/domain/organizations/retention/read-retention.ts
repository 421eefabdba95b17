import {
  DEFAULT_RETENTION_YEARS,
  type Caller,
  requireOperatorOr,
  RETENTION_KINDS,
  type RetentionKind,
  selectHoldsInForce,
} from '../../access/index.js';
import { type Foundation, query, type Reader } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';

export interface RetentionSetting {
  readonly kind: RetentionKind;
  readonly years: number;
  /** Whether the default applies. */
  readonly isDefault: boolean;
}

export interface LegalHold {
  readonly id: Id<'hld'>;
  readonly organizationId: Id<'org'>;
  readonly kinds: readonly RetentionKind[];
  readonly reason: string;
  /** When the hold ends by itself. Null if it does not. */
  readonly until: Date | null;
  readonly placedBy: Id<'usr'>;
  readonly placedAt: Date;
}

export interface Retention {
  readonly settings: readonly RetentionSetting[];
  /** The holds that are in force. */
  readonly legalHolds: readonly LegalHold[];
}

/** The organization's retention periods and legal holds. */
export async function readRetention(
  { database }: Pick<Foundation, 'database'>,
  caller: Caller,
): Promise<Retention> {
  const { organizationId } = requireOperatorOr(caller, 'policies:manage');
  return {
    settings: await retentionSettings(database, organizationId),
    legalHolds: await holdsInForce(database, organizationId),
  };
}

/** The settings of every kind. */
export async function retentionSettings(
  reader: Reader,
  organizationId: Id<'org'>,
): Promise<RetentionSetting[]> {
  const rows = await reader.rows(
    query
      .selectFrom('retention_settings')
      .select(['kind', 'years'])
      .where('organization_id', '=', organizationId),
  );
  return RETENTION_KINDS.map((kind) => {
    const set = rows.find((row) => row.kind === kind);
    return { kind, years: set?.years ?? DEFAULT_RETENTION_YEARS[kind], isDefault: !set };
  });
}

export async function holdsInForce(reader: Reader, organizationId: Id<'org'>): Promise<LegalHold[]> {
  const holds = await reader.rows(selectHoldsInForce(organizationId));
  return holds.map((hold) => ({ ...hold, organizationId }));
}
