import { Type } from 'typebox';
import { closed, identifier, named, oneOf, open, orNull, text, timestamp } from './common.js';

const hex = (description: string) =>
  Type.String({
    description: `${description}, in hex; a leading \`0x\` and the case of letters make no difference.`,
  });

/** A superset of what the package parser accepts. The parser alone decides, and explains refusals. */
export const RelayPackageSchema = named(
  'RelayPackage',
  'A prepared operation of a shielded pool, as an SDK builds it. Unknown members are ignored.',
  Type.Object(
    {
      version: Type.Integer({ minimum: 1, maximum: 1, description: 'The version of the package format: 1.' }),
      poolSelector: text(128, 'Selector of the pool.'),
      zkConfigNonce: Type.Union([Type.String(), Type.Integer()], {
        description: 'Identifies the circuit of the pool, such as `3` for two inputs and two outputs.',
      }),
      proofBytes: hex('256 bytes: A 64 | B 128 | C 64, big-endian as EIP-197 takes them'),
      publicSignals: Type.Union([Type.Array(Type.String()), Type.String()], {
        description:
          'Field elements of 32 bytes, big-endian, in hex, each below the order of the field: root, public amount, ' +
          'hash of the external data, the nullifiers, the commitments. A list, or all of them in one text.',
      }),
      applicationIdHints: Type.Array(Type.String(), {
        description: 'The public check ids (`check_…`) of the applications whose rules screen the recipient.',
      }),
      ciphertextBytes: Type.Optional(orNull(hex('Additional data of the pool’s instruction'))),
      outputNoteEphemeralScalars: Type.Optional(
        orNull(
          Type.Array(orNull(Type.String()), {
            description:
              'One scalar for each output note, in decimal, or in hex with or without `0x`. Null for a note without a ' +
              'scalar.',
          }),
        ),
      ),
      escrowAuthorization: Type.Optional(
        Type.Any({ description: 'JSON in a format that the pool defines.' }),
      ),
      keyVersionHints: Type.Optional(
        orNull(
          Type.Array(orNull(Type.Integer()), {
            description: 'The versions of keys. Null for an unknown version.',
          }),
        ),
      ),
      recipient: Type.Optional(
        orNull(
          Type.String({
            description: 'Who receives the public amount (base58); needed unless that is zero.',
          }),
        ),
      ),
    },
    open,
  ),
);

const STATUSES = [
  'accepted',
  'validating',
  'queued',
  'submitted',
  'reconciling',
  'succeeded',
  'rejected',
  'failed',
];

const status = oneOf(
  STATUSES,
  'The status. `accepted`, `validating`, `queued`: nothing was sent yet. `submitted`, `reconciling`: the ' +
    'transaction can land at any moment; do not replace it, and continue to read the status. `succeeded`: ' +
    'the transaction is finalized. `rejected`: nothing of the package will ever be on the ledger. `failed`: ' +
    'this attempt can no longer succeed.',
);

const relayRequestId = Type.String({
  description:
    'Id of the request (`rly_…`). Anyone who has the id can read the status and start allowed attempts. ' +
    'Store it, and keep it secret.',
});

export const RelayParams = Type.Object({ relayRequestId: identifier('rly', 'relay request') }, closed);

export const SubmittedRelaySchema = named(
  'SubmittedRelay',
  'An accepted package, which is not a transaction on the ledger yet.',
  Type.Object({
    relayRequestId,
    status,
    createdAt: timestamp('When the request was accepted.'),
    statusUrl: Type.String({ description: 'The path of the status on this host.' }),
  }),
);

export const RelayRequestSchema = named(
  'RelayRequest',
  'The status of a relay request. It shows nothing of the package.',
  Type.Object({
    relayRequestId,
    status,
    createdAt: timestamp('When the request was accepted.'),
    updatedAt: timestamp('When the status last changed.'),
    retryAllowed: Type.Boolean({
      description: 'Whether another attempt may be started. It can be true only if the status is `failed`.',
    }),
    attemptNumber: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'The number of the attempt, from 1. Absent until the first attempt begins.',
      }),
    ),
    transactionHash: Type.Optional(
      Type.String({
        description:
          'The signature of the attempt’s transaction (base58). It does not mean that the transaction succeeded.',
      }),
    ),
    publicReason: Type.Optional(
      oneOf(
        [
          'zk_config_missing',
          'zk_config_deprecated',
          'zk_config_incompatible',
          'invalid_proof',
          'kyt_rejected',
          'nullifiers_spent',
          'simulation_failed',
          'resource_fee_exceeded',
          'resource_limit_exceeded',
          'send_failed',
          'transaction_failed',
          'infrastructure_failed',
        ],
        'The reason why the request was rejected or has failed. Absent otherwise.',
      ),
    ),
  }),
);
