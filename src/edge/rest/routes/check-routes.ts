import { examples } from '../examples/examples.js';
import type { Route } from '../route.js';
import { AddressCheckSchema, CheckAddressSchema } from '../schemas/check.js';

export const checkRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/check',
    document: 'check-address',
    credentials: 'none',
    anonymous: true,
    tag: 'Address checks',
    summary: 'Check an address',
    description:
      'Checks whether an application approves an address, and records the check. The gateway searches the ' +
      'sanctions list first, then queries every screening service, then the address list of the application, ' +
      'and then applies its default. If a screening step gives no answer, the address is not approved. Needs ' +
      'no credentials.',
    body: { schema: CheckAddressSchema, as: 'variables', examples: examples.checkAddress },
    argumentNames: { checkApplicationId: 'applicationId' },
    memberReasons: { network: 'invalid_network' },
    reasons: {
      400: 'invalid_request',
      413: 'payload_too_large',
      415: 'unsupported_media_type',
      429: 'rate_limited',
      500: 'internal_error',
      503: 'unavailable',
    },
    answer: {
      status: 200,
      description: 'The result, whether or not the address is approved.',
      schema: AddressCheckSchema,
      examples: examples.addressCheck,
      take: (data: { checkAddress: unknown }) => data.checkAddress,
    },
    errors: {
      BAD_USER_INPUT:
        'The body is malformed (`invalid_request`), the network is not known (`invalid_network`), or the address is ' +
        'not an address of the network (`invalid_address`).',
      TOO_MANY_REQUESTS: 'Too many checks from this client address within a minute (`rate_limited`).',
    },
  },
];
