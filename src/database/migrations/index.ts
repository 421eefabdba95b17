import { Migration0001Foundation } from './0001-foundation.js';
import { Migration0002ActivityLog } from './0002-activity-log.js';
import { Migration0003Cases } from './0003-cases.js';
import { Migration0004Reports } from './0004-reports.js';
import { Migration0005SecurityEvents } from './0005-security-events.js';
import { Migration0006Checks } from './0006-checks.js';
import { Migration0007Relays } from './0007-relays.js';

/** In order. A migration that has been released is never edited: a new one follows it. */
export const migrations = [
  { name: '0001-foundation', class: Migration0001Foundation },
  { name: '0002-activity-log', class: Migration0002ActivityLog },
  { name: '0003-cases', class: Migration0003Cases },
  { name: '0004-reports', class: Migration0004Reports },
  { name: '0005-security-events', class: Migration0005SecurityEvents },
  { name: '0006-checks', class: Migration0006Checks },
  { name: '0007-relays', class: Migration0007Relays },
];
