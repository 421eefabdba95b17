import { Type } from 'typebox';
import { closed, dateTime, identifier, named, open, orNull, text, timestamp } from './common.js';

const ActivityEntrySchema = named(
  'ActivityEntry',
  'A completed action. An erased personal value is replaced by its digest, `{ "sha256": … }`.',
  Type.Object({
    id: identifier('log', 'entry'),
    index: orNull(
      Type.Integer({
        minimum: 0,
        description:
          'Index in the organization’s log; null until the entry is sequenced, which takes about a second.',
      }),
    ),
    event_type: Type.String({ description: 'What was done, such as `asset.created`.' }),
    user: orNull(Type.String({ description: 'Display name of who acted; null when it was erased.' })),
    user_id: Type.String({ description: 'Id of who acted: a user, an API key, `operator` or `gateway`.' }),
    object: Type.Object(
      {},
      { ...open, description: 'What was acted on. Its members depend on the event type.' },
    ),
    details: Type.Object(
      {},
      { ...open, description: 'More about the action. Its members depend on the event type.' },
    ),
    application_foreign_id: orNull(
      Type.String({ description: 'foreignId of the application, where there is one.' }),
    ),
    case_id: orNull(identifier('cas', 'case')),
    created_at: timestamp('When it was done.'),
  }),
);

export const ActivityLogSchema = Type.Array(ActivityEntrySchema, { description: 'Entries, newest first.' });

const criteria = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 200,
      default: 50,
      description: 'Maximum number of entries to return.',
    }),
  ),
  cursor: Type.Optional(
    text(512, 'The cursor in the `Link` header of the previous page. Use the same filters.'),
  ),
  event_type: Type.Optional(text(64, 'Only events of this type, such as `asset.created`.')),
  user_id: Type.Optional(text(128, 'Only what this user, API key or service did.')),
  from: Type.Optional(dateTime('Only entries of this time or later.')),
  to: Type.Optional(dateTime('Only entries of this time or earlier.')),
};

export const ActivityLogQuery = Type.Object(
  { ...criteria, case_id: Type.Optional(text(64, 'Only entries of this case (`cas_…`).')) },
  closed,
);

/** The case is in the path. */
export const CaseActivityQuery = Type.Object(criteria, closed);

export const ApplicationParams = Type.Object(
  { foreignId: Type.String({ description: 'foreignId of the application, from `/auth/me`.' }) },
  closed,
);

export const LogEntryParams = Type.Object(
  { index: Type.Integer({ minimum: 0, description: 'Index of the entry in the log.' }) },
  closed,
);

export const CheckpointSchema = Type.String({ description: 'A signed note (C2SP tlog-checkpoint).' });
export const InclusionProofSchema = Type.String({ description: 'A proof file (C2SP tlog-proof).' });
export const VerifierKeySchema = Type.String({
  description: 'A verifier key (C2SP signed-note), on one line.',
});
