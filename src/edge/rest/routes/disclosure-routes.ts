import { examples } from '../examples/examples.js';
import type { Route } from '../route.js';
import { DisclosureParams, DisclosureSchema, RequestDisclosureSchema } from '../schemas/disclosure.js';

interface ShownDisclosure {
  readonly scope: { readonly fields: readonly string[] };
  readonly result: { readonly records: readonly Record<string, unknown>[] | null } | null;
}

/** A record has only the requested confidential fields: null without a value, and absent if they were not requested. */
function withRequestedFields(disclosure: ShownDisclosure): ShownDisclosure {
  const { scope, result } = disclosure;
  if (result === null) return disclosure;
  const absent = ['amount', 'fee'].filter((field) => !scope.fields.includes(field));
  for (const record of result.records ?? []) for (const field of absent) record[field] = undefined;
  return disclosure;
}

export const disclosureRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/v1/disclosures',
    document: 'request-disclosure',
    needs: ['scope disclosures:write'],
    credentials: 'api_key',
    tag: 'Disclosures',
    summary: 'Request a disclosure',
    description:
      'Requests confidential fields of records. The policy of the asset decides at once, or the disclosure is ' +
      '`pending` until a person decides: keep its id and read it later. Needs the scope `disclosures:write`.',
    body: { schema: RequestDisclosureSchema, as: 'input', examples: examples.requestDisclosure },
    idempotent: true,
    argumentNames: { idempotencyKey: 'Idempotency-Key' },
    answer: {
      status: 201,
      description: 'The disclosure, with its result if it was authorized at once.',
      schema: DisclosureSchema,
      examples: examples.requestedDisclosure,
      take: (data: { requestDisclosure: ShownDisclosure }) => withRequestedFields(data.requestDisclosure),
    },
    errors: {
      BAD_USER_INPUT:
        'A member is missing, unknown or malformed, `from` is after `to`, or the scope selects more than 10,000 ' +
        'records.',
      NOT_FOUND: 'Your organization has no such asset, or the asset no such record.',
      CONFLICT: 'The Idempotency-Key was used with another request.',
    },
  },
  {
    method: 'GET',
    path: '/v1/disclosures/{disclosureId}',
    document: 'get-disclosure',
    needs: ['scope disclosures:read'],
    credentials: 'api_key',
    tag: 'Disclosures',
    summary: 'Read a disclosure',
    description:
      'Returns a disclosure. `result` is null while the disclosure is pending or rejected. A result that was ' +
      'deleted at the end of its retention period has only its receipt. Needs the scope `disclosures:read`.',
    params: DisclosureParams,
    answer: {
      status: 200,
      description: 'The disclosure.',
      schema: DisclosureSchema,
      examples: examples.disclosure,
      take: (data: { disclosure: ShownDisclosure }) => withRequestedFields(data.disclosure),
    },
    errors: { NOT_FOUND: 'Your organization has no such disclosure.' },
  },
];
