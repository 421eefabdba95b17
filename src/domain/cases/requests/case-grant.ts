import {
  aliasedColumnsOf,
  batchedByIds,
  type Foundation,
  query,
  type RowOf,
} from '../../../platform/database/index.js';
import { invalidMember, parseMembers } from '../../../platform/kernel/errors.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { parseInteger } from '../../../platform/kernel/text.js';
import type { Person } from '../../access/index.js';
import { CaseEntity } from '../case.entity.js';
import { auditorsOfCase } from '../people.js';
import type { DisclosureFlags, DisclosureFlagsInput } from '../disclosure-flags.js';
import { parsePeriodFrom, parsePeriodTo } from './case-period.js';
import type { CaseRequest } from './case-request.js';

/** The part of a request that an approval grants. Omitted members are granted as requested. */
export interface CaseGrantInput {
  readonly periodFrom?: string | null | undefined;
  readonly periodTo?: string | null | undefined;
  readonly accessDays?: number | null | undefined;
  readonly disclosureFlags?: DisclosureFlagsInput | null | undefined;
  readonly auditorIds?: readonly string[] | null | undefined;
  readonly assetIds?: readonly string[] | null | undefined;
}

type Asked = Pick<
  CaseRequest,
  'periodFrom' | 'periodTo' | 'accessDays' | 'disclosureFlags' | 'auditorIds' | 'assetIds'
>;

/** The scope of a case. */
export type CaseGrant = Asked;

/** A grant never exceeds the request. @throws `BAD_USER_INPUT` that names each member that does. */
export function parseGrant(asked: Asked, input: CaseGrantInput | null | undefined): CaseGrant {
  const grant = input ?? {};
  const periodTo = grant.periodTo ?? asked.periodTo;
  return parseMembers<CaseGrant>({
    periodFrom: () => {
      if (grant.periodFrom == null && grant.periodTo == null) return asked.periodFrom;
      const from = parsePeriodFrom(grant.periodFrom ?? asked.periodFrom, periodTo);
      if (from < asked.periodFrom) throw invalidMember('grant.periodFrom', NOT_WIDER);
      return from;
    },
    periodTo: () => {
      const to = parsePeriodTo(periodTo);
      if (to > asked.periodTo) throw invalidMember('grant.periodTo', NOT_WIDER);
      return to;
    },
    accessDays: () =>
      grant.accessDays == null
        ? asked.accessDays
        : parseInteger('grant.accessDays', grant.accessDays, 1, asked.accessDays),
    disclosureFlags: () => parseGrantedFlags(asked.disclosureFlags, grant.disclosureFlags),
    auditorIds: () => someOf('auditorIds', asked.auditorIds, grant.auditorIds),
    assetIds: () => someOf('assetIds', asked.assetIds, grant.assetIds),
  });
}

const NOT_WIDER = 'must be within the requested period';

/** A flag that is left out is granted as requested, like every member. False withholds it. */
function parseGrantedFlags(
  asked: DisclosureFlags,
  granted: DisclosureFlagsInput | null | undefined,
): DisclosureFlags {
  const flag = (name: keyof DisclosureFlags) => {
    const isGranted = granted?.[name] ?? asked[name];
    if (isGranted && !asked[name])
      throw invalidMember(`grant.disclosureFlags.${name}`, 'must not be granted: it was not requested');
    return isGranted;
  };
  return parseMembers<DisclosureFlags>({
    fullTxIds: () => flag('fullTxIds'),
    senderInformation: () => flag('senderInformation'),
    withdrawalDetails: () => flag('withdrawalDetails'),
  });
}

function someOf<Prefix extends 'usr' | 'ast'>(
  member: string,
  asked: readonly Id<Prefix>[],
  granted: readonly string[] | null | undefined,
): Id<Prefix>[] {
  if (granted == null) return [...asked];
  const known: readonly string[] = asked;
  if (granted.length === 0) throw invalidMember(`grant.${member}`, 'must hold at least one id');
  granted.forEach((id, index) => {
    if (!known.includes(id))
      throw invalidMember(`grant.${member}[${index}]`, 'must be one that was requested');
  });
  return asked.filter((id) => granted.includes(id));
}

/** The granted scope, for those who may see the request. */
export interface GrantedCase extends Pick<
  RowOf<typeof CaseEntity>,
  | 'id'
  | 'organizationId'
  | 'applicationId'
  | 'reason'
  | 'periodFrom'
  | 'periodTo'
  | 'accessDays'
  | 'disclosureFlags'
  | 'assetIds'
> {
  readonly auditors: readonly Person[];
}

export type GrantOf = (organizationId: Id<'org'>, caseId: Id<'cas'> | null) => Promise<GrantedCase | null>;

/** One statement reads all grants that are requested together. */
export function createGrantOf({ database }: Pick<Foundation, 'database'>): GrantOf {
  const grants = batchedByIds<GrantedCase>((isWanted) =>
    database.rows(
      query
        .selectFrom('cases')
        .select(
          aliasedColumnsOf('cases', CaseEntity, [
            'id',
            'organizationId',
            'applicationId',
            'reason',
            'accessDays',
            'disclosureFlags',
            'assetIds',
          ]),
        )
        .select((cases) => [
          cases.cast<string>('cases.period_from', 'text').as('periodFrom'),
          cases.cast<string>('cases.period_to', 'text').as('periodTo'),
          auditorsOfCase(cases).as('auditors'),
        ])
        .where(isWanted),
    ),
  );
  return async (organizationId, caseId) => {
    if (caseId === null) return null;
    const [grant] = await grants({ organizationId, ids: [caseId] });
    return grant ?? null;
  };
}
