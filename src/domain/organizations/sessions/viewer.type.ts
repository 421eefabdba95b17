import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { PersonType } from '../../access/index.js';
import { PermissionsType } from '../members/member.type.js';
import { OrganizationType } from '../organization.type.js';

@ObjectType('ViewerApiKey', { description: 'The API key of the request.' })
export class ViewerApiKeyType {
  @Field(() => ID, { description: 'Id (`key_…`).' })
  id!: string;

  @Field(() => String, { description: 'Name.' })
  name!: string;

  @Field(() => [String], { description: 'What the key is limited to.' })
  scopes!: string[];
}

@ObjectType('PermissionState', { description: 'A permission, and whether the viewer holds it.' })
export class PermissionStateType {
  @Field(() => String, { description: 'Name, such as `cases:create`.' })
  name!: string;

  @Field(() => Boolean, { description: 'Whether the viewer holds it.' })
  held!: boolean;
}

@ObjectType('ViewerApplication', {
  description: 'An application in which the viewer holds anything, with every permission of each bucket.',
})
export class ViewerApplicationType {
  @Field(() => String, { description: 'The application.' })
  foreignId!: string;

  @Field(() => String, { description: 'Name of the application.' })
  name!: string;

  @Field(() => [PermissionStateType], { description: 'The bucket `common`.' })
  common!: PermissionStateType[];

  @Field(() => [PermissionStateType], { description: 'The bucket `administrator`.' })
  administrator!: PermissionStateType[];

  @Field(() => [PermissionStateType], { description: 'The bucket `auditor`.' })
  auditor!: PermissionStateType[];
}

@ObjectType('ViewerSession', { description: 'The session of the request, and when it ends.' })
export class ViewerSessionType {
  @Field(() => ID, { description: 'Id (`ses_…`).' })
  id!: string;

  @Field(() => GraphQLDateTimeISO, { description: 'When it ends at the latest: 12 hours after the sign-in.' })
  expiresAt!: Date;

  @Field(() => Int, { description: 'Seconds until `expiresAt` at the moment of the answer, rounded down.' })
  secondsLeft!: number;

  @Field(() => Int, {
    description:
      'Seconds until it ends because it is not used, rounded down. Each HTTP request and each new ' +
      'subscription extends it.',
  })
  idleSecondsLeft!: number;
}

@ObjectType('Viewer', { description: 'The caller, and what the caller holds.' })
export class ViewerType {
  @Field(() => OrganizationType, { description: 'The organization for which the caller acts.' })
  organization!: OrganizationType;

  @Field(() => PersonType, { nullable: true, description: 'The user. Null when an API key calls.' })
  user!: PersonType | null;

  @Field(() => ViewerApiKeyType, { nullable: true, description: 'The API key. Null when a user calls.' })
  apiKey!: ViewerApiKeyType | null;

  @Field(() => ViewerSessionType, {
    nullable: true,
    description: 'The session of the request. Null when an API key calls.',
  })
  session!: ViewerSessionType | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether the user signs in with a password. Null when an API key calls.',
  })
  hasPassword!: boolean | null;

  @Field(() => PermissionsType, { description: 'What the user holds. Empty for an API key.' })
  permissions!: PermissionsType;

  @Field(() => [PermissionStateType], { description: 'Every owner permission.' })
  ownerPermissions!: PermissionStateType[];

  @Field(() => [ViewerApplicationType], {
    description: 'Each application in which the user holds anything.',
  })
  applicationPermissions!: ViewerApplicationType[];
}
