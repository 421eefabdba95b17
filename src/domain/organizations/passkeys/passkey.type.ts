import { GraphQLDateTimeISO, GraphQLJSONObject } from 'graphql-scalars';
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import type { JsonObject } from '../../../platform/kernel/encoding/json.js';

@ObjectType('Passkey', { description: 'A passkey (WebAuthn) by which you sign in.' })
export class PasskeyType {
  @Field(() => ID, { description: 'Id (`pky_…`).' })
  id!: string;

  @Field(() => String, { description: 'The name that you gave it.' })
  name!: string;

  @Field(() => GraphQLDateTimeISO, { description: 'When it was added.' })
  createdAt!: Date;

  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'When it was last used; null when never.' })
  lastUsedAt!: Date | null;
}

@InputType('NewPasskeyInput', { description: 'A passkey that the browser made.' })
export class NewPasskeyInput {
  @Field(() => String, { description: 'A name by which you recognize it: 1 to 64 characters.' })
  name!: string;

  @Field(() => GraphQLJSONObject, { description: 'What the browser returned (`RegistrationResponseJSON`).' })
  response!: JsonObject;
}

@InputType('AddPasskeyInput', { description: 'A passkey to add to your account.' })
export class AddPasskeyInput extends NewPasskeyInput {
  @Field(() => String, {
    nullable: true,
    description: 'Your password. Not needed within 5 minutes of a second factor.',
  })
  password?: string | null;
}

@InputType('PasskeySignInInput', { description: 'A sign-in by a passkey.' })
export class PasskeySignInInput {
  @Field(() => GraphQLJSONObject, {
    description: 'What the browser returned for `proposePasskeySignIn` (`AuthenticationResponseJSON`).',
  })
  response!: JsonObject;

  @Field(() => ID, {
    nullable: true,
    description:
      'Id of the organization to sign in to, for a member of several. The default is the one that they signed in to last.',
  })
  organizationId?: string | null;
}

@InputType('StepUpInput', { description: 'One second factor.' })
export class StepUpInput {
  @Field(() => String, { nullable: true, description: 'The six digits of the authenticator.' })
  totp?: string | null;

  @Field(() => String, { nullable: true, description: 'A recovery code.' })
  recoveryCode?: string | null;

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: 'What the browser returned for `proposeStepUp` (`AuthenticationResponseJSON`).',
  })
  passkey?: JsonObject | null;
}

@ObjectType('SecondFactor', { description: 'How you sign in, and what you proved in this session.' })
export class SecondFactorType {
  @Field(() => Boolean, { description: 'Whether your organization requires a second factor.' })
  required!: boolean;

  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'When you last proved one in this session. It is fresh for 5 minutes.',
  })
  provenAt!: Date | null;

  @Field(() => Boolean, { description: 'Whether you have a password.' })
  password!: boolean;

  @Field(() => Boolean, { description: 'Whether you have an authenticator for one-time codes.' })
  totp!: boolean;

  @Field(() => Int, { description: 'How many passkeys you have.' })
  passkeys!: number;

  @Field(() => Int, { description: 'How many recovery codes are left.' })
  recoveryCodes!: number;
}
