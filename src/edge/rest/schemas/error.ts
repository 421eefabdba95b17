import { Type } from 'typebox';
import { ERROR_REASONS } from '../../../platform/kernel/errors.js';
import { named, oneOf } from './common.js';

export const ErrorSchema = named(
  'Error',
  'The reason why the request was refused.',
  Type.Object({
    statusCode: Type.Integer({ minimum: 400, maximum: 599, description: 'The HTTP status.' }),
    message: Type.String({
      description:
        'A description of the problem for people. It names the member that is wrong, if there is one.',
    }),
    error: Type.String({ description: 'The reason phrase of the status.' }),
  }),
);

export const ErrorWithReasonSchema = named(
  'ErrorWithReason',
  'The reason why the request was refused, with a code for programs.',
  Type.Object({
    ...ErrorSchema.properties,
    reason: oneOf(
      Object.keys(ERROR_REASONS),
      [
        'A closed, machine-readable cause.',
        ...Object.entries(ERROR_REASONS).map(([name, meaning]) => `- \`${name}\`: ${meaning}`),
      ].join('\n'),
    ),
  }),
);
