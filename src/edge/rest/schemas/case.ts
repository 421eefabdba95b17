import { Type } from 'typebox';
import { closed, date, identifier, named, oneOf, orNull, text, timestamp } from './common.js';

const FLAGS = {
  full_tx_ids: 'The ids, signatures and exact times of transactions.',
  sender_information: 'The source account, the authority and the signer, which identify the sender.',
  withdrawal_details: 'The amounts and destinations of withdrawals.',
} as const;

export const DisclosureFlagsSchema = named(
  'DisclosureFlags',
  'What is shown in addition to amounts and days.',
  Type.Object({
    full_tx_ids: Type.Boolean({ description: FLAGS.full_tx_ids }),
    sender_information: Type.Boolean({ description: FLAGS.sender_information }),
    withdrawal_details: Type.Boolean({ description: FLAGS.withdrawal_details }),
  }),
);

export const PersonSchema = named(
  'CasePerson',
  'A person who works on a case.',
  Type.Object({
    id: identifier('usr', 'user'),
    name: Type.String({ description: 'Name.' }),
    email: Type.String({ description: 'E-mail address.' }),
  }),
);

const parameters = {
  reason: Type.String({ description: 'The reason why the auditor needs access.' }),
  period_from: Type.String({ format: 'date', description: 'The first day that is covered (UTC).' }),
  period_to: Type.String({ format: 'date', description: 'The last day that is covered, to its end (UTC).' }),
  access_days: Type.Integer({ description: 'Days of access after the approval, 24 hours each.' }),
  disclosure_flags: DisclosureFlagsSchema,
  asset_ids: Type.Array(identifier('ast', 'asset'), {
    description: 'The assets whose transactions are covered.',
  }),
};

export const CaseRequestSchema = named(
  'CaseRequest',
  'An auditor’s request for a case.',
  Type.Object({
    id: identifier('crq', 'case request'),
    status: oneOf(
      ['pending', 'approved', 'closed'],
      'The status of the request. A withdrawn request is `closed`.',
    ),
    withdrawn: Type.Boolean({ description: 'Whether the requester withdrew the request.' }),
    requested_by: PersonSchema,
    ...parameters,
    auditor_ids: Type.Array(identifier('usr', 'user'), { description: 'The proposed auditors.' }),
    created_at: timestamp('When the request was filed.'),
    decided_at: orNull(
      timestamp('When the request was approved, closed or withdrawn. Null while it is pending.'),
    ),
    decided_by: orNull(identifier('usr', 'user who approved, closed or withdrew the request')),
    decision_reason: orNull(
      Type.String({ description: 'The reason for the decision. Null if none was given.' }),
    ),
    case_id: orNull(identifier('cas', 'case that the approval created')),
  }),
);

export const CaseSchema = named(
  'Case',
  'Access of assigned auditors to the transactions of an application, for a limited time and scope.',
  Type.Object({
    id: identifier('cas', 'case'),
    request_id: identifier('crq', 'approved request'),
    status: oneOf(['active', 'expired'], 'Whether the case is active or expired at the time of the answer.'),
    ...parameters,
    auditors: Type.Array(PersonSchema, { description: 'The assigned auditors.' }),
    approved_by: identifier('usr', 'user who approved the request'),
    created_at: timestamp('When the request was approved and access began.'),
    expires_at: timestamp('When access ends.'),
    seconds_left: Type.Integer({
      minimum: 0,
      description:
        'The number of seconds of access left when the answer was made, rounded up. 0 once the case has expired.',
    }),
  }),
);

export const CaseRequestListSchema = Type.Array(CaseRequestSchema, {
  description: 'Requests, newest first.',
});
export const CaseListSchema = Type.Array(CaseSchema, { description: 'Cases, newest first.' });

export const CaseListQuery = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 200,
        default: 50,
        description: 'Maximum number of items to return.',
      }),
    ),
    cursor: Type.Optional(text(512, 'The cursor in the `Link` header of the previous page.')),
  },
  closed,
);

export const CaseRequestParams = Type.Object(
  {
    foreignId: Type.String({ description: 'foreignId of the application, from `/auth/me`.' }),
    id: identifier('crq', 'case request'),
  },
  closed,
);

export const CreateCaseRequestSchema = named(
  'CreateCaseRequest',
  'A request for a case.',
  Type.Object(
    {
      reason: text(2000, 'The reason why you need access.'),
      period_from: date('The first day to cover (UTC).'),
      period_to: date('The last day to cover, to its end (UTC).'),
      access_days: Type.Integer({
        minimum: 1,
        maximum: 3650,
        description: 'Days of access after the approval.',
      }),
      disclosure_flags: Type.Object(
        {
          full_tx_ids: Type.Optional(Type.Boolean({ default: false, description: FLAGS.full_tx_ids })),
          sender_information: Type.Optional(
            Type.Boolean({ default: false, description: FLAGS.sender_information }),
          ),
          withdrawal_details: Type.Optional(
            Type.Boolean({ default: false, description: FLAGS.withdrawal_details }),
          ),
        },
        { ...closed, description: 'What to show in addition to amounts and days.' },
      ),
      auditor_ids: Type.Array(identifier('usr', 'user'), {
        minItems: 1,
        maxItems: 100,
        description: 'The auditors to assign: users who hold an auditor permission of the application.',
      }),
      asset_ids: Type.Optional(
        Type.Array(identifier('ast', 'asset'), {
          minItems: 1,
          maxItems: 1000,
          description: 'The assets to cover. By default all assets that the application has now.',
        }),
      ),
    },
    closed,
  ),
);

const grantedFlag = (description: string) =>
  Type.Optional(
    Type.Boolean({
      description: `${description} If the flag is absent, it is granted as requested; false withholds it.`,
    }),
  );

export const CaseApprovalSchema = named(
  'CaseApproval',
  'The approval of a case request.',
  Type.Object(
    {
      reason: Type.Optional(text(2000, 'The reason for the decision.')),
      grant: Type.Optional(
        Type.Object(
          {
            period_from: Type.Optional(date('The first day to cover (UTC).')),
            period_to: Type.Optional(date('The last day to cover, to its end (UTC).')),
            access_days: Type.Optional(
              Type.Integer({ minimum: 1, maximum: 3650, description: 'Days of access after the approval.' }),
            ),
            disclosure_flags: Type.Optional(
              Type.Object(
                {
                  full_tx_ids: grantedFlag(FLAGS.full_tx_ids),
                  sender_information: grantedFlag(FLAGS.sender_information),
                  withdrawal_details: grantedFlag(FLAGS.withdrawal_details),
                },
                { ...closed, description: 'What to show in addition to amounts and days.' },
              ),
            ),
            auditor_ids: Type.Optional(
              Type.Array(identifier('usr', 'user'), {
                minItems: 1,
                maxItems: 100,
                description: 'The auditors to assign: at least one, and only proposed ones.',
              }),
            ),
            asset_ids: Type.Optional(
              Type.Array(identifier('ast', 'asset'), {
                minItems: 1,
                maxItems: 1000,
                description: 'The assets to grant: at least one, and only requested ones.',
              }),
            ),
          },
          {
            ...closed,
            description:
              'What to grant, if it is less than what was requested. A member that is absent is granted as requested.',
          },
        ),
      ),
    },
    closed,
  ),
);

export const CaseDecisionSchema = named(
  'CaseDecision',
  'The closing of a case request.',
  Type.Object({ reason: Type.Optional(text(2000, 'The reason for the decision.')) }, closed),
);
