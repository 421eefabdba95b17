import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import type { Bucket } from '../../access/index.js';
import { PermissionsInput, PermissionsType } from '../permissions.type.js';
import { connectionType } from '../../../platform/kernel/paging/connection.type.js';
import { graphqlEnum } from '../../../platform/kernel/enums/enum.type.js';

const BucketEnum = graphqlEnum<Bucket>(
  'Bucket',
  'A group of permissions: those of the organization, or those of one role in an application.',
  {
    owner: 'Permissions for the whole organization.',
    common: 'Permissions of everyone who works in an application.',
    administrator: 'Permissions of an application’s administrators.',
    auditor: 'Permissions of an application’s auditors.',
  },
);

@ObjectType('Member', { description: 'A member of the organization, and the permissions of the member.' })
export class MemberType {
  @Field(() => ID, { description: 'Id of the user (`usr_…`). The id is valid until the membership ends.' })
  id!: string;

  @Field(() => String, { description: 'The name of the member.' })
  name!: string;

  @Field(() => String, { description: 'The e-mail address of the member.' })
  email!: string;

  @Field(() => GraphQLDateTimeISO, { description: 'When the membership began.' })
  addedAt!: Date;

  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description:
      'When the member last used a session that has not ended, to the minute. Null if the member has no such ' +
      'session.',
  })
  lastSeenAt!: Date | null;

  @Field(() => Boolean, {
    description: 'Whether the member has a second factor: a passkey or an authenticator for one-time codes.',
  })
  hasSecondFactor!: boolean;

  @Field(() => PermissionsType, { description: 'The permissions of the member.' })
  permissions!: PermissionsType;
}

@ObjectType('PendingPermissionGrant', {
  description: 'A deciding permission that was granted and has no effect until a second owner confirms it.',
})
export class PendingPermissionGrantType {
  @Field(() => ID, { description: 'Id of the pending grant (`grt_…`).' })
  id!: string;

  @Field(() => ID, { description: 'Id of the member who receives the permission (`usr_…`).' })
  userId!: string;

  @Field(() => BucketEnum, { description: 'The bucket of the permission.' })
  bucket!: Bucket;

  @Field(() => String, { description: 'The name of the permission.' })
  permission!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The foreignId of the application. Null for an owner permission.',
  })
  foreignId!: string | null;

  @Field(() => ID, { description: 'Id of the member who granted the permission (`usr_…`).' })
  grantedBy!: string;

  @Field(() => GraphQLDateTimeISO, { description: 'When the permission was granted.' })
  createdAt!: Date;
}

@ObjectType('PermissionBucket', { description: 'A bucket of the permission table, with its permissions.' })
export class PermissionBucketType {
  @Field(() => BucketEnum, { description: 'The name of the bucket.' })
  name!: Bucket;

  @Field(() => [String], { description: 'All permissions that can be granted in the bucket.' })
  permissions!: string[];
}

@InputType('SetPermissionsInput', { description: 'A member, and all permissions to give this member.' })
export class SetPermissionsInput {
  @Field(() => ID, { description: 'Id of the user (`usr_…`).' })
  memberId!: string;

  @Field(() => PermissionsInput, {
    description: 'All permissions of the member, which replace the current ones.',
  })
  permissions!: PermissionsInput;
}

export const PendingPermissionGrantConnection = connectionType(
  'PendingPermissionGrant',
  () => PendingPermissionGrantType,
);
export const MemberConnection = connectionType('Member', () => MemberType);

@ObjectType('ErasedValues', { description: 'What was erased about a person.' })
export class ErasedValuesType {
  @Field(() => ID, { description: 'Id of the user (`usr_…`).' })
  userId!: string;

  @Field(() => Int, { description: 'The number of log entries from which values were erased.' })
  entries!: number;

  @Field(() => Int, { description: 'The number of values that were erased.' })
  values!: number;
}
