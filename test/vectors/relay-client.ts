// What the relay client in `@arcanetech/privacy-sdk-relay` 0.2 sends and accepts, according to its sources
// (github.com/Polynom-Labs/privacy-layer-confidential-sdk, packages/relay: src/serialize.ts, src/types.ts, src/relay-api.ts,
// src/reasons.ts, test/vectors/relay-wire-contract.json). Described, not copied: it has no license. Its configured origin ends
// in /api.

/**
 * The members in its format, in addition to `poolSelector`, `proofBytes` in hex, and `publicSignals`: all of them as one hex
 * string.
 */
export const CLIENT_MEMBERS = {
  version: 1,
  zkConfigNonce: '3',
  /** Padded to the length of its circuit. A name may occur twice. */
  applicationIdHints: ['101', '101', '0', '0', '0', '0'],
  ciphertextBytes: 'aa'.repeat(32),
  outputNoteEphemeralScalars: ['1', '2'],
  /** Opaque, in base64. */
  escrowAuthorization: 'AAAAAGVzY3Jvdw==',
  /** An unknown hint becomes null in JSON. */
  keyVersionHints: [1, null, 2, null],
} as const;

/** Members of earlier versions that it does not read. */
export const CLIENT_LEFTOVERS = { coinNote: { secret: 'x' }, spendScalar: 'deadbeef' } as const;

export const CLIENT_STATUSES = [
  ...['accepted', 'validating', 'queued', 'submitted', 'reconciling'],
  ...['succeeded', 'rejected', 'failed'],
] as const;

/** Reasons in the answer to a status, by what the client does: it gives up, or may retry. */
export const CLIENT_REJECTIONS = [
  ...['invalid_package', 'unsupported_signal_shape', 'positive_public_deposit'],
  ...['zk_config_missing', 'zk_config_deprecated', 'zk_config_incompatible', 'invalid_proof'],
  ...['kyt_rejected', 'kyt_authorization_mismatch', 'escrow_relay_unconfigured', 'escrow_authorization_mismatch'],
  ...['nullifiers_spent', 'simulation_failed', 'resource_fee_exceeded', 'resource_limit_exceeded'],
] as const;
export const CLIENT_RETRYABLE_FAILURES = ['send_failed', 'transaction_failed', 'infrastructure_failed'] as const;

/** Reasons in an answer with a status other than 200 and 202. */
export const CLIENT_HTTP_REASONS = [
  ...['payload_too_large', 'rate_limited', 'unsupported_pool', 'queue_at_capacity', 'low_balance'],
  ...['conflicting_payload', 'retry_not_allowed', 'not_found', 'relayer_unavailable'],
  ...['invalid_package', 'unsupported_signal_shape'],
] as const;

/** The members of answers that it reads, and their types. */
export const CLIENT_ACCEPTED = { relayRequestId: 'string', status: 'string', createdAt: 'string', statusUrl: 'string' };
export const CLIENT_STATUS = {
  ...{ relayRequestId: 'string', status: 'string', createdAt: 'string', updatedAt: 'string' },
  retryAllowed: 'boolean',
} as const;
/** It treats a member of another type as absent. */
export const CLIENT_STATUS_ONCE_KNOWN = {
  ...{ attemptNumber: 'number', transactionHash: 'string', publicReason: 'string' },
} as const;
