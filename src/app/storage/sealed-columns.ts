import 'reflect-metadata';
import type { SealedColumn } from '../../platform/crypto/index.js';
import { SEALED_SIGNING_KEYS } from '../../domain/activity-log/index.js';
import { SEALED_AUDITOR_KEYS } from '../../domain/assets/index.js';
import { SEALED_RESULTS } from '../../domain/disclosures/index.js';
import { SEALED_TOTP_SECRETS } from '../../domain/organizations/index.js';
import { SEALED_PACKAGES } from '../../domain/relays/index.js';
import { SEALED_CHUNKS, SEALED_DIGESTS } from '../../domain/reports/index.js';
import { SEALED_ANSWERS } from '../../platform/database/index.js';

/** Every column with sealed values, first those that must stay secret longest. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  ...[SEALED_AUDITOR_KEYS, SEALED_SIGNING_KEYS, SEALED_TOTP_SECRETS, SEALED_RESULTS, SEALED_CHUNKS],
  ...[SEALED_DIGESTS, SEALED_PACKAGES, SEALED_ANSWERS],
];

/** The purposes of sealed values: the first part of each context. Sealed cookies, cursors and tokens are not stored. */
export const PURPOSES = ['cookies', 'cursors', 'tokens', ...SEALED_COLUMNS.map(({ purpose }) => purpose)];
