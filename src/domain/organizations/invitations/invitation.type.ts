import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { connectionType } from '../../../platform/kernel/paging/connection.type.js';
import { NewPasskeyInput } from '../passkeys/passkey.type.js';
import { PermissionsInput, PermissionsType } from '../members/member.type.js';

@ObjectType('Invitation', {
  description: 'A one-time link: for a new member, or for a new way to sign in of an existing one.',
})
export class InvitationType {
  @Field(() => ID, { description: 'Id (`inv_…`).' })
  id!: string;

  @Field(() => ID, {
    nullable: true,
    description: 'The member who gets a new way to sign in. Null when the link makes a new member.',
  })
  userId!: string | null;

  @Field(() => String, { description: 'E-mail address.' })
  email!: string;

  @Field(() => String, { description: 'Name.' })
  name!: string;

  @Field(() => PermissionsType, { description: 'What a new member will hold.' })
  permissions!: PermissionsType;

  @Field(() => ID, { description: 'Who made it: a user, or `operator`.' })
  invitedBy!: string;

  @Field(() => GraphQLDateTimeISO, { description: 'When it was made.' })
  createdAt!: Date;

  @Field(() => GraphQLDateTimeISO, { description: 'When the link expires: after 72 hours.' })
  expiresAt!: Date;

  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'When it was accepted.' })
  acceptedAt!: Date | null;

  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'When it was revoked or replaced.' })
  revokedAt!: Date | null;
}

@ObjectType('IssuedInvitation', { description: 'A new invitation with its link.' })
export class IssuedInvitationType {
  @Field(() => InvitationType, { description: 'The invitation.' })
  invitation!: InvitationType;

  @Field(() => String, {
    nullable: true,
    description: 'The link to hand to the person. It is shown only once. Null when it was mailed.',
  })
  link!: string | null;
}

@InputType('InviteMemberInput', { description: 'A person to invite.' })
export class InviteMemberInputType {
  @Field(() => String, { description: 'E-mail address.' })
  email!: string;

  @Field(() => String, { description: 'The name that this organization shows: 1 to 128 characters.' })
  name!: string;

  @Field(() => PermissionsInput, {
    nullable: true,
    description: 'What the member holds from the start. The default is nothing.',
  })
  permissions?: PermissionsInput | null;
}

@InputType('AcceptInvitationInput', {
  description: 'The token of an invitation, and the password or passkey of a new account.',
})
export class AcceptInvitationInputType {
  @Field(() => String, { description: 'The token: the part of the link after the #.' })
  token!: string;

  @Field(() => String, {
    nullable: true,
    description:
      'The password for a new account: at least 12 characters, at most 1024 bytes. Without one, the account that is ' +
      'signed in joins the organization.',
  })
  password?: string | null;

  @Field(() => NewPasskeyInput, {
    nullable: true,
    description:
      'A passkey for a new account, instead of a password or in addition to one: see `proposeInvitationPasskey`.',
  })
  passkey?: NewPasskeyInput | null;
}

@InputType('ResetPasswordInput', {
  description: 'The token of a link that was mailed, and the new password.',
})
export class ResetPasswordInput {
  @Field(() => String, { description: 'The token: the part of the link after the #.' })
  token!: string;

  @Field(() => String, { description: 'At least 12 characters, at most 1024 bytes.' })
  newPassword!: string;
}

export const InvitationConnection = connectionType('Invitation', () => InvitationType);
