import { Type } from 'typebox';
import { closed, dateTime, identifier, named, open, orNull, text, timestamp } from './common.js';

const ActivityEntrySchema = named(
  'ActivityEntry',
  'A completed action. If personal values were erased, each is replaced by its digest, `{ "sha256": … }`.',
  Type.Object({
    id: identifier('log', 'entry'),
    index: orNull(
      Type.Integer({
        minimum: 0,
        description:
          'The index of the entry in the organization’s log, from 0. Null until the entry is sequenced, which ' +
          'takes about a second.',
      }),
    ),
    event_type: Type.String({ description: 'The type of the action, such as `asset.created`.' }),
    user: orNull(Type.String({ description: 'The display name of the actor. Null if it was erased.' })),
    user_id: Type.String({
      description: 'Id of the actor: a user (`usr_…`), an API key (`key_…`), `operator` or `gateway`.',
    }),
    object: Type.Object(
      {},
      { ...open, description: 'The object of the action. Its members depend on the event type.' },
    ),
    details: Type.Object(
      {},
      { ...open, description: 'More data about the action. Its members depend on the event type.' },
    ),
    application_foreign_id: orNull(
      Type.String({
        description: 'The foreignId of the application that the action belongs to. Null if there is none.',
      }),
    ),
    case_id: orNull(identifier('cas', 'case')),
    created_at: timestamp('When the action was completed.'),
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
  user_id: Type.Optional(text(128, 'Only actions of this user, API key or service.')),
  from: Type.Optional(dateTime('Only actions at this time or later.')),
  to: Type.Optional(dateTime('Only actions at this time or earlier.')),
};

export const ActivityLogQuery = Type.Object(
  { ...criteria, case_id: Type.Optional(text(64, 'Only entries of this case (`cas_…`).')) },
  closed,
);

/** The case id is in the path. */
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
