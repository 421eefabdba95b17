import {
  approveCaseRequest,
  type CaseRecord,
  closeCaseRequest,
  createCaseRequest,
  type CreateCaseRequestInput,
  type DisclosureFlags,
  findCase,
  listCases,
  listCaseTransactions,
  sumCaseTransactions,
  withdrawCaseRequest,
} from '../../../src/domain/cases/index.js';
import { type Foundation, sql } from '../../../src/platform/database/index.js';
import type { Clock } from '../../../src/platform/kernel/clock.js';
import { isLucarneError } from '../../../src/platform/kernel/errors.js';
import { PERMISSIONS, type Principal } from '../../../src/domain/access/index.js';
import { seedAsset, type SeededAsset } from '../../kit/ledger/confidential-records.js';
import { inlinePool } from '../../kit/ledger/inline-pool.js';
import { type SeededOrganization, type SeededUser, seedMember, seedOrganization } from '../../kit/seed.js';

/** A clock that stands still until it is set. */
export interface SetClock extends Clock {
  set(time: Date | string | number): void;
  advance(durationMs: number): void;
}

export function setClock(start = '2026-03-10T12:00:00.000Z'): SetClock {
  let now = new Date(start).getTime();
  return {
    now: () => new Date(now),
    set: (time) => void (now = new Date(time).getTime()),
    advance: (durationMs) => void (now += durationMs),
  };
}

export const DAY = 24 * 60 * 60 * 1000;
export const NO_FLAGS: DisclosureFlags = {
  fullTxIds: false,
  senderInformation: false,
  withdrawalDetails: false,
};
export const EVERY_FLAG: DisclosureFlags = {
  fullTxIds: true,
  senderInformation: true,
  withdrawalDetails: true,
};

export interface CaseOffice extends SeededOrganization {
  readonly foreignId: string;
  readonly administrator: SeededUser;
  readonly ana: SeededUser;
  readonly abel: SeededUser;
  /** An asset of the application. */
  readonly asset: SeededAsset;
  request(
    principal?: Principal,
    input?: Partial<CreateCaseRequestInput>,
  ): ReturnType<typeof createCaseRequest>;
  approve(id: string, principal?: Principal, reason?: string): Promise<CaseRecord>;
  close(id: string, principal?: Principal, reason?: string): ReturnType<typeof closeCaseRequest>;
  withdraw(id: string, principal?: Principal): ReturnType<typeof withdrawCaseRequest>;
  /** A case for Ana, approved now. */
  open(input?: Partial<CreateCaseRequestInput>): Promise<CaseRecord>;
  find(id: string, principal: Principal): Promise<CaseRecord>;
  visible(principal: Principal): Promise<string[]>;
  transactions(
    caseId: string,
    input?: { first?: number; after?: string | null; type?: string },
    principal?: Principal,
  ): ReturnType<typeof listCaseTransactions>;
  totals(caseId: string, principal?: Principal): ReturnType<typeof sumCaseTransactions>;
  readonly pool: ReturnType<typeof inlinePool>;
}

/** An organization with an application, an administrator and two auditors, and the operations of cases. */
export async function openOffice(foundation: Foundation, foreignId = 'payments'): Promise<CaseOffice> {
  const seeded = await seedOrganization(foundation, { foreignId });
  const organizationId = seeded.organization.id;
  const member = (bucket: 'administrator' | 'auditor', name: string) =>
    seedMember(
      foundation,
      organizationId,
      { applications: [{ foreignId, [bucket]: PERMISSIONS[bucket] }] },
      name,
    );
  const administrator = await member('administrator', 'Ada Administrator');
  const ana = await member('auditor', 'Ana Auditor');
  const abel = await member('auditor', 'Abel Auditor');
  const asset = await seedAsset(foundation, organizationId, { applicationId: seeded.application.id });
  const pool = inlinePool();

  const office: CaseOffice = {
    ...seeded,
    foreignId,
    administrator,
    ana,
    abel,
    asset,
    pool,
    request: (principal = ana.principal, input = {}) =>
      createCaseRequest(foundation, principal, {
        foreignId,
        reason: 'Quarterly audit',
        periodFrom: '2026-01-01',
        periodTo: '2026-03-31',
        accessDays: 30,
        disclosureFlags: {},
        auditorIds: [ana.principal.userId],
        ...input,
      }),
    approve: (id, principal = administrator.principal, reason) =>
      approveCaseRequest(foundation, principal, { foreignId, id, reason }),
    close: (id, principal = administrator.principal, reason) =>
      closeCaseRequest(foundation, principal, { foreignId, id, reason }),
    withdraw: (id, principal = ana.principal) =>
      withdrawCaseRequest(foundation, principal, { foreignId, id }),
    open: async (input) => office.approve((await office.request(ana.principal, input)).id),
    find: (id, principal) => findCase(foundation, principal, { foreignId, id }),
    visible: async (principal) =>
      (await listCases(foundation, principal, { foreignId })).nodes.map(({ id }) => id),
    transactions: (caseId, input = {}, principal = ana.principal) =>
      listCaseTransactions(foundation, pool, principal, { foreignId, caseId, ...input }),
    totals: (caseId, principal = ana.principal) =>
      sumCaseTransactions(foundation, pool, principal, { foreignId, caseId }),
  };
  return office;
}

/** The error code of an operation; `DONE` if it succeeds. */
export async function codeOf(operation: Promise<unknown>): Promise<string> {
  try {
    await operation;
    return 'DONE';
  } catch (thrown) {
    if (isLucarneError(thrown)) return thrown.code;
    throw thrown;
  }
}

/** The types of the log entries about a request or case, in order. */
export async function logOf({ database }: Foundation, id: string): Promise<string[]> {
  const rows = await database.rows(sql<{ type: string }>`
    select event_type as type from activity_entries
    where entry -> 'object' ->> 'id' = ${id} or case_id = ${id} order by sequence`);
  return rows.map(({ type }) => type);
}
