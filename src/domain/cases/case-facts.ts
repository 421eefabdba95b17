import { type ApplicationOf, createApplicationOf, createPersonOf, type PersonOf } from '../access/index.js';
import { type AssetsOf, createAssetsOf } from '../assets/index.js';
import type { Foundation } from '../../platform/database/index.js';
import { createGrantOf, type GrantOf } from './requests/case-grant.js';

/** The people, applications and assets that cases and requests name by id. All that an answer needs are read together. */
export interface CaseFacts {
  readonly personOf: PersonOf;
  readonly applicationOf: ApplicationOf;
  readonly assetsOf: AssetsOf;
  readonly grantOf: GrantOf;
}

export function createCaseFacts(foundation: Foundation): CaseFacts {
  return {
    personOf: createPersonOf(foundation),
    applicationOf: createApplicationOf(foundation),
    assetsOf: createAssetsOf(foundation),
    grantOf: createGrantOf(foundation),
  };
}
