import path from 'node:path';
import {
  parseAllowedOrigins,
  parseBackendLinks,
  parseOidc,
  parsePublicUrl,
  parseScreening,
  parseSmtp,
  parseTrustProxy,
} from './links.js';
import { parseKeyStores, parseStoredKey } from './key-stores.js';
import { parseMasterKey } from './master-key.js';
import { checkProduction } from './production.js';
import { ConfigurationError } from '../../platform/kernel/configuration-error.js';
import { LOG_LEVELS, ROLES, type Configuration, type RelayerConfiguration, type Role } from './settings.js';
import {
  invalid,
  parseChoice,
  parseCount,
  parseFile,
  parseLamports,
  parseLimit,
  parseList,
  parseSwitch,
} from './values.js';
import { isAddress } from '../../platform/ledger/index.js';
import {
  readerOf,
  refuseUnknownVariables,
  type Environment,
  type Read,
  type VariableName,
} from './variables.js';

export async function readConfiguration(environment: Environment = process.env): Promise<Configuration> {
  refuseUnknownVariables(environment);
  const read = readerOf(environment);
  const production = read('NODE_ENV') === 'production';
  const links = parseBackendLinks(read);
  const hasServerDatabase = links.databaseUrl !== undefined;
  const demoData = parseSwitch('LUCARNE_DEMO_DATA', read('LUCARNE_DEMO_DATA') ?? '1');
  const demo = parseSwitch('LUCARNE_DEMO', read('LUCARNE_DEMO') ?? (hasServerDatabase ? '0' : '1'));
  const configuration: Configuration = {
    ...links,
    host: read('LUCARNE_HOST') ?? '127.0.0.1',
    port: parsePort(read('LUCARNE_PORT') ?? '4000', links.solanaRpcUrls.length === 0),
    dataDirectory: path.resolve(read('LUCARNE_DATA_DIR') ?? '.lucarne'),
    roles: parseRoles(read('LUCARNE_ROLES') ?? ROLES.join(',')),
    publicUrl: parsePublicUrl(read),
    allowedOrigins: parseAllowedOrigins(read('LUCARNE_ALLOWED_ORIGINS')),
    trustProxy: parseTrustProxy(read('LUCARNE_TRUST_PROXY')),
    logLevel: parseChoice('LUCARNE_LOG_LEVEL', LOG_LEVELS, read('LUCARNE_LOG_LEVEL') ?? 'info'),
    serveAsOwner: parseSwitch('LUCARNE_SERVE_AS_OWNER', read('LUCARNE_SERVE_AS_OWNER') ?? '0'),
    auditorKeyExport: parseSwitch('LUCARNE_AUDITOR_KEY_EXPORT', read('LUCARNE_AUDITOR_KEY_EXPORT') ?? '0'),
    replicaMaxLagMs: parseLimit(read, 'LUCARNE_REPLICA_MAX_LAG_MS', 100),
    masterKey: await parseMasterKey(read),
    keyStores: parseKeyStores(read),
    signingKey: parseSigningKey(read),
    oidc: parseOidc(read),
    smtp: parseSmtp(read),
    checksPerClient: parseLimit(read, 'LUCARNE_CHECK_PER_CLIENT', 600),
    sanctions: parseSanctions(read),
    screening: parseScreening(read),
    relayer: parseRelayer(read),
    drainMs: parseDrain(read('LUCARNE_DRAIN_MS'), production),
    demo: demo && !production,
    demoData: demo && !production && !hasServerDatabase && demoData,
    production,
  };
  if (production) await checkProduction(configuration, read);
  return configuration;
}

function parsePort(value: string, withEmbeddedLedger: boolean): number {
  const port = Number(value);
  if (!/^\d{1,5}$/.test(value) || port > 65_535)
    throw invalid('LUCARNE_PORT', value, 'a port from 0 to 65535');
  if (withEmbeddedLedger && port === 65_535)
    throw invalid('LUCARNE_PORT', value, 'below 65535: the embedded ledger takes the port after it');
  return port;
}

function parseRoles(value: string): ReadonlySet<Role> {
  const roles = value.split(',').map((role) => parseChoice('LUCARNE_ROLES', ROLES, role.trim()));
  return new Set(roles);
}

function parseSanctions(read: Read): Configuration['sanctions'] {
  const file = read('LUCARNE_SANCTIONS_FILE');
  const days = read('LUCARNE_SANCTIONS_MAX_AGE_DAYS');
  if (file === undefined) {
    if (days === undefined) return undefined;
    throw new ConfigurationError('LUCARNE_SANCTIONS_MAX_AGE_DAYS needs LUCARNE_SANCTIONS_FILE.');
  }
  const maxAgeDays = days === undefined ? undefined : parseCount('LUCARNE_SANCTIONS_MAX_AGE_DAYS', days);
  return { file: path.resolve(file), maxAgeDays };
}

function parseRelayer(read: Read): RelayerConfiguration {
  return {
    poolsFile: parseFile(read, 'LUCARNE_POOLS_FILE'),
    ...parseRelayerKeys(read),
    perClient: parseLimit(read, 'LUCARNE_RELAY_PER_CLIENT', 60),
    perPool: parseLimit(read, 'LUCARNE_RELAY_PER_POOL', 600),
    queue: parseLimit(read, 'LUCARNE_RELAY_QUEUE', 10_000),
    reserveLamports: parseLamports(read, 'LUCARNE_RELAY_RESERVE_LAMPORTS', 50_000_000),
    poolLamportsPerDay: parseLamports(read, 'LUCARNE_RELAY_POOL_LAMPORTS_PER_DAY', 100_000_000_000),
    clientLamportsPerDay: parseLamports(read, 'LUCARNE_RELAY_CLIENT_LAMPORTS_PER_DAY', 10_000_000_000),
  };
}

function parseRelayerKeys(
  read: Read,
): Pick<RelayerConfiguration, 'keys' | 'keypairFiles' | 'keychainFiles' | 'retiring'> {
  const retiring = parseList(read, 'LUCARNE_RELAYER_RETIRING');
  const wrong = retiring.find((address) => !isAddress(address));
  if (wrong !== undefined)
    throw invalid(
      'LUCARNE_RELAYER_RETIRING',
      wrong,
      'the addresses of accounts in base58, separated by commas',
    );
  return {
    keys: parseList(read, 'LUCARNE_RELAYER_KEY').map((uri) =>
      parseStoredKey(read, 'LUCARNE_RELAYER_KEY', uri),
    ),
    keypairFiles: parseFiles(read, 'LUCARNE_RELAYER_KEYPAIR_FILE'),
    keychainFiles: parseFiles(read, 'LUCARNE_RELAYER_KEYCHAIN_FILE'),
    retiring: retiring.filter(isAddress),
  };
}

const parseFiles = (read: Read, name: VariableName) =>
  parseList(read, name).map((file) => path.resolve(file));

function parseSigningKey(read: Read): Configuration['signingKey'] {
  const uri = read('LUCARNE_SIGNING_KEY');
  return uri === undefined ? undefined : parseStoredKey(read, 'LUCARNE_SIGNING_KEY', uri);
}

const DEFAULT_DRAIN_MS = 5_000;
const MAX_DRAIN_MS = 60_000;

function parseDrain(value: string | undefined, production: boolean): number {
  if (value === undefined) return production ? DEFAULT_DRAIN_MS : 0;
  const milliseconds = Number(value);
  if (!/^\d{1,5}$/.test(value) || milliseconds > MAX_DRAIN_MS)
    throw invalid('LUCARNE_DRAIN_MS', value, `a number of milliseconds from 0 to ${MAX_DRAIN_MS}`);
  return milliseconds;
}
