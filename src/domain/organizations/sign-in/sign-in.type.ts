import { GraphQLJSONObject } from 'graphql-scalars';
import type { JsonObject } from '../../../platform/kernel/encoding/json.js';
import { Field, ID, InputType, ObjectType } from 'type-graphql';

@InputType('SignInInput', { description: 'The credentials of a person.' })
export class SignInInputType {
  @Field(() => String, { description: 'E-mail address.' })
  email!: string;

  @Field(() => String, { description: 'Password.' })
  password!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The six digits of the authenticator, for an account that has one.',
  })
  totp?: string | null;

  @Field(() => String, { nullable: true, description: 'A recovery code in place of the second factor.' })
  recoveryCode?: string | null;

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: 'What the browser returned for `proposePasskeySignIn`, as the second factor.',
  })
  passkey?: JsonObject | null;

  @Field(() => ID, {
    nullable: true,
    description:
      'Id of the organization to sign in to, for a member of several. The default is the one that they signed in to last.',
  })
  organizationId?: string | null;
}

@InputType('ChangePasswordInput', { description: 'A change of your password.' })
export class ChangePasswordInput {
  @Field(() => String, { description: 'The current password.' })
  currentPassword!: string;

  @Field(() => String, { description: 'The new password: at least 12 characters, at most 1024 bytes.' })
  newPassword!: string;
}

@InputType('EnableTotpInput', { description: 'The authenticator to add.' })
export class EnableTotpInput {
  @Field(() => String, {
    nullable: true,
    description: 'Your password. Not needed within 5 minutes of a second factor.',
  })
  password?: string | null;

  @Field(() => String, { description: 'The secret that `proposeTotp` returned.' })
  secret!: string;

  @Field(() => String, { description: 'The code that the authenticator shows for it.' })
  totp!: string;
}

@InputType('DisableTotpInput', { description: 'The credentials needed to remove the authenticator.' })
export class DisableTotpInput {
  @Field(() => String, { nullable: true, description: 'Your password, if you have one.' })
  password?: string | null;

  @Field(() => String, { description: 'The code that the authenticator shows.' })
  totp!: string;
}

@ObjectType('TotpEnrolment', {
  description: 'A secret for an authenticator (RFC 6238: SHA-1, 6 digits, 30 s).',
})
export class TotpEnrolmentType {
  @Field(() => String, { description: 'The secret in base32, for typing.' })
  secret!: string;

  @Field(() => String, { description: 'The `otpauth:` URI, for a QR code.' })
  uri!: string;
}
