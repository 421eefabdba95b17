import { Type } from 'typebox';
import { closed, named, open, text } from './common.js';

const Permissions = named(
  'PermissionMap',
  'Permission names, each true if it is held.',
  Type.Record(Type.String(), Type.Boolean()),
);

export const ViewerSchema = named(
  'Session',
  'The signed-in user and the permissions of the user.',
  Type.Object({
    organization_info: Type.Object(
      {
        org_id: Type.String({ description: 'Id of the organization (`org_…`).' }),
        name: Type.String({ description: 'Name of the organization.' }),
      },
      { description: 'The organization.' },
    ),
    owner: Permissions,
    applications: Type.Record(
      Type.String(),
      Type.Object({
        application_info: Type.Object(
          { name: Type.String({ description: 'Name of the application.' }) },
          { description: 'The application.' },
        ),
        common: Permissions,
        administrator: Permissions,
        auditor: Permissions,
      }),
      { description: 'The applications in which the user holds a permission, by foreignId.' },
    ),
  }),
);

export const SignInSchema = named(
  'SignIn',
  'Credentials of a portal user.',
  Type.Object(
    {
      email: text(320, 'The e-mail address.'),
      password: Type.String({
        minLength: 1,
        maxLength: 1024,
        format: 'password',
        description: 'The password.',
      }),
      totp: Type.Optional(
        Type.String({
          pattern: '^[0-9]{6}$',
          description: 'The six-digit code of the authenticator, for users who have one.',
        }),
      ),
    },
    closed,
  ),
);

export const ReturnToQuery = Type.Object(
  {
    return_to: Type.Optional(
      text(512, 'The path of the portal to open after the sign-in. The default is `/`.'),
    ),
  },
  closed,
);

/** Providers add other parameters, which must be ignored (RFC 6749 section 4.1.2). */
export const AuthorizationResponseQuery = Type.Object(
  {
    state: text(512, 'The parameter `state` of the request.'),
    code: Type.Optional(text(4096, 'The authorization code.')),
    iss: Type.Optional(text(1024, 'The issuer (RFC 9207).')),
    error: Type.Optional(text(128, 'The error code that the provider sends instead of a code.')),
  },
  open,
);

export const SignedOutSchema = named(
  'SignedOut',
  'The result of signing out.',
  Type.Object({ signed_out: Type.Boolean({ description: 'Whether there was a session to end.' }) }),
);
