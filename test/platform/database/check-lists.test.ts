import { beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/platform/database/index.js';
import { BUCKETS } from '../../../src/domain/access/permissions/permissions.js';
import { ASSET_STATUSES } from '../../../src/domain/assets/asset-state.js';
import { FOLLOWED_KINDS } from '../../../src/domain/assets/mint.entity.js';
import { CASE_REQUEST_STATUSES } from '../../../src/domain/cases/requests/case-request-state.js';
import { ADDRESS_STATUSES } from '../../../src/domain/checks/addresses/address-state.js';
import { CHECK_REASONS, CHECK_STEPS } from '../../../src/domain/checks/check-rules.js';
import {
  DISCLOSURE_DECISIONS,
  DISCLOSURE_STATUSES,
} from '../../../src/domain/disclosures/disclosure-state.js';
import { DISCLOSURE_FORMATS } from '../../../src/domain/disclosures/policies/disclosure-rules.js';
import { PROPOSED_OPERATIONS } from '../../../src/domain/access/second-person/second-person-table.js';
import { RETENTION_KINDS } from '../../../src/domain/access/retention/retention-kinds.js';
import { WAITS } from '../../../src/domain/relays/waits.js';
import { ATTEMPT_OUTCOMES } from '../../../src/domain/relays/relay.entity.js';
import { isTerminal, RELAY_STATUSES } from '../../../src/domain/relays/relay-state.js';
import { GENERATION_STATUSES } from '../../../src/domain/reports/generation/generation-rows.js';
import { REPORT_FORMATS, REPORT_TYPES } from '../../../src/domain/reports/report-types.js';
import { NETWORKS } from '../../../src/platform/kernel/enums/network.js';
import type { Provider } from '../../../src/platform/keys/master-key.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { forFile } from '../../kit/for-file.js';

/** The code has no list of this union. A forgotten or unknown member does not compile. */
const PROVIDERS: Readonly<Record<Provider, true>> = {
  file: true,
  pkcs11: true,
  vault: true,
  'aws-kms': true,
  'gcp-kms': true,
};

/** Every CHECK with text values, by constraint, and the list in the code that it must match. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  address_checks_decided_by_check: CHECK_STEPS,
  address_checks_reason_check: CHECK_REASONS,
  application_addresses_network_check: NETWORKS,
  application_addresses_status_check: ADDRESS_STATUSES,
  assets_status_check: ASSET_STATUSES,
  case_requests_status_check: CASE_REQUEST_STATUSES,
  disclosures_decision_check: DISCLOSURE_DECISIONS,
  disclosures_format_check: DISCLOSURE_FORMATS,
  disclosures_status_check: DISCLOSURE_STATUSES,
  followed_addresses_kind_check: FOLLOWED_KINDS,
  indexed_mints_status_check: ASSET_STATUSES,
  master_keys_provider_check: Object.keys(PROVIDERS),
  permission_grants_bucket_check: BUCKETS,
  pending_permission_grants_bucket_check: BUCKETS,
  proposed_operations_operation_check: PROPOSED_OPERATIONS,
  legal_holds_kinds_check: RETENTION_KINDS,
  retention_settings_kind_check: RETENTION_KINDS,
  relay_conclusions_outcome_check: ATTEMPT_OUTCOMES,
  relay_requests_waiting_for_check: WAITS,
  relay_requests_status_check: RELAY_STATUSES,
  // A finished generation has no row: the report replaces it.
  report_generations_status_check: GENERATION_STATUSES.filter((status) => status !== 'finished'),
  report_generations_report_type_check: REPORT_TYPES,
  reports_format_check: REPORT_FORMATS,
  reports_report_type_check: REPORT_TYPES,

  // Only these statuses have a reason.
  relay_requests_check: ['rejected', 'failed'],
  // Ended requests are never due.
  relay_requests_check1: RELAY_STATUSES.filter(isTerminal),
  // A request without its package: not stored yet, or not kept.
  relay_requests_check2: ['accepted', 'rejected'],
  // One value of a list, which another column depends on.
  address_checks_application: ['unknown_application'],
  address_checks_check: ['approved'],
  case_requests_check: ['closed'],
  case_requests_check2: ['approved'],
  case_requests_check3: ['pending'],
  pending_permission_grants_check: ['owner'],
  permission_grants_check: ['owner'],
};

const database = forFile(await createTestDatabase());

describe('the lists of values that the database checks', () => {
  let checked: Map<string, string[]>;

  beforeAll(async () => {
    const rows = await database.rows(sql<{ name: string; definition: string }>`
      select conname as name, pg_get_constraintdef(oid) as definition
      from pg_constraint where contype = 'c' and connamespace = 'public'::regnamespace`);
    checked = new Map(
      rows.flatMap(({ name, definition }) => {
        const values = [...definition.matchAll(/'((?:[^']|'')*)'::text/g)].map(([, value = '']) => value);
        return values.length === 0 ? [] : [[name, values]];
      }),
    );
  });

  it('are all listed here, and no others', () => {
    expect([...checked.keys()].sort()).toEqual(Object.keys(LISTS).sort());
  });

  it.each(Object.keys(LISTS))('%s agrees with the code', (name) => {
    expect([...checked.get(name)!].sort()).toEqual([...LISTS[name]!].sort());
  });
});
