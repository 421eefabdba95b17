import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Field, ObjectType } from 'type-graphql';
import { connectionType } from '../kernel/connection.type.js';

@ObjectType('ApiKey', { description: 'A credential of a backend. Its secret is never shown again.' })
export class ApiKeyType {
  @Field(() => String, { description: 'Id (`key_…`).' })
  id!: string;

  @Field(() => String, { description: 'Name.' })
  name!: string;

  @Field(() => [String], { description: 'What the key is limited to, such as `assets:read`.' })
  scopes!: string[];

  @Field(() => String, { description: 'The first characters of the secret, to recognise it by.' })
  displayPrefix!: string;

  @Field(() => GraphQLDateTimeISO, { description: 'When it was created.' })
  createdAt!: Date;

  @Field(() => String, { description: 'The user who created it, or `operator`.' })
  createdBy!: string;

  @Field(() => GraphQLDateTimeISO, { nullable: true, description: 'When it ends by itself; null is never.' })
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

  @Field(() => String, { description: 'The secret (`lck_…`). Store it now: it is shown this once.' })
  secret!: string;
}

export const ApiKeyConnection = connectionType('ApiKey', () => ApiKeyType);
