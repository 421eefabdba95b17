import { Type } from 'typebox';
import { closed, identifier, named, oneOf, open, orNull, text, timestamp } from './common.js';

const hex = (description: string) =>
  Type.String({
    description: `${description}, in hex; a leading \`0x\` and the case of letters make no difference.`,
  });

/** What the parser of packages takes, and a little more: it alone decides, and says why. */
export const RelayPackageSchema = named(
  'RelayPackage',
  'A prepared operation of a shielded pool, as an SDK builds it. Unknown members are ignored.',
  Type.Object(
    {
      version: Type.Integer({ minimum: 1, maximum: 1, description: 'The form of the package: 1.' }),
      poolSelector: text(128, 'Selector of the pool.'),
      zkConfigNonce: Type.Union([Type.String(), Type.Integer()], {
        description: 'Names the circuit within the pool, such as `3` for two inputs and two outputs.',
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
      ciphertextBytes: Type.Optional(orNull(hex('What else the pool’s instruction carries'))),
      outputNoteEphemeralScalars: Type.Optional(
        orNull(
          Type.Array(orNull(Type.String()), {
            description:
              'A scalar for each output note, as decimal digits or hex with or without 0x; null for a note without one.',
          }),
        ),
      ),
      escrowAuthorization: Type.Optional(Type.Any({ description: 'JSON whose form is the pool’s own.' })),
      keyVersionHints: Type.Optional(
        orNull(Type.Array(orNull(Type.Integer()), { description: 'Versions of keys; null where unknown.' })),
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
  'The status. `accepted`, `validating`, `queued`: nothing was sent yet. `submitted`, `reconciling`: it may ' +
    'land at any moment, start no replacement and keep asking. `succeeded`: done, finalized. `rejected`: nothing of ' +
    'it will ever be on the ledger. `failed`: this attempt can no longer succeed.',
);

const relayRequestId = Type.String({
  description:
    'Id of the request (`rly_…`). Anyone who has it can read the status and start allowed attempts: keep it, and keep it secret.',
});

export const RelayParams = Type.Object({ relayRequestId: identifier('rly', 'relay request') }, closed);

export const SubmittedRelaySchema = named(
  'SubmittedRelay',
  'A package that was accepted, now or before: not yet a transaction on the ledger.',
  Type.Object({
    relayRequestId,
    status,
    createdAt: timestamp('When it was accepted.'),
    statusUrl: Type.String({ description: 'Where to ask for the status: a path of this host.' }),
  }),
);

export const RelayRequestSchema = named(
  'RelayRequest',
  'The status of a relay request. Nothing of the package is shown.',
  Type.Object({
    relayRequestId,
    status,
    createdAt: timestamp('When it was accepted.'),
    updatedAt: timestamp('When the status last changed.'),
    retryAllowed: Type.Boolean({
      description: 'Whether another attempt may be started. Only ever true for `failed`.',
    }),
    attemptNumber: Type.Optional(
      Type.Integer({ minimum: 1, description: 'The attempt; absent until the first one begins.' }),
    ),
    transactionHash: Type.Optional(
      Type.String({
        description: 'Signature of the attempt’s transaction (base58). It does not mean success on its own.',
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
        'Why it was rejected or has failed; absent otherwise.',
      ),
    ),
  }),
);
