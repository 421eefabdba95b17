import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { connectionType } from '../../../platform/kernel/paging/connection.type.js';
import { NewPasskeyInput } from '../second-factor/second-factor.type.js';
import { PermissionsInput, PermissionsType } from '../permissions.type.js';

@ObjectType('Invitation', {
  description:
    'A link that works once. It lets a new member join, or lets an existing member set a new way to sign in.',
})
export class InvitationType {
  @Field(() => ID, { description: 'Id of the invitation (`inv_…`).' })
  id!: string;

  @Field(() => ID, {
    nullable: true,
    description:
      'Id of the member who gets a new way to sign in (`usr_…`). Null if the link invites a new member.',
  })
  userId!: string | null;

  @Field(() => String, { description: 'The e-mail address of the invited person.' })
  email!: string;

  @Field(() => String, { description: 'The name of the invited person.' })
  name!: string;

  @Field(() => PermissionsType, { description: 'The permissions that a new member receives.' })
  permissions!: PermissionsType;

  @Field(() => ID, { description: 'Id of the user who created the link (`usr_…`), or `operator`.' })
  invitedBy!: string;

  @Field(() => GraphQLDateTimeISO, { description: 'When the link was created.' })
  createdAt!: Date;

  @Field(() => GraphQLDateTimeISO, { description: 'When the link expires: 72 hours after it was created.' })
  expiresAt!: Date;

  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'When the invitation was accepted. Null if it was not accepted.',
  })
  acceptedAt!: Date | null;

  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'When the link was revoked or replaced. Null if it was not.',
  })
  revokedAt!: Date | null;
}

@ObjectType('IssuedInvitation', { description: 'A new invitation, and its link unless it was mailed.' })
export class IssuedInvitationType {
  @Field(() => InvitationType, { description: 'The invitation.' })
  invitation!: InvitationType;

  @Field(() => String, {
    nullable: true,
    description: 'The link to give to the person. It is shown only once. Null if the gateway mailed it.',
  })
  link!: string | null;
}

@ObjectType('OpenInvitation', { description: 'An invitation, as the holder of its link sees it.' })
export class OpenInvitationType {
  @Field(() => String, { description: 'The name of the organization that invites.' })
  organization!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The name of the member who created the link. Null if the operator created it.',
  })
  invitedBy!: string | null;

  @Field(() => String, { description: 'The name of the invited person.' })
  name!: string;

  @Field(() => String, { description: 'The e-mail address of the invited person.' })
  email!: string;

  @Field(() => Boolean, {
    description:
      'Whether the link invites a new member. False if it lets an existing member set a new way to sign in.',
  })
  isNewMember!: boolean;

  @Field(() => GraphQLDateTimeISO, { description: 'When the link expires.' })
  expiresAt!: Date;
}

@InputType('InviteMemberInput', { description: 'The person to invite.' })
export class InviteMemberInputType {
  @Field(() => String, { description: 'The e-mail address of the person.' })
  email!: string;

  @Field(() => String, {
    description: 'The name of the person as this organization shows it, 1 to 128 characters.',
  })
  name!: string;

  @Field(() => PermissionsInput, {
    nullable: true,
    description: 'The permissions that the member receives. The default is none.',
  })
  permissions?: PermissionsInput | null;
}

@InputType('AcceptInvitationInput', {
  description: 'The token of an invitation, and for a new account a password, a passkey or both.',
})
export class AcceptInvitationInputType {
  @Field(() => String, { description: 'The token: the part of the link after the `#`.' })
  token!: string;

  @Field(() => String, {
    nullable: true,
    description:
      'The password of a new account: at least 12 characters, at most 1024 bytes. Without a password and a ' +
      'passkey, the account that is signed in joins the organization.',
  })
  password?: string | null;

  @Field(() => NewPasskeyInput, {
    nullable: true,
    description:
      'The passkey of a new account: see `proposeInvitationPasskey`. It replaces the password or is added to ' +
      'it.',
  })
  passkey?: NewPasskeyInput | null;
}

@InputType('ResetPasswordInput', {
  description: 'The token of a mailed link, and the new password.',
})
export class ResetPasswordInput {
  @Field(() => String, { description: 'The token: the part of the link after the `#`.' })
  token!: string;

  @Field(() => String, { description: 'The new password: at least 12 characters, at most 1024 bytes.' })
  newPassword!: string;
}

export const InvitationConnection = connectionType('Invitation', () => InvitationType);
