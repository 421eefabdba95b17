import { Arg, Args, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import { createPersonOf, type RequestContext } from '../../access/index.js';
import type { Foundation } from '../../../platform/database/index.js';
import { PageArguments } from '../../../platform/kernel/paging/page-arguments.type.js';
import { ApiKeyConnection, ApiKeyType, CreateApiKeyInput, CreatedApiKeyType } from './api-key.type.js';
import type { ApiKey } from './api-key-row.js';
import { createApiKey } from './create-api-key.js';
import { listApiKeys } from './list-api-keys.js';
import { revokeApiKey } from './revoke-api-key.js';

@Resolver(() => ApiKeyType)
export class ApiKeyResolver {
  private readonly personOf;

  constructor(private readonly foundation: Foundation) {
    this.personOf = createPersonOf(foundation);
  }

  @FieldResolver()
  creator(@Root() { organizationId, createdBy }: ApiKey) {
    return this.personOf(organizationId, createdBy);
  }

  @Query(() => ApiKeyConnection, {
    description:
      'The API keys of the organization, including expired and revoked ones. Needs the owner permission ' +
      '`api_keys:manage`.',
  })
  apiKeys(@Args(() => PageArguments) page: PageArguments, @Ctx() context: RequestContext) {
    return listApiKeys(this.foundation, context.principal, page);
  }

  @Mutation(() => CreatedApiKeyType, {
    description:
      'Creates an API key and shows its secret once. Needs the owner permission `api_keys:manage`.',
  })
  createApiKey(
    @Arg('input', () => CreateApiKeyInput, { description: 'The key.' }) input: CreateApiKeyInput,
    @Ctx() context: RequestContext,
  ) {
    return createApiKey(this.foundation, context.principal, input);
  }

  @Mutation(() => ApiKeyType, {
    description:
      'Revokes an API key; its next request is refused. Revoking a revoked key changes nothing. Needs the ' +
      'owner permission `api_keys:manage`.',
  })
  revokeApiKey(
    @Arg('id', () => ID, { description: 'Id of the key (`key_…`).' }) id: string,
    @Ctx() context: RequestContext,
  ) {
    return revokeApiKey(this.foundation, context.principal, id);
  }
}
