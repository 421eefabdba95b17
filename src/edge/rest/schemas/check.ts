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
  'Whether the application may deal with the address. The check is recorded and never changes.',
  Type.Object({
    approved: Type.Boolean({ description: 'Whether the application may deal with the address.' }),
    checkId: identifier('chk', 'recorded check'),
    metadataHash: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description:
        'SHA-256 of the RFC 8785 JSON of what was recorded: `network`, `address`, `applicationId`, `approved`, ' +
        '`reason`, `policyVersion`, `listVersion`, `checkedAt`.',
    }),
    reason: oneOf(
      ['approved', 'not_approved', 'revoked', 'sanctioned', 'unknown_application', 'screening_unavailable'],
      'Why. `screening_unavailable`: a screening step gave no answer, ask again later.',
    ),
  }),
);
