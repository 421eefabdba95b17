import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { PersonType } from '../../access/index.js';
import { PermissionsType } from '../permissions.type.js';
import { OrganizationType } from '../organization.type.js';

@ObjectType('ViewerApiKey', { description: 'The API key of the request.' })
export class ViewerApiKeyType {
  @Field(() => ID, { description: 'Id of the key (`key_…`).' })
  id!: string;

  @Field(() => String, { description: 'The name of the key.' })
  name!: string;

  @Field(() => [String], { description: 'The scopes of the key.' })
  scopes!: string[];
}

@ObjectType('PermissionState', { description: 'A permission, and whether the caller holds it.' })
export class PermissionStateType {
  @Field(() => String, { description: 'The name of the permission, such as `cases:create`.' })
  name!: string;

  @Field(() => Boolean, { description: 'Whether the caller holds the permission.' })
  held!: boolean;
}

@ObjectType('ViewerApplication', {
  description: 'An application in which the user holds a permission, with all permissions of each bucket.',
})
export class ViewerApplicationType {
  @Field(() => String, { description: 'The foreignId of the application.' })
  foreignId!: string;

  @Field(() => String, { description: 'The name of the application.' })
  name!: string;

  @Field(() => [PermissionStateType], { description: 'All permissions of the bucket `common`.' })
  common!: PermissionStateType[];

  @Field(() => [PermissionStateType], { description: 'All permissions of the bucket `administrator`.' })
  administrator!: PermissionStateType[];

  @Field(() => [PermissionStateType], { description: 'All permissions of the bucket `auditor`.' })
  auditor!: PermissionStateType[];
}

@ObjectType('ViewerSession', { description: 'The session of the request.' })
export class ViewerSessionType {
  @Field(() => ID, { description: 'Id of the session (`ses_…`).' })
  id!: string;

  @Field(() => GraphQLDateTimeISO, {
    description: 'The latest time at which the session ends: 12 hours after the sign-in.',
  })
  expiresAt!: Date;

  @Field(() => Int, {
    description: 'The number of seconds until `expiresAt` when the answer was made, rounded down.',
  })
  secondsLeft!: number;

  @Field(() => Int, {
    description:
      'The number of seconds until the session ends if it is not used, rounded down. Each HTTP request and ' +
      'each new subscription extends it.',
  })
  idleSecondsLeft!: number;
}

@ObjectType('Viewer', {
  description: 'The caller (a user or an API key), its organization and its permissions.',
})
export class ViewerType {
  @Field(() => OrganizationType, { description: 'The organization for which the caller acts.' })
  organization!: OrganizationType;

  @Field(() => PersonType, { nullable: true, description: 'The user. Null if an API key makes the call.' })
  user!: PersonType | null;

  @Field(() => ViewerApiKeyType, {
    nullable: true,
    description: 'The API key. Null if a user makes the call.',
  })
  apiKey!: ViewerApiKeyType | null;

  @Field(() => ViewerSessionType, {
    nullable: true,
    description: 'The session of the request. Null if an API key makes the call.',
  })
  session!: ViewerSessionType | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether the user has a password. Null if an API key makes the call.',
  })
  hasPassword!: boolean | null;

  @Field(() => PermissionsType, { description: 'The permissions that the user holds. Empty for an API key.' })
  permissions!: PermissionsType;

  @Field(() => [PermissionStateType], {
    description: 'All owner permissions, each with whether the user holds it.',
  })
  ownerPermissions!: PermissionStateType[];

  @Field(() => [ViewerApplicationType], {
    description: 'The applications in which the user holds a permission. Empty for an API key.',
  })
  applicationPermissions!: ViewerApplicationType[];
}
