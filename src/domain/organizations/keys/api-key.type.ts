import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { PersonType } from '../../access/index.js';
import { connectionType } from '../../../platform/kernel/paging/connection.type.js';

@ObjectType('ApiKey', {
  description: 'A credential of a backend. Its secret is shown only when it is created.',
})
export class ApiKeyType {
  @Field(() => ID, { description: 'Id (`key_…`).' })
  id!: string;

  @Field(() => String, { description: 'Name.' })
  name!: string;

  @Field(() => [String], { description: 'What the key is limited to, such as `assets:read`.' })
  scopes!: string[];

  @Field(() => String, { description: 'The first characters of the secret, to recognize it by.' })
  displayPrefix!: string;

  @Field(() => GraphQLDateTimeISO, { description: 'When it was created.' })
  createdAt!: Date;

  @Field(() => ID, { description: 'The user who created it, or `operator`.' })
  createdBy!: string;

  @Field(() => PersonType, { nullable: true, description: 'The user who created it. Null: the operator.' })
  creator!: PersonType | null;

  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'When it expires. Null is never.' })
  expiresAt!: Date | null;

  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'Its last use, to the minute.' })
  lastUsedAt!: Date | null;

  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'When it was revoked.' })
  revokedAt!: Date | null;
}

@ObjectType('CreatedApiKey', { description: 'A new API key with its secret.' })
export class CreatedApiKeyType {
  @Field(() => ApiKeyType, { description: 'The key.' })
  apiKey!: ApiKeyType;

  @Field(() => String, { description: 'The secret (`lck_…`). Store it now: it is shown only once.' })
  secret!: string;
}

@InputType('CreateApiKeyInput', { description: 'A new API key.' })
export class CreateApiKeyInput {
  @Field(() => String, { description: '1 to 128 characters.' })
  name!: string;

  @Field(() => [String], {
    description:
      'At least one of `assets:read`, `assets:write`, `transactions:read`, `disclosures:read`, `disclosures:write`.',
  })
  scopes!: string[];

  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'When it expires, in the future. The default is never.',
  })
  expiresAt?: Date | null;
}

export const ApiKeyConnection = connectionType('ApiKey', () => ApiKeyType);
