import { GraphQLDateTimeISO, GraphQLJSONObject } from 'graphql-scalars';
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import type { JsonObject } from '../../../platform/kernel/encoding/json.js';

@ObjectType('Passkey', { description: 'A passkey (WebAuthn) with which you sign in.' })
export class PasskeyType {
  @Field(() => ID, { description: 'Id of the passkey (`pky_…`).' })
  id!: string;

  @Field(() => String, { description: 'The name that you gave the passkey.' })
  name!: string;

  @Field(() => GraphQLDateTimeISO, { description: 'When the passkey was added.' })
  createdAt!: Date;

  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'When the passkey was last used. Null if it was never used.',
  })
  lastUsedAt!: Date | null;
}

@InputType('NewPasskeyInput', { description: 'A passkey that the browser created.' })
export class NewPasskeyInput {
  @Field(() => String, { description: 'A name that helps you recognize the passkey, 1 to 64 characters.' })
  name!: string;

  @Field(() => GraphQLJSONObject, {
    description: 'The credential that the browser created (`RegistrationResponseJSON`).',
  })
  response!: JsonObject;
}

@InputType('AddPasskeyInput', { description: 'A passkey to add to your account.' })
export class AddPasskeyInput extends NewPasskeyInput {
  @Field(() => String, {
    nullable: true,
    description: 'Your password. Not needed for 5 minutes after you prove a second factor.',
  })
  password?: string | null;
}

@InputType('StepUpInput', { description: 'A second factor to prove: exactly one of the members.' })
export class StepUpInput {
  @Field(() => String, { nullable: true, description: 'The six-digit code of the authenticator.' })
  totp?: string | null;

  @Field(() => String, { nullable: true, description: 'A recovery code.' })
  recoveryCode?: string | null;

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description:
      'A passkey: the browser’s answer to the options of `proposeStepUp` (`AuthenticationResponseJSON`).',
  })
  passkey?: JsonObject | null;
}

@ObjectType('SecondFactor', {
  description: 'How you sign in, and when you last proved a second factor in this session.',
})
export class SecondFactorType {
  @Field(() => Boolean, { description: 'Whether your organization requires a second factor.' })
  required!: boolean;

  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description:
      'When you last proved a second factor in this session. Null if you did not. A proof is fresh for 5 ' +
      'minutes.',
  })
  provenAt!: Date | null;

  @Field(() => Boolean, { description: 'Whether you have a password.' })
  password!: boolean;

  @Field(() => Boolean, { description: 'Whether you have an authenticator for one-time codes.' })
  totp!: boolean;

  @Field(() => Int, { description: 'The number of your passkeys.' })
  passkeys!: number;

  @Field(() => Int, { description: 'The number of your unused recovery codes.' })
  recoveryCodes!: number;
}

@InputType('EnableTotpInput', { description: 'The authenticator to add.' })
export class EnableTotpInput {
  @Field(() => String, {
    nullable: true,
    description: 'Your password. Not needed for 5 minutes after you prove a second factor.',
  })
  password?: string | null;

  @Field(() => String, { description: 'The secret that `proposeTotp` returned.' })
  secret!: string;

  @Field(() => String, { description: 'The code that the authenticator shows for this secret.' })
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
  description: 'A new secret for an authenticator (RFC 6238: SHA-1, 6 digits, 30 seconds).',
})
export class TotpEnrolmentType {
  @Field(() => String, { description: 'The secret in base32, to type into the authenticator.' })
  secret!: string;

  @Field(() => String, { description: 'The secret as an `otpauth:` URI, to show as a QR code.' })
  uri!: string;
}
