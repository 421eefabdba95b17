import { sql } from '../database/index.js';
import type { AddressStatus } from './address-state.js';
import type { Network } from './check-subject.js';

/** An address of which an application has said something. */
export interface ListedAddress {
  readonly network: Network;
  readonly address: string;
  readonly status: AddressStatus;
  readonly reason: string;
  /** The user who last changed the status (`usr_…`). */
  readonly changedBy: string;
  readonly changedAt: Date;
}

export const ADDRESS_COLUMNS = sql`network, address, status, reason, changed_by as "changedBy",
  changed_at as "changedAt"`;
