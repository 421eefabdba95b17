import { relayExamples as examples } from '../examples/relay-examples.js';
import type { Route } from '../route.js';
import {
  RelayPackageSchema,
  RelayParams,
  RelayRequestSchema,
  SubmittedRelaySchema,
} from '../schemas/relay.js';

const surface = {
  credentials: 'none',
  anonymous: true,
  tag: 'Relays',
  reasons: {
    400: 'invalid_package',
    404: 'not_found',
    413: 'payload_too_large',
    415: 'unsupported_media_type',
    429: 'rate_limited',
    500: 'internal_error',
    503: 'relayer_unavailable',
  },
} as const;

const LIMITED =
  'Too many submissions, invalid proofs or attempts from this client address, or accepted packages of this pool, ' +
  'within a minute (`rate_limited`).';
const BUSY =
  'No request is accepted at present: too many requests wait (`queue_at_capacity`), the relayer cannot pay ' +
  'fees (`low_balance`) or is not running (`relayer_unavailable`). Try again after `Retry-After`.';
const UNKNOWN = 'There is no such relay request.';

export const relayRoutes: readonly Route[] = [
  {
    ...surface,
    method: 'POST',
    path: '/api/relay-requests',
    document: 'submit-relay-request',
    summary: 'Submit a package',
    description:
      'Submits a prepared package. Submitting the same package again, in any spelling, returns the existing ' +
      'request. If that request was `rejected`, or `failed` and cannot be retried, a new request is created, ' +
      'which needs a place in the queue. An accepted request is not a transaction on the ledger yet: keep the ' +
      'id, and read the status until it is `succeeded`, `rejected` or `failed`, or follow it with the GraphQL ' +
      'subscription `relayStatus`. Needs no credentials. Do not log the body.',
    reasons: { ...surface.reasons, 409: 'conflicting_payload' },
    body: {
      schema: RelayPackageSchema,
      as: 'input',
      isParsedByOperation: true,
      examples: examples.relayPackage,
    },
    answer: {
      status: 202,
      description: 'The request: accepted by this call or an earlier one, or `rejected` at once.',
      schema: SubmittedRelaySchema,
      examples: examples.submittedRelay,
      take: (data: { submitRelayRequest: unknown }) => data.submitRelayRequest,
    },
    errors: {
      BAD_USER_INPUT:
        'The package is malformed (`invalid_package`), its signals are not those of the circuit, not reduced or ' +
        'have a nullifier twice (`unsupported_signal_shape`), or the pool is not known (`unsupported_pool`). An ' +
        'unknown `zkConfigNonce` is not an error of this kind: the answer is 202, and the request is `rejected` ' +
        'with `zk_config_missing`.',
      CONFLICT: 'Another package was submitted for this operation (`conflicting_payload`).',
      TOO_MANY_REQUESTS: LIMITED,
      UNAVAILABLE: BUSY,
    },
  },
  {
    ...surface,
    method: 'GET',
    path: '/api/relay-requests/{relayRequestId}',
    document: 'get-relay-request',
    summary: 'Read the status of a relay request',
    description: 'The status of a relay request. Needs no credentials: the id is enough.',
    params: RelayParams,
    answer: {
      status: 200,
      description: 'The request.',
      schema: RelayRequestSchema,
      examples: examples.relayRequest,
      take: (data: { relayRequest: unknown }) => data.relayRequest,
    },
    errors: {
      NOT_FOUND: UNKNOWN,
      TOO_MANY_REQUESTS:
        'Too many requests without credentials from this client address within a minute (`rate_limited`). The ' +
        'GraphQL subscription `relayStatus` tells each change with one request.',
    },
  },
  {
    ...surface,
    method: 'POST',
    path: '/api/relay-requests/{relayRequestId}/attempts',
    document: 'retry-relay-request',
    summary: 'Start another attempt',
    description:
      'Starts another attempt of a failed relay request. `retryAllowed` must be true. Needs no credentials: ' +
      'the id is enough.',
    params: RelayParams,
    reasons: { ...surface.reasons, 409: 'retry_not_allowed' },
    answer: {
      status: 200,
      description: 'The request, `queued` for its next attempt.',
      schema: RelayRequestSchema,
      examples: examples.relayAttempt,
      take: (data: { retryRelayRequest: unknown }) => data.retryRelayRequest,
    },
    errors: {
      NOT_FOUND: UNKNOWN,
      CONFLICT: 'Another attempt is not allowed in the current state of the request (`retry_not_allowed`).',
      TOO_MANY_REQUESTS: LIMITED,
      UNAVAILABLE: BUSY,
    },
  },
];
