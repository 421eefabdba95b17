import { Type } from 'typebox';
import { closed, identifier, named, oneOf, text } from './common.js';

export const CheckAddressSchema = named(
  'CheckAddress',
  'An address to check for an application.',
  Type.Object(
    {
      network: Type.String({ maxLength: 64, description: 'The network of the address: `solana`.' }),
      address: Type.String({ maxLength: 256, description: 'The address: 32 bytes in base58.' }),
      applicationId: text(128, 'The public check id of the application (`check_…`).'),
    },
    closed,
  ),
);

export const AddressCheckSchema = named(
  'AddressCheck',
  'The result of an address check. The recorded check never changes.',
  Type.Object({
    approved: Type.Boolean({ description: 'Whether the address is approved for the application.' }),
    checkId: identifier('chk', 'recorded check'),
    metadataHash: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description:
        'The SHA-256 in hex of the RFC 8785 JSON object with the members `network`, `address`, `applicationId`, ' +
        '`approved`, `reason`, `policyVersion`, `listVersion` and `checkedAt` of the recorded check.',
    }),
    reason: oneOf(
      ['approved', 'not_approved', 'revoked', 'sanctioned', 'unknown_application', 'screening_unavailable'],
      'The reason for the result. For `screening_unavailable`, a screening step gave no answer: try again ' +
        'later.',
    ),
  }),
);
