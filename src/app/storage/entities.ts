import 'reflect-metadata';
import type { EntitySchema } from '@mikro-orm/core';
import { activityLogEntities } from '../../domain/activity-log/index.js';
import { assetEntities } from '../../domain/assets/index.js';
import { caseEntities } from '../../domain/cases/index.js';
import { checkEntities } from '../../domain/checks/index.js';
import { disclosureEntities } from '../../domain/disclosures/index.js';
import { indexerEntities } from '../../domain/indexer/index.js';
import { organizationEntities } from '../../domain/organizations/index.js';
import { relayEntities } from '../../domain/relays/index.js';
import { reportEntities } from '../../domain/reports/index.js';
import { platformEntities } from '../../platform/database/index.js';
import { keyEntities } from '../../platform/keys/index.js';
import { transactionEntities } from '../../domain/transactions/index.js';

/** The entities of every room: the ORM's description of all tables. */
export const entities: readonly EntitySchema[] = [
  ...platformEntities,
  ...keyEntities,
  ...activityLogEntities,
  ...organizationEntities,
  ...assetEntities,
  ...transactionEntities,
  ...disclosureEntities,
  ...reportEntities,
  ...checkEntities,
  ...caseEntities,
  ...relayEntities,
  ...indexerEntities,
];

/** The tables of this version. */
export const tableNames: readonly string[] = entities.map(({ meta }) => meta.tableName);
