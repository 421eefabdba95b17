import 'reflect-metadata';
import type { EntitySchema } from '@mikro-orm/core';
import { ActivityEntry } from './activity-log/index.js';
import { assetEntities } from './assets/index.js';
import { caseEntities } from './cases/index.js';
import { checkEntities } from './checks/index.js';
import { disclosureEntities } from './disclosures/index.js';
import { organizationEntities } from './organizations/index.js';
import { relayEntities } from './relays/index.js';
import { reportEntities } from './reports/index.js';

/** Every entity of every room, for the database to know. */
export const entities: readonly EntitySchema[] = [
  ActivityEntry,
  ...organizationEntities,
  ...assetEntities,
  ...disclosureEntities,
  ...reportEntities,
  ...checkEntities,
  ...caseEntities,
  ...relayEntities,
];
