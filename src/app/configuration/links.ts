import { ConfigurationError } from '../../platform/kernel/configuration-error.js';
import { isAddressRange, isLoopback, isPrivate } from '../../platform/kernel/hosts.js';
import { PLAINTEXT_LINKS, type Configuration, type PlaintextLink } from './settings.js';
import { invalid, parseChoice, parseUrl, parseUrlValue } from './values.js';
import type { Read, VariableName } from './variables.js';

/** The gateway's own programs: database, wake-ups, and the ledger's providers. */
export type BackendLinks = Pick<
  Configuration,
  'databaseUrl' | 'databaseReplicaUrls' | 'redisUrl' | 'solanaRpcUrls' | 'solanaWsUrls' | 'plaintextLinks'
>;

const POSTGRESQL = ['postgres:', 'postgresql:'];

export function parseBackendLinks(read: Read): BackendLinks {
  const solanaRpcUrls = parseUrls('SOLANA_RPC_URL', read('SOLANA_RPC_URL'), ['http:', 'https:']);
  const databaseUrl = parseUrl(read, 'DATABASE_URL', POSTGRESQL)?.href;
  return {
    databaseUrl,
    databaseReplicaUrls: parseReplicaUrls(read('DATABASE_REPLICA_URLS'), databaseUrl),
    redisUrl: parseUrl(read, 'REDIS_URL', ['redis:', 'rediss:'])?.href,
    solanaRpcUrls,
    solanaWsUrls: parseWsUrls(read('SOLANA_WS_URL'), solanaRpcUrls),
    plaintextLinks: parsePlaintextLinks(read('LUCARNE_PLAINTEXT_LINKS')),
  };
}

function parseReplicaUrls(value: string | undefined, databaseUrl: string | undefined): string[] {
  const urls = parseUrls('DATABASE_REPLICA_URLS', value, POSTGRESQL);
  if (urls.length > 0 && databaseUrl === undefined)
    throw new ConfigurationError(
      'DATABASE_REPLICA_URLS needs DATABASE_URL: the embedded database has no replicas.',
    );
  const places = urls
    .map((url) => new URL(url))
    .map(({ host, searchParams }) => `${host} ${searchParams.get('host')}`);
  if (new Set(places).size < urls.length)
    throw new ConfigurationError('DATABASE_REPLICA_URLS must name each host and port only once.');
  return urls;
}

function parsePlaintextLinks(value = ''): ReadonlySet<PlaintextLink> {
  const names = value.split(',').filter((name) => name.trim() !== '');
  return new Set(names.map((name) => parseChoice('LUCARNE_PLAINTEXT_LINKS', PLAINTEXT_LINKS, name.trim())));
}

function parseUrls(name: VariableName, value: string | undefined, protocols: readonly string[]): string[] {
  const urls = (value ?? '').split(',').filter((url) => url.trim() !== '');
  return urls.map((url) => parseUrlValue(name, url.trim(), protocols).href);
}

function parseWsUrls(value: string | undefined, rpcUrls: readonly string[]): string[] {
  const urls = parseUrls('SOLANA_WS_URL', value, ['ws:', 'wss:']);
  if (urls.length > 0 && rpcUrls.length === 0)
    throw new ConfigurationError('SOLANA_WS_URL needs SOLANA_RPC_URL: the embedded ledger has its own.');
  if (urls.length > rpcUrls.length)
    throw new ConfigurationError('SOLANA_WS_URL must have at most one URL for each URL of SOLANA_RPC_URL.');
  return urls;
}

/** The links in plaintext that leave this machine and its private network, and the variable that holds each. */
export function exposedLinks(links: BackendLinks): { link: PlaintextLink; name: VariableName }[] {
  const { databaseUrl, databaseReplicaUrls, redisUrl, solanaRpcUrls, solanaWsUrls } = links;
  const exposed: { link: PlaintextLink; name: VariableName }[] = [];
  if (databaseUrl !== undefined && isExposedDatabase(new URL(databaseUrl)))
    exposed.push({ link: 'postgresql', name: 'DATABASE_URL' });
  if (databaseReplicaUrls.some((url) => isExposedDatabase(new URL(url))))
    exposed.push({ link: 'postgresql', name: 'DATABASE_REPLICA_URLS' });
  if (redisUrl !== undefined && isExposed(redisUrl, 'redis:'))
    exposed.push({ link: 'redis', name: 'REDIS_URL' });
  if (solanaRpcUrls.some((url) => isExposed(url, 'http:')))
    exposed.push({ link: 'rpc', name: 'SOLANA_RPC_URL' });
  if (solanaWsUrls.some((url) => isExposed(url, 'ws:'))) exposed.push({ link: 'rpc', name: 'SOLANA_WS_URL' });
  return exposed.filter(({ link }) => !links.plaintextLinks.has(link));
}

function isExposed(text: string, plaintext: string): boolean {
  const url = new URL(text);
  return url.protocol === plaintext && !isPrivate(url.hostname);
}

// The modes in which the driver falls back to plaintext, or never uses TLS.
const PLAINTEXT_MODES = ['disable', 'allow', 'prefer'];

function isExposedDatabase(url: URL): boolean {
  const mode = url.searchParams.get('sslmode');
  const isEncrypted =
    mode === null
      ? ['1', 'true'].includes(url.searchParams.get('ssl') ?? '')
      : !PLAINTEXT_MODES.includes(mode);
  // Without a host, or with a path as its host, it is a socket of this machine.
  const host = url.searchParams.get('host') ?? decodeURIComponent(url.hostname);
  return !isEncrypted && host !== '' && !host.startsWith('/') && !isPrivate(host);
}

export function parsePublicUrl(read: Read): URL | undefined {
  const url = parseUrl(read, 'LUCARNE_PUBLIC_URL', ['http:', 'https:']);
  if (url && url.href !== `${url.origin}/`) {
    throw new ConfigurationError('LUCARNE_PUBLIC_URL must be an origin, such as https://lucarne.example.');
  }
  return url;
}

export function parseAllowedOrigins(value = ''): string[] {
  const origins = value.split(',').filter((origin) => origin.trim() !== '');
  return origins.map((text) => {
    const url = parseUrlValue('LUCARNE_ALLOWED_ORIGINS', text.trim(), ['http:', 'https:']);
    if (url.href === `${url.origin}/`) return url.origin;
    throw new ConfigurationError(
      'LUCARNE_ALLOWED_ORIGINS must be origins separated by commas, such as https://app.example.',
    );
  });
}

export function parseOidc(read: Read): Configuration['oidc'] {
  const issuerText = read('OIDC_ISSUER');
  const clientId = read('OIDC_CLIENT_ID');
  const clientSecret = read('OIDC_CLIENT_SECRET');
  if (issuerText === undefined && clientId === undefined && clientSecret === undefined) return undefined;
  const required = (name: VariableName) =>
    new ConfigurationError(
      `${name} is required: an OpenID provider needs an issuer, a client id and a client secret.`,
    );
  if (issuerText === undefined) throw required('OIDC_ISSUER');
  if (clientId === undefined) throw required('OIDC_CLIENT_ID');
  if (clientSecret === undefined) throw required('OIDC_CLIENT_SECRET');
  const issuer = parseUrlValue('OIDC_ISSUER', issuerText, ['http:', 'https:']);
  if (issuer.protocol === 'http:' && !isLoopback(issuer.hostname)) {
    throw new ConfigurationError('OIDC_ISSUER must begin with https://, unless it is on loopback.');
  }
  // OpenID Connect Core section 2: an issuer is a URL of scheme, host, port and path.
  if (issuer.search !== '' || issuer.hash !== '' || issuer.username !== '' || issuer.password !== '') {
    throw new ConfigurationError('OIDC_ISSUER must have no query, fragment or user.');
  }
  return { issuer, clientId, clientSecret };
}

export function parseSmtp(read: Read): Configuration['smtp'] {
  const url = parseUrl(read, 'LUCARNE_SMTP_URL', ['smtp:', 'smtps:']);
  const from = read('LUCARNE_SMTP_FROM');
  if (!url && from === undefined) return undefined;
  if (!url || from === undefined) {
    const missing = url ? 'LUCARNE_SMTP_FROM' : 'LUCARNE_SMTP_URL';
    throw new ConfigurationError(`${missing} is required: mail needs a server and a sender address.`);
  }
  return { url, from };
}

export function parseScreening(read: Read): Configuration['screening'] {
  const url = parseUrl(read, 'LUCARNE_SCREENING_URL', ['http:', 'https:']);
  const apiKey = read('LUCARNE_SCREENING_API_KEY');
  if (!url && apiKey === undefined) return undefined;
  if (!url || apiKey === undefined) {
    const missing = url ? 'LUCARNE_SCREENING_API_KEY' : 'LUCARNE_SCREENING_URL';
    throw new ConfigurationError(`${missing} is required: a screening service needs its URL and its key.`);
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
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

const NAMED_RANGES = ['loopback', 'linklocal', 'uniquelocal'];

export function parseTrustProxy(value: string | undefined): Configuration['trustProxy'] {
  if (value === undefined || value === 'false' || value === '0') return false;
  if (value === 'true') return true;
  // A number is the number of proxies. The client address is the one that the outermost of them saw.
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
