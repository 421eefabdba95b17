import { examples } from '../examples/examples.js';
import type { Route, RouteAnswer } from '../route.js';
import {
  ActivityLogQuery,
  ActivityLogSchema,
  ApplicationParams,
  CaseActivityQuery,
  CheckpointSchema,
  InclusionProofSchema,
  LogEntryParams,
  VerifierKeySchema,
} from '../schemas/activity-log.js';
import { CaseLogParams } from '../schemas/report.js';

interface ActivityPageData {
  readonly page: {
    readonly entries: readonly unknown[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  };
}

const list = {
  query: ActivityLogQuery,
  argumentNames: {
    first: 'limit',
    after: 'cursor',
    eventType: 'event_type',
    userId: 'user_id',
    caseId: 'case_id',
  },
  answer: {
    status: 200,
    description: 'A page of entries, newest first.',
    schema: ActivityLogSchema,
    examples: examples.activityLog,
    nextCursor: ({ page: { pageInfo } }: ActivityPageData) =>
      pageInfo.hasNextPage ? pageInfo.endCursor : null,
    take: ({ page }: ActivityPageData) => page.entries,
  } satisfies RouteAnswer,
} as const;

const BAD_QUERY =
  'A query parameter is unknown, given twice or malformed, or the cursor belongs to other filters.';
/** Permissions to read at least one log. */
const ANY_READER = [
  ...(['owner logs:view_activity', 'common logs:view_activity'] as const),
  'auditor reports:view_transactions',
] as const;
const NO_LOG =
  'You lack `logs:view_activity`, as the owner and in every bucket `common`, and `reports:view_transactions` in every ' +
  'bucket `auditor`.';
const NOT_OWNER = 'You lack the owner permission `logs:view_activity`.';

export const activityLogRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/auditors-log',
    document: 'list-activity',
    needs: ['owner logs:view_activity'],
    credentials: 'session',
    tag: 'Activity log',
    summary: 'List the activity of the organization',
    description: 'Lists completed actions, newest first. Needs the owner permission `logs:view_activity`.',
    ...list,
    errors: { BAD_USER_INPUT: BAD_QUERY, FORBIDDEN: NOT_OWNER },
  },
  {
    method: 'GET',
    path: '/api/applications/{foreignId}/auditors-log',
    document: 'list-application-activity',
    needs: ['common logs:view_activity'],
    credentials: 'session',
    tag: 'Activity log',
    summary: 'List the activity of an application',
    description:
      'Lists the completed actions of the application, newest first. Needs `logs:view_activity` in the bucket ' +
      '`common`.',
    params: ApplicationParams,
    ...list,
    errors: {
      BAD_USER_INPUT: BAD_QUERY,
      FORBIDDEN: 'You lack `logs:view_activity` for this application, or the application does not exist.',
    },
  },
  {
    method: 'GET',
    path: '/api/applications/{foreignId}/cases/{caseId}/auditors-log',
    document: 'list-case-activity',
    needs: ['auditor reports:view_transactions'],
    credentials: 'session',
    tag: 'Activity log',
    summary: 'List the activity of a case',
    description:
      'Lists the completed actions of the case, newest first. Needs `reports:view_transactions` in the bucket ' +
      '`auditor`, an assignment to the case, and an active case.',
    params: CaseLogParams,
    ...list,
    query: CaseActivityQuery,
    errors: {
      BAD_USER_INPUT: BAD_QUERY,
      FORBIDDEN:
        'You lack `reports:view_transactions` for this application, or the application does not exist.',
      NOT_FOUND: 'There is no such active case that is assigned to you.',
    },
  },
  {
    method: 'GET',
    path: '/api/auditors-log/checkpoint',
    document: 'get-log-checkpoint',
    needs: ANY_READER,
    credentials: 'session',
    tag: 'Activity log',
    summary: 'Read the newest checkpoint',
    description:
      'Returns the newest signed checkpoint of the organization’s log. Keep it: every later checkpoint must be ' +
      'consistent with it. Needs permission to read at least one log of the organization.',
    answer: {
      status: 200,
      contentType: 'text/plain',
      description: 'The checkpoint.',
      schema: CheckpointSchema,
      examples: examples.logCheckpoint,
      take: (data: { logCheckpoint: { note: string } }) => data.logCheckpoint.note,
    },
    errors: { FORBIDDEN: NO_LOG, NOT_FOUND: 'No entry has been sequenced yet.' },
  },
  {
    method: 'GET',
    path: '/api/auditors-log/{index}/proof',
    document: 'get-log-proof',
    needs: ['owner logs:view_activity'],
    credentials: 'session',
    tag: 'Activity log',
    summary: 'Read the proof of an entry',
    description:
      'Returns the proof that the entry is in the log, under the newest checkpoint. Needs the owner permission ' +
      '`logs:view_activity`.',
    params: LogEntryParams,
    answer: {
      status: 200,
      contentType: 'text/plain',
      description: 'The proof, which ends with the checkpoint.',
      schema: InclusionProofSchema,
      examples: examples.logProof,
      take: (data: { logInclusionProof: { file: string } }) => data.logInclusionProof.file,
    },
    errors: { FORBIDDEN: NOT_OWNER, NOT_FOUND: 'The log has no such entry yet.' },
  },
  {
    method: 'GET',
    path: '/api/auditors-log/key',
    document: 'get-log-key',
    needs: ANY_READER,
    credentials: 'session',
    tag: 'Activity log',
    summary: 'Read the key of the log',
    description:
      'Returns the key that signs the checkpoints. Needs permission to read at least one log of the ' +
      'organization.',
    answer: {
      status: 200,
      contentType: 'text/plain',
      description: 'The verifier key.',
      schema: VerifierKeySchema,
      examples: examples.logKey,
      take: (data: { logVerifierKey: string }) => `${data.logVerifierKey}\n`,
    },
    errors: { FORBIDDEN: NO_LOG, NOT_FOUND: 'No entry has been sequenced yet.' },
  },
];
