import { caseExamples as examples } from '../examples/case-examples.js';
import type { Route, RouteAnswer } from '../route.js';
import { ApplicationParams } from '../schemas/activity-log.js';
import {
  CaseApprovalSchema,
  CaseDecisionSchema,
  CaseListQuery,
  CaseListSchema,
  CaseRequestListSchema,
  CaseRequestParams,
  CaseRequestSchema,
  CaseSchema,
  CreateCaseRequestSchema,
} from '../schemas/case.js';

interface PageData {
  readonly page: {
    readonly items: readonly unknown[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  };
}

const page = {
  status: 200,
  nextCursor: ({ page: { pageInfo } }: PageData) => (pageInfo.hasNextPage ? pageInfo.endCursor : null),
  take: ({ page: { items } }: PageData) => items,
} satisfies Partial<RouteAnswer>;

const list = {
  params: ApplicationParams,
  query: CaseListQuery,
  argumentNames: { first: 'limit', after: 'cursor' },
} as const;

const BAD_QUERY = 'A query parameter is unknown, given twice or malformed.';
const BAD_DECISION = 'The reason is too long, or a member is unknown.';
const NO_REQUEST = 'The application has no such request, or none that you may see.';
const DECIDED = 'The request is no longer pending.';
const lacking = (permission: string) =>
  `You lack ${permission} for this application, the application does not exist, or the request comes from a page of another site.`;

export const caseRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/applications/{foreignId}/disclosure-registry',
    document: 'list-disclosure-registry',
    needs: ['administrator cases:approve_creation'],
    credentials: 'session',
    tag: 'Cases',
    summary: 'List the case requests of an application',
    description:
      'Lists all requests, newest first. Needs the administrator permission `cases:approve_creation`.',
    ...list,
    answer: {
      ...page,
      description: 'A page of requests.',
      schema: CaseRequestListSchema,
      examples: examples.requests,
    },
    errors: { BAD_USER_INPUT: BAD_QUERY, FORBIDDEN: lacking('`cases:approve_creation`') },
  },
  {
    method: 'GET',
    path: '/api/applications/{foreignId}/cases',
    document: 'list-cases',
    needs: [
      'administrator cases:approve_creation',
      'administrator cases:list',
      'auditor reports:view_transactions',
    ],
    credentials: 'session',
    tag: 'Cases',
    summary: 'List cases',
    description:
      'Lists cases, newest first. The administrator permission `cases:approve_creation` or `cases:list` shows ' +
      'all cases; the auditor permission `reports:view_transactions` shows the active cases that are assigned ' +
      'to you.',
    ...list,
    answer: {
      ...page,
      description: 'A page of cases.',
      schema: CaseListSchema,
      examples: examples.cases,
    },
    errors: { BAD_USER_INPUT: BAD_QUERY, FORBIDDEN: lacking('every permission that shows cases') },
  },
  {
    method: 'POST',
    path: '/api/applications/{foreignId}/cases',
    document: 'create-case-request',
    needs: ['auditor cases:create'],
    credentials: 'session',
    tag: 'Cases',
    summary: 'Request a case',
    description:
      'Files a request for a case. It gives no access until an administrator approves it. Needs the auditor ' +
      'permission `cases:create`.',
    params: ApplicationParams,
    body: { schema: CreateCaseRequestSchema, as: 'variables', examples: examples.createCaseRequest },
    argumentNames: {
      periodFrom: 'period_from',
      periodTo: 'period_to',
      accessDays: 'access_days',
      auditorIds: 'auditor_ids',
      assetIds: 'asset_ids',
    },
    answer: {
      status: 201,
      description: 'The request.',
      schema: CaseRequestSchema,
      examples: examples.createdRequest,
      take: (data: { createCaseRequest: unknown }) => data.createCaseRequest,
    },
    errors: {
      BAD_USER_INPUT:
        'A member is missing, unknown or malformed, `period_from` is after `period_to`, an auditor holds no ' +
        'auditor permission of the application, or an asset does not belong to the application.',
      FORBIDDEN: lacking('`cases:create`'),
    },
  },
  {
    method: 'POST',
    path: '/api/applications/{foreignId}/cases/requests/{id}/withdraw',
    document: 'withdraw-case-request',
    needs: ['auditor cases:withdraw_pending_request'],
    credentials: 'session',
    tag: 'Cases',
    summary: 'Withdraw a case request',
    description:
      'Closes your own pending request. Needs the auditor permission `cases:withdraw_pending_request`.',
    params: CaseRequestParams,
    answer: {
      status: 200,
      description: 'The withdrawn request.',
      schema: CaseRequestSchema,
      examples: examples.withdrawnRequest,
      take: (data: { withdrawCaseRequest: unknown }) => data.withdrawCaseRequest,
    },
    errors: {
      FORBIDDEN: lacking('`cases:withdraw_pending_request`'),
      NOT_FOUND: NO_REQUEST,
      CONFLICT: DECIDED,
    },
  },
  {
    method: 'POST',
    path: '/api/applications/{foreignId}/case-requests/{id}/approve',
    document: 'approve-case-request',
    needs: ['administrator cases:approve_creation'],
    credentials: 'session',
    tag: 'Cases',
    summary: 'Approve a case request',
    description:
      'Approves a pending request, in full or, with `grant`, in part. The request becomes a case, and the ' +
      'access of its auditors begins. What the flags mask is still on the public ledger: anyone who knows the destination and ' +
      'the day of a transfer can find it there, with its sender and its id. Needs the administrator permission ' +
      '`cases:approve_creation`.',
    params: CaseRequestParams,
    body: { schema: CaseApprovalSchema, as: 'variables', optional: true, examples: examples.caseApproval },
    answer: {
      status: 200,
      description: 'The case.',
      schema: CaseSchema,
      examples: examples.openedCase,
      take: (data: { approveCaseRequest: unknown }) => data.approveCaseRequest,
    },
    errors: {
      BAD_USER_INPUT: `${BAD_DECISION} Or \`grant\` exceeds what was requested.`,
      FORBIDDEN:
        'You lack `cases:approve_creation` for this application, the application does not exist, the request is your own ' +
        'and a second person must approve it, or it comes from a page of another site.',
      NOT_FOUND: NO_REQUEST,
      CONFLICT: DECIDED,
    },
  },
  {
    method: 'POST',
    path: '/api/applications/{foreignId}/case-requests/{id}/close',
    document: 'close-case-request',
    needs: ['administrator cases:approve_creation'],
    credentials: 'session',
    tag: 'Cases',
    summary: 'Close a case request',
    description:
      'Closes a pending request without a case. Needs the administrator permission `cases:approve_creation`.',
    params: CaseRequestParams,
    body: { schema: CaseDecisionSchema, as: 'variables', optional: true, examples: examples.caseDecision },
    answer: {
      status: 200,
      description: 'The closed request.',
      schema: CaseRequestSchema,
      examples: examples.closedRequest,
      take: (data: { closeCaseRequest: unknown }) => data.closeCaseRequest,
    },
    errors: {
      BAD_USER_INPUT: BAD_DECISION,
      FORBIDDEN: lacking('`cases:approve_creation`'),
      NOT_FOUND: NO_REQUEST,
      CONFLICT: DECIDED,
    },
  },
];
