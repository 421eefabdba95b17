import { Field, InputType, ObjectType } from 'type-graphql';

@ObjectType('ApplicationPermissions', { description: 'The permissions of a member in one application.' })
export class ApplicationPermissionsType {
  @Field(() => String, { description: 'The foreignId of the application.' })
  foreignId!: string;

  @Field(() => [String], { description: 'The permissions in the bucket `common`.' })
  common!: string[];

  @Field(() => [String], { description: 'The permissions in the bucket `administrator`.' })
  administrator!: string[];

  @Field(() => [String], { description: 'The permissions in the bucket `auditor`.' })
  auditor!: string[];
}

@ObjectType('Permissions', {
  description: 'The permissions of a member, by their names in `permissionTable`.',
})
export class PermissionsType {
  @Field(() => [String], { description: 'The permissions for the whole organization.' })
  owner!: string[];

  @Field(() => [ApplicationPermissionsType], { description: 'The permissions in applications.' })
  applications!: ApplicationPermissionsType[];
}

@InputType('ApplicationPermissionsInput', {
  description: 'The permissions to give a member in one application.',
})
export class ApplicationPermissionsInput {
  @Field(() => String, { description: 'The foreignId of the application.' })
  foreignId!: string;

  @Field(() => [String], {
    nullable: true,
    description: 'The permissions in the bucket `common`. The default is none.',
  })
  common?: string[] | null;

  @Field(() => [String], {
    nullable: true,
    description: 'The permissions in the bucket `administrator`. The default is none.',
  })
  administrator?: string[] | null;

  @Field(() => [String], {
    nullable: true,
    description: 'The permissions in the bucket `auditor`. The default is none.',
  })
  auditor?: string[] | null;
}

@InputType('PermissionsInput', {
  description: 'All permissions to give a member, by their names in `permissionTable`.',
})
export class PermissionsInput {
  @Field(() => [String], {
    nullable: true,
    description: 'The permissions for the whole organization. The default is none.',
  })
  owner?: string[] | null;

  @Field(() => [ApplicationPermissionsInput], {
    nullable: true,
    description: 'The permissions in applications. The default is none.',
  })
  applications?: ApplicationPermissionsInput[] | null;
}
