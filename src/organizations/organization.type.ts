import { GraphQLDateTimeISO, GraphQLJSONObject } from 'graphql-scalars';
import { Field, InputType, ObjectType } from 'type-graphql';
import { connectionType } from '../kernel/connection.type.js';

@ObjectType('Organization', { description: 'A tenant. Nothing of one is ever seen by another.' })
export class OrganizationType {
  @Field(() => String, { description: 'Id (`org_…`).' })
  id!: string;

  @Field(() => String, { description: 'Name.' })
  name!: string;
}

@ObjectType('User', { description: 'A person who signs in.' })
export class UserType {
  @Field(() => String, { description: 'Id (`usr_…`).' })
  id!: string;

  @Field(() => String, { description: 'Name.' })
  name!: string;

  @Field(() => String, { description: 'E-mail address.' })
  email!: string;
}

@ObjectType('Application', {
  description: 'A product of the organization. Outside it is named by its foreignId.',
})
export class ApplicationType {
  @Field(() => String, { description: 'The human-readable identifier, unique in the organization.' })
  foreignId!: string;

  @Field(() => String, { description: 'Name.' })
  name!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The public id that `/check` takes. Null for who is neither owner nor its administrator.',
  })
  checkApplicationId!: string | null;

  @Field(() => GraphQLDateTimeISO, { description: 'When it was created.' })
  createdAt!: Date;
}

@ObjectType('ApplicationPermissions', { description: 'What a member holds in one application.' })
export class ApplicationPermissionsType {
  @Field(() => String, { description: 'The application.' })
  foreignId!: string;

  @Field(() => [String], { description: 'Held in the bucket `common`.' })
  common!: string[];

  @Field(() => [String], { description: 'Held in the bucket `administrator`.' })
  administrator!: string[];

  @Field(() => [String], { description: 'Held in the bucket `auditor`.' })
  auditor!: string[];
}

@ObjectType('Permissions', { description: 'What a member holds, by the names of `permissionTable`.' })
export class PermissionsType {
  @Field(() => [String], { description: 'Held for the whole organization.' })
  owner!: string[];

  @Field(() => [ApplicationPermissionsType], { description: 'Held in applications.' })
  applications!: ApplicationPermissionsType[];
}

@ObjectType('Member', { description: 'A user of the organization and what the user holds.' })
export class MemberType {
  @Field(() => String, { description: 'Id of the user (`usr_…`).' })
  id!: string;

  @Field(() => String, { description: 'Name.' })
  name!: string;

  @Field(() => String, { description: 'E-mail address.' })
  email!: string;

  @Field(() => GraphQLDateTimeISO, { description: 'When the membership began.' })
  addedAt!: Date;

  @Field(() => PermissionsType, { description: 'What the member holds.' })
  permissions!: PermissionsType;
}

@ObjectType('PermissionBucket', { description: 'One bucket of the permission table.' })
export class PermissionBucketType {
  @Field(() => String, { description: '`owner`, `common`, `administrator` or `auditor`.' })
  name!: string;

  @Field(() => [String], { description: 'Every permission that can be granted in it.' })
  permissions!: string[];
}

@InputType('ApplicationPermissionsInput', { description: 'What a member shall hold in one application.' })
export class ApplicationPermissionsInput {
  @Field(() => String, { description: 'The application.' })
  foreignId!: string;

  @Field(() => [String], { nullable: true, description: 'In the bucket `common`; absent is none.' })
  common?: string[] | null;

  @Field(() => [String], { nullable: true, description: 'In the bucket `administrator`; absent is none.' })
  administrator?: string[] | null;

  @Field(() => [String], { nullable: true, description: 'In the bucket `auditor`; absent is none.' })
  auditor?: string[] | null;
}

@InputType('PermissionsInput', {
  description: 'Everything a member shall hold, by the names of `permissionTable`.',
})
export class PermissionsInput {
  @Field(() => [String], { nullable: true, description: 'For the whole organization; absent is none.' })
  owner?: string[] | null;

  @Field(() => [ApplicationPermissionsInput], {
    nullable: true,
    description: 'In applications; absent is none.',
  })
  applications?: ApplicationPermissionsInput[] | null;
}

@ObjectType('ViewerApiKey', { description: 'The API key that calls.' })
export class ViewerApiKeyType {
  @Field(() => String, { description: 'Id (`key_…`).' })
  id!: string;

  @Field(() => String, { description: 'Name.' })
  name!: string;

  @Field(() => [String], { description: 'What the key is limited to.' })
  scopes!: string[];
}

@ObjectType('Viewer', { description: 'Who calls, and what they hold.' })
export class ViewerType {
  @Field(() => OrganizationType, { description: 'The organization for which the caller acts.' })
  organization!: OrganizationType;

  @Field(() => UserType, { nullable: true, description: 'The user; null when an API key calls.' })
  user!: UserType | null;

  @Field(() => ViewerApiKeyType, { nullable: true, description: 'The API key; null when a user calls.' })
  apiKey!: ViewerApiKeyType | null;

  @Field(() => PermissionsType, { description: 'What the user holds; nothing for an API key.' })
  permissions!: PermissionsType;

  @Field(() => GraphQLJSONObject, { description: 'Every owner permission, by name: whether it is held.' })
  ownerPermissions!: Record<string, boolean>;

  @Field(() => GraphQLJSONObject, {
    description:
      'By foreignId, each application in which the user holds anything: `application_info` with its `name`, and ' +
      'the buckets `common`, `administrator` and `auditor`, each a map from permission to whether it is held.',
  })
  applicationPermissions!: Record<string, unknown>;
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

export const ApplicationConnection = connectionType('Application', () => ApplicationType);
export const MemberConnection = connectionType('Member', () => MemberType);
