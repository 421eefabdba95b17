import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { PersonType } from '../../access/index.js';
import { connectionType } from '../../../platform/kernel/paging/connection.type.js';

@ObjectType('ApiKey', {
  description: 'A credential of a backend. Its secret is shown only once, when the key is created.',
})
export class ApiKeyType {
  @Field(() => ID, { description: 'Id of the key (`key_…`).' })
  id!: string;

  @Field(() => String, { description: 'The name of the key.' })
  name!: string;

  @Field(() => [String], {
    description: 'The scopes of the key, such as `assets:read`. The key can do nothing else.',
  })
  scopes!: string[];

  @Field(() => String, {
    description: 'The first characters of the secret, which help you recognize the key.',
  })
  displayPrefix!: string;

  @Field(() => GraphQLDateTimeISO, { description: 'When the key was created.' })
  createdAt!: Date;

  @Field(() => ID, { description: 'Id of the user who created the key (`usr_…`), or `operator`.' })
  createdBy!: string;

  @Field(() => PersonType, {
    nullable: true,
    description: 'The user who created the key. Null if the operator created it.',
  })
  creator!: PersonType | null;

  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'When the key expires. Null if it never expires.',
  })
  expiresAt!: Date | null;

  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'When the key was last used, to the minute. Null if it was never used.',
  })
  lastUsedAt!: Date | null;

  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'When the key was revoked. Null if it was not revoked.',
  })
  revokedAt!: Date | null;
}

@ObjectType('CreatedApiKey', { description: 'A new API key with its secret.' })
export class CreatedApiKeyType {
  @Field(() => ApiKeyType, { description: 'The key.' })
  apiKey!: ApiKeyType;

  @Field(() => String, { description: 'The secret (`lck_…`). Store it now: it is shown only once.' })
  secret!: string;
}

@InputType('CreateApiKeyInput', { description: 'The API key to create.' })
export class CreateApiKeyInput {
  @Field(() => String, { description: 'The name of the key, 1 to 128 characters.' })
  name!: string;

  @Field(() => [String], {
    description:
      'The scopes of the key: at least one of `assets:read`, `assets:write`, `transactions:read`, ' +
      '`disclosures:read`, `disclosures:write`.',
  })
  scopes!: string[];

  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'When the key expires. The time must be in the future. By default the key never expires.',
  })
  expiresAt?: Date | null;
}

export const ApiKeyConnection = connectionType('ApiKey', () => ApiKeyType);
