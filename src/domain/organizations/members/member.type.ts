import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Field, ID, InputType, ObjectType } from 'type-graphql';
import type { Bucket } from '../../access/index.js';
import { connectionType } from '../../../platform/kernel/paging/connection.type.js';
import { graphqlEnum } from '../../../platform/kernel/enums/enum.type.js';

const BucketEnum = graphqlEnum<Bucket>('Bucket', 'Where a permission is held.', {
  owner: 'For the whole organization.',
  common: 'In an application: for everyone who works in it.',
  administrator: 'In an application: for its administrators.',
  auditor: 'In an application: for its auditors.',
});

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

@ObjectType('Member', { description: 'A member of the organization and what the member holds.' })
export class MemberType {
  @Field(() => ID, { description: 'Id of the user (`usr_…`). It ends with the membership.' })
  id!: string;

  @Field(() => String, { description: 'Name.' })
  name!: string;

  @Field(() => String, { description: 'E-mail address.' })
  email!: string;

  @Field(() => GraphQLDateTimeISO, { description: 'When the membership began.' })
  addedAt!: Date;

  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description:
      'When the member last used a session that has not ended, to the minute. Null where there is none.',
  })
  lastSeenAt!: Date | null;

  @Field(() => Boolean, {
    description: 'Whether the member has a second factor: a passkey or an authenticator for one-time codes.',
  })
  hasSecondFactor!: boolean;

  @Field(() => PermissionsType, { description: 'What the member holds.' })
  permissions!: PermissionsType;
}

@ObjectType('PendingPermissionGrant', {
  description: 'A deciding permission that has no effect until a second person confirms it.',
})
export class PendingPermissionGrantType {
  @Field(() => ID, { description: 'Id (`grt_…`).' })
  id!: string;

  @Field(() => ID, { description: 'The member who receives it (`usr_…`).' })
  userId!: string;

  @Field(() => BucketEnum, { description: 'The bucket.' })
  bucket!: Bucket;

  @Field(() => String, { description: 'The permission.' })
  permission!: string;

  @Field(() => String, { nullable: true, description: 'The application. Null for an owner permission.' })
  foreignId!: string | null;

  @Field(() => ID, { description: 'The member who granted it (`usr_…`).' })
  grantedBy!: string;

  @Field(() => GraphQLDateTimeISO, { description: 'When it was granted.' })
  createdAt!: Date;
}

@ObjectType('PermissionBucket', { description: 'One bucket of the permission table.' })
export class PermissionBucketType {
  @Field(() => BucketEnum, { description: 'The bucket.' })
  name!: Bucket;

  @Field(() => [String], { description: 'Every permission that can be granted in it.' })
  permissions!: string[];
}

@InputType('ApplicationPermissionsInput', {
  description: 'The permissions to give a member in one application.',
})
export class ApplicationPermissionsInput {
  @Field(() => String, { description: 'The application.' })
  foreignId!: string;

  @Field(() => [String], { nullable: true, description: 'In the bucket `common`. The default is none.' })
  common?: string[] | null;

  @Field(() => [String], {
    nullable: true,
    description: 'In the bucket `administrator`. The default is none.',
  })
  administrator?: string[] | null;

  @Field(() => [String], { nullable: true, description: 'In the bucket `auditor`. The default is none.' })
  auditor?: string[] | null;
}

@InputType('PermissionsInput', {
  description: 'All permissions to give a member, by the names of `permissionTable`.',
})
export class PermissionsInput {
  @Field(() => [String], { nullable: true, description: 'For the whole organization. The default is none.' })
  owner?: string[] | null;

  @Field(() => [ApplicationPermissionsInput], {
    nullable: true,
    description: 'In applications. The default is none.',
  })
  applications?: ApplicationPermissionsInput[] | null;
}

@InputType('SetPermissionsInput', { description: 'A member, and all permissions to give the member.' })
export class SetPermissionsInput {
  @Field(() => ID, { description: 'Id of the user (`usr_…`).' })
  memberId!: string;

  @Field(() => PermissionsInput, { description: 'The permissions.' })
  permissions!: PermissionsInput;
}

export const PendingPermissionGrantConnection = connectionType(
  'PendingPermissionGrant',
  () => PendingPermissionGrantType,
);
export const MemberConnection = connectionType('Member', () => MemberType);
