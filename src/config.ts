import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { isIP, isIPv6 } from 'node:net';
import path from 'node:path';
import { base64 } from './kernel/bytes.js';

export const ROLES = ['api', 'indexer', 'relayer'] as const;
export type Role = (typeof ROLES)[number];
export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** How this process runs, read once at the start. Nothing else reads the environment. */
export interface Configuration {
  readonly host: string;
  readonly port: number;
  /** Absolute. Holds the embedded database, ledger and keys; with a server database, nothing that must be kept. */
  readonly dataDirectory: string;
  readonly roles: ReadonlySet<Role>;
  /** The origin that browsers see, when it is not this host and port. */
  readonly publicUrl: URL | undefined;
  /** What Fastify calls `trustProxy`: how many proxies, or which addresses, may say who the client is. */
  readonly trustProxy: boolean | string | ((address: string, hop: number) => boolean);
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** PostgreSQL; the embedded database when absent. */
  readonly databaseUrl: string | undefined;
  readonly redisUrl: string | undefined;
  /** Solana RPC providers; the embedded ledger when empty. */
  readonly solanaRpcUrls: readonly string[];
  readonly solanaWsUrl: string | undefined;
  readonly masterKey: { readonly source: 'variable' | 'file'; readonly key: Uint8Array } | undefined;
  /** The OpenID provider by which portal users may sign in. */
  readonly oidc:
    { readonly issuer: URL; readonly clientId: string; readonly clientSecret: string } | undefined;
  /** Address checks of one client address in a minute. */
  readonly checksPerClient: number;
  /** The sanctions list that addresses are checked against; the path is absolute. */
  readonly sanctions: { readonly file: string; readonly maxAgeDays: number | undefined } | undefined;
  /** The screening service that is asked about addresses. */
  readonly screening: { readonly url: URL; readonly apiKey: string } | undefined;
  readonly relayer: RelayerConfiguration;
  readonly demo: boolean;
  readonly production: boolean;
}

/** Paths are absolute. */
export interface RelayerConfiguration {
  /** The descriptors of the pools that are served. */
  readonly poolsFile: string | undefined;
  /** The key that pays for and signs transactions, as Solana's command line writes it. */
  readonly keypairFile: string | undefined;
  /** Submissions and attempts of one client address in a minute. */
  readonly perClient: number;
  /** Submissions of one pool in a minute. */
  readonly perPool: number;
  /** Requests that may wait to be sent. */
  readonly queue: number;
  /** The balance below which nothing is accepted. */
  readonly reserveLamports: number;
}

/** A value that cannot be used. The message names the variable, and never its value when that is a secret. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

type Environment = Readonly<Record<string, string | undefined>>;

export async function readConfiguration(environment: Environment = process.env): Promise<Configuration> {
  const read = (name: string) => {
    const value = environment[name]?.trim();
    return value === '' ? undefined : value;
  };
  const databaseUrl = parseUrl(read, 'DATABASE_URL', ['postgres:', 'postgresql:'])?.href;
  const solanaRpcUrls = parseRpcUrls(read('SOLANA_RPC_URL'));
  const production = read('NODE_ENV') === 'production';
  const demo = parseSwitch('LUCARNE_DEMO', read('LUCARNE_DEMO') ?? (databaseUrl === undefined ? '1' : '0'));
  return {
    host: read('LUCARNE_HOST') ?? '127.0.0.1',
    port: parsePort(read('LUCARNE_PORT') ?? '4000', solanaRpcUrls.length === 0),
    dataDirectory: path.resolve(read('LUCARNE_DATA_DIR') ?? '.lucarne'),
    roles: parseRoles(read('LUCARNE_ROLES') ?? ROLES.join(',')),
    publicUrl: parsePublicUrl(read),
    trustProxy: parseTrustProxy(read('LUCARNE_TRUST_PROXY')),
    logLevel: parseChoice('LUCARNE_LOG_LEVEL', LOG_LEVELS, read('LUCARNE_LOG_LEVEL') ?? 'info'),
    databaseUrl,
    redisUrl: parseUrl(read, 'REDIS_URL', ['redis:', 'rediss:'])?.href,
    solanaRpcUrls,
    solanaWsUrl: parseWsUrl(read, solanaRpcUrls),
    masterKey: await parseMasterKey(read),
    oidc: parseOidc(read),
    checksPerClient: parseLimit(read, 'LUCARNE_CHECK_PER_CLIENT', 600),
    sanctions: parseSanctions(read),
    screening: parseScreening(read),
    relayer: parseRelayer(read),
    demo: demo && !production,
    production,
  };
}

/**
 * The master key: as configured, or on the embedded database a file in the data directory, made at the first start.
 * With a server database it must be configured, because every instance needs the same.
 */
export async function resolveMasterKey(configuration: Configuration): Promise<Uint8Array> {
  if (configuration.masterKey) return configuration.masterKey.key;
  if (configuration.databaseUrl !== undefined) {
    throw new ConfigurationError(
      'LUCARNE_MASTER_KEY or LUCARNE_MASTER_KEY_FILE is required with DATABASE_URL: 32 bytes in base64. ' +
        'Make one with: openssl rand -base64 32',
    );
  }
  const file = path.join(configuration.dataDirectory, 'master.key');
  await mkdir(configuration.dataDirectory, { recursive: true, mode: 0o700 });
  if (!existsSync(file)) await makeMasterKey(file);
  return parseMasterKeyText(file, await readFile(file, 'utf8'));
}

const MASTER_KEY_BYTES = 32;

// Linked into its place when it is complete: a key that is there is never written over, what it seals would be lost
// with it; and a process that is killed meanwhile leaves none half written.
async function makeMasterKey(file: string): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(draft, `${base64.encode(randomBytes(MASTER_KEY_BYTES))}\n`, { mode: 0o600, flag: 'wx' });
    await link(draft, file);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
  } finally {
    await rm(draft, { force: true });
  }
}

type Read = (name: string) => string | undefined;

async function parseMasterKey(read: Read): Promise<Configuration['masterKey']> {
  const value = read('LUCARNE_MASTER_KEY');
  const file = read('LUCARNE_MASTER_KEY_FILE');
  if (value !== undefined && file !== undefined) {
    throw new ConfigurationError('Set only one of LUCARNE_MASTER_KEY and LUCARNE_MASTER_KEY_FILE.');
  }
  if (value !== undefined)
    return { source: 'variable', key: parseMasterKeyText('LUCARNE_MASTER_KEY', value) };
  if (file === undefined) return undefined;
  const text = await readFile(file, 'utf8').catch((thrown: unknown) => {
    throw new ConfigurationError(`LUCARNE_MASTER_KEY_FILE cannot be read: ${(thrown as Error).message}`);
  });
  return { source: 'file', key: parseMasterKeyText('LUCARNE_MASTER_KEY_FILE', text) };
}

function parseMasterKeyText(name: string, text: string): Uint8Array {
  const key = base64.decode(text.trim());
  if (key?.length !== MASTER_KEY_BYTES) throw new ConfigurationError(`${name} must hold 32 bytes in base64.`);
  return key;
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

function parsePublicUrl(read: Read): URL | undefined {
  const url = parseUrl(read, 'LUCARNE_PUBLIC_URL', ['http:', 'https:']);
  if (url && url.href !== `${url.origin}/`) {
    throw new ConfigurationError('LUCARNE_PUBLIC_URL must be an origin, such as https://lucarne.example.');
  }
  return url;
}

const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost'];

function parseOidc(read: Read): Configuration['oidc'] {
  const issuerText = read('OIDC_ISSUER');
  const clientId = read('OIDC_CLIENT_ID');
  const clientSecret = read('OIDC_CLIENT_SECRET');
  if (issuerText === undefined && clientId === undefined && clientSecret === undefined) return undefined;
  const required = (name: string) =>
    new ConfigurationError(`${name} is required: an OpenID provider needs issuer, client id and secret.`);
  if (issuerText === undefined) throw required('OIDC_ISSUER');
  if (clientId === undefined) throw required('OIDC_CLIENT_ID');
  if (clientSecret === undefined) throw required('OIDC_CLIENT_SECRET');
  const issuer = parseUrlValue('OIDC_ISSUER', issuerText, ['http:', 'https:']);
  if (issuer.protocol === 'http:' && !LOOPBACK.includes(issuer.hostname)) {
    throw new ConfigurationError('OIDC_ISSUER must begin with https://, unless it is on loopback.');
  }
  // OpenID Connect Core section 2: an issuer is a URL of scheme, host, port and path.
  if (issuer.search !== '' || issuer.hash !== '' || issuer.username !== '' || issuer.password !== '') {
    throw new ConfigurationError('OIDC_ISSUER must have no query, fragment or user.');
  }
  return { issuer, clientId, clientSecret };
}

function parseRpcUrls(value = ''): string[] {
  return value
    .split(',')
    .filter((url) => url.trim() !== '')
    .map((url) => parseUrlValue('SOLANA_RPC_URL', url.trim(), ['http:', 'https:']).href);
}

function parseWsUrl(read: Read, rpcUrls: readonly string[]): string | undefined {
  const url = parseUrl(read, 'SOLANA_WS_URL', ['ws:', 'wss:']);
  if (url && rpcUrls.length === 0) {
    throw new ConfigurationError('SOLANA_WS_URL needs SOLANA_RPC_URL: the embedded ledger has its own.');
  }
  return url?.href;
}

const NAMED_RANGES = ['loopback', 'linklocal', 'uniquelocal'];

function parseTrustProxy(value: string | undefined): Configuration['trustProxy'] {
  if (value === undefined || value === 'false' || value === '0') return false;
  if (value === 'true') return true;
  // A number counts the proxies in front: the address that the last of them saw is the client's.
  if (/^\d+$/.test(value)) return (_address, hop) => hop < Number(value);
  if (
    !value.split(',').every((range) => NAMED_RANGES.includes(range.trim()) || isAddressRange(range.trim()))
  ) {
    throw invalid(
      'LUCARNE_TRUST_PROXY',
      value,
      `true, false, a number of proxies, or addresses and ranges (10.0.0.0/8, ${NAMED_RANGES.join(', ')})`,
    );
  }
  return value;
}

function isAddressRange(range: string): boolean {
  const [address = '', bits, ...more] = range.split('/');
  if (isIP(address) === 0 || more.length > 0) return false;
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (isIPv6(address) ? 128 : 32));
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

function parseScreening(read: Read): Configuration['screening'] {
  const url = parseUrl(read, 'LUCARNE_SCREENING_URL', ['http:', 'https:']);
  const apiKey = read('LUCARNE_SCREENING_API_KEY');
  if (!url && apiKey === undefined) return undefined;
  if (!url || apiKey === undefined) {
    const missing = url ? 'LUCARNE_SCREENING_API_KEY' : 'LUCARNE_SCREENING_URL';
    throw new ConfigurationError(`${missing} is required: a screening service needs its URL and its key.`);
  }
  if (url.protocol === 'http:' && !LOOPBACK.includes(url.hostname)) {
    throw new ConfigurationError('LUCARNE_SCREENING_URL must begin with https://, unless it is on loopback.');
  }
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    throw new ConfigurationError('LUCARNE_SCREENING_URL must have no query, fragment or user.');
  }
  if (!/^[\x21-\x7e]{1,1024}$/.test(apiKey)) {
    throw new ConfigurationError('LUCARNE_SCREENING_API_KEY must be printable ASCII without spaces.');
  }
  return { url, apiKey };
}

function parseRelayer(read: Read): RelayerConfiguration {
  return {
    poolsFile: parseFile(read, 'LUCARNE_POOLS_FILE'),
    keypairFile: parseFile(read, 'LUCARNE_RELAYER_KEYPAIR_FILE'),
    perClient: parseLimit(read, 'LUCARNE_RELAY_PER_CLIENT', 60),
    perPool: parseLimit(read, 'LUCARNE_RELAY_PER_POOL', 600),
    queue: parseLimit(read, 'LUCARNE_RELAY_QUEUE', 10_000),
    reserveLamports: parseLimit(read, 'LUCARNE_RELAY_RESERVE_LAMPORTS', 50_000_000),
  };
}

function parseFile(read: Read, name: string): string | undefined {
  const file = read(name);
  return file === undefined ? undefined : path.resolve(file);
}

function parseLimit(read: Read, name: string, otherwise: number): number {
  const value = read(name);
  return value === undefined ? otherwise : parseCount(name, value);
}

function parseCount(name: string, value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw invalid(name, value, 'a whole number from 1 to 999999999');
  return Number(value);
}

function parseSwitch(name: string, value: string): boolean {
  if (value === '0' || value === 'false') return false;
  if (value === '1' || value === 'true') return true;
  throw invalid(name, value, '1 or 0');
}

function parseChoice<Choice extends string>(name: string, choices: readonly Choice[], value: string): Choice {
  const choice = choices.find((candidate) => candidate === value);
  if (choice === undefined) throw invalid(name, value, `of ${choices.join(', ')}`);
  return choice;
}

function parseUrl(read: Read, name: string, protocols: readonly string[]): URL | undefined {
  const value = read(name);
  return value === undefined ? undefined : parseUrlValue(name, value, protocols);
}

function parseUrlValue(name: string, value: string, protocols: readonly string[]): URL {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  // A URL can hold a password: it is not repeated.
  if (!url || !protocols.includes(url.protocol)) {
    throw new ConfigurationError(`${name} must be a URL that begins with ${protocols.join('// or ')}//.`);
  }
  return url;
}

function invalid(name: string, value: string, expected: string): ConfigurationError {
  return new ConfigurationError(`${name} is “${value}”; it must be ${expected}.`);
}
