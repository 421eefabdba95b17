import { GraphQLDateTimeISO } from 'graphql-scalars';
import { Arg, Ctx, Int, Mutation, Query, Resolver } from 'type-graphql';
import type { Foundation } from '../database/index.js';
import { ApiKeyConnection, ApiKeyType, CreatedApiKeyType } from './api-key.type.js';
import { createApiKey } from './create-api-key.js';
import { listApiKeys } from './list-api-keys.js';
import type { RequestContext } from './request-context.js';
import { revokeApiKey } from './revoke-api-key.js';

@Resolver()
export class ApiKeyResolver {
  constructor(private readonly foundation: Foundation) {}

  @Query(() => ApiKeyConnection, {
    description:
      'The API keys of the organization, also those that ended. Needs the owner permission `api_keys:manage`.',
  })
  apiKeys(
    @Arg('first', () => Int, { nullable: true, description: 'How many, 1 to 200; 50 when absent.' })
    first: number | null | undefined,
    @Arg('after', () => String, { nullable: true, description: 'The cursor of the last item seen.' })
    after: string | null | undefined,
    @Ctx() context: RequestContext,
  ) {
    return listApiKeys(this.foundation, context.principal, { first, after });
  }

  @Mutation(() => CreatedApiKeyType, {
    description:
      'Creates an API key and shows its secret once. Needs the owner permission `api_keys:manage`.',
  })
  createApiKey(
    @Arg('name', () => String, { description: '1 to 128 characters.' }) name: string,
    @Arg('scopes', () => [String], {
      description:
        'At least one of `assets:read`, `assets:write`, `transactions:read`, `disclosures:read`, `disclosures:write`.',
    })
    scopes: string[],
    @Arg('expiresAt', () => GraphQLDateTimeISO, {
      nullable: true,
      description: 'When it ends by itself, in the future; absent is never.',
    })
    expiresAt: Date | null | undefined,
    @Ctx() context: RequestContext,
  ) {
    return createApiKey(this.foundation, context.principal, { name, scopes, expiresAt: expiresAt ?? null });
  }

  @Mutation(() => ApiKeyType, {
    description:
      'Revokes an API key from the next request on; one that was revoked before stays as it was. Needs the owner ' +
      'permission `api_keys:manage`.',
  })
  revokeApiKey(
    @Arg('id', () => String, { description: 'Id of the key (`key_…`).' }) id: string,
    @Ctx() context: RequestContext,
  ) {
    return revokeApiKey(this.foundation, context.principal, id);
  }
}
