import { GraphQLJSONObject } from 'graphql-scalars';
import type { JsonObject } from '../../../platform/kernel/encoding/json.js';
import { Field, ID, InputType } from 'type-graphql';

@InputType('SignInInput', { description: 'The credentials of a person.' })
export class SignInInputType {
  @Field(() => String, { description: 'The e-mail address of the account.' })
  email!: string;

  @Field(() => String, { description: 'The password of the account.' })
  password!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The six-digit code of the authenticator, for an account that has one.',
  })
  totp?: string | null;

  @Field(() => String, { nullable: true, description: 'A recovery code, instead of the second factor.' })
  recoveryCode?: string | null;

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description:
      'A passkey as the second factor: the browser’s answer to the options of `proposePasskeySignIn` ' +
      '(`AuthenticationResponseJSON`).',
  })
  passkey?: JsonObject | null;

  @Field(() => ID, {
    nullable: true,
    description:
      'Id of the organization to sign in to, for a member of several organizations (`org_…`). The default is ' +
      'the one that they signed in to last.',
  })
  organizationId?: string | null;
}

@InputType('ChangePasswordInput', { description: 'Your current password and the new one.' })
export class ChangePasswordInput {
  @Field(() => String, { description: 'The current password.' })
  currentPassword!: string;

  @Field(() => String, { description: 'The new password: at least 12 characters, at most 1024 bytes.' })
  newPassword!: string;
}

@InputType('PasskeySignInInput', { description: 'A passkey to sign in with.' })
export class PasskeySignInInput {
  @Field(() => GraphQLJSONObject, {
    description:
      'The browser’s answer to the options of `proposePasskeySignIn` (`AuthenticationResponseJSON`).',
  })
  response!: JsonObject;

  @Field(() => ID, {
    nullable: true,
    description:
      'Id of the organization to sign in to, for a member of several organizations (`org_…`). The default is ' +
      'the one that they signed in to last.',
  })
  organizationId?: string | null;
}
