import { type ClassType, FieldResolver, Resolver, Root } from 'type-graphql';
import { CaseAssetType } from '../assets/index.js';
import { ApplicationType } from '../organizations/index.js';
import type { CaseFacts } from './case-facts.js';
import type { CaseRecord } from './case.js';
import type { CaseParameters } from './case.type.js';

/** Resolves the ids in cases and requests to objects with names. */
export function caseParametersResolver(
  type: ClassType<CaseParameters>,
  { applicationOf, assetsOf }: CaseFacts,
): object {
  @Resolver(() => type)
  class CaseParametersResolver {
    @FieldResolver(() => ApplicationType, { description: 'The application whose transactions are covered.' })
    application(@Root() parameters: Pick<CaseRecord, 'organizationId' | 'applicationId'>) {
      return applicationOf(parameters.organizationId, parameters.applicationId);
    }

    @FieldResolver(() => [CaseAssetType], {
      complexity: 20,
      description: 'The assets whose transactions are covered, in the order of `assetIds`.',
    })
    assets(@Root() parameters: Pick<CaseRecord, 'organizationId' | 'assetIds'>) {
      return assetsOf({ organizationId: parameters.organizationId, ids: parameters.assetIds });
    }
  }
  return new CaseParametersResolver();
}
