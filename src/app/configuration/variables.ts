import { ConfigurationError } from '../../platform/kernel/configuration-error.js';

/** Every variable that is read. A variable that is missing here does not compile. */
export const VARIABLES = [
  'DATABASE_REPLICA_URLS',
  'DATABASE_URL',
  'GOOGLE_SDK_NODE_LOGGING',
  'LUCARNE_ALLOWED_ORIGINS',
  'LUCARNE_AUDITOR_KEY_EXPORT',
  'LUCARNE_CHECK_PER_CLIENT',
  'LUCARNE_DATA_DIR',
  'LUCARNE_DEMO',
  'LUCARNE_DEMO_DATA',
  'LUCARNE_DRAIN_MS',
  'LUCARNE_HOST',
  'LUCARNE_LOG_LEVEL',
  'LUCARNE_MASTER_KEY',
  'LUCARNE_MASTER_KEY_FILE',
  'LUCARNE_PKCS11_MODULE',
  'LUCARNE_PKCS11_PIN_FILE',
  'LUCARNE_PLAINTEXT_LINKS',
  'LUCARNE_POOLS_FILE',
  'LUCARNE_PORT',
  'LUCARNE_PUBLIC_URL',
  'LUCARNE_RELAYER_KEY',
  'LUCARNE_RELAYER_KEYCHAIN_FILE',
  'LUCARNE_RELAYER_KEYPAIR_FILE',
  'LUCARNE_RELAYER_RETIRING',
  'LUCARNE_RELAY_PER_CLIENT',
  'LUCARNE_RELAY_PER_POOL',
  'LUCARNE_RELAY_QUEUE',
  'LUCARNE_RELAY_RESERVE_LAMPORTS',
  'LUCARNE_RELAY_POOL_LAMPORTS_PER_DAY',
  'LUCARNE_RELAY_CLIENT_LAMPORTS_PER_DAY',
  'LUCARNE_REPLICA_MAX_LAG_MS',
  'LUCARNE_ROLES',
  'LUCARNE_SANCTIONS_FILE',
  'LUCARNE_SANCTIONS_MAX_AGE_DAYS',
  'LUCARNE_SCREENING_API_KEY',
  'LUCARNE_SCREENING_URL',
  'LUCARNE_SERVE_AS_OWNER',
  'LUCARNE_SIGNING_KEY',
  'LUCARNE_SMTP_FROM',
  'LUCARNE_SMTP_URL',
  'LUCARNE_TRUST_PROXY',
  'LUCARNE_VAULT_ADDR',
  'LUCARNE_VAULT_TOKEN_FILE',
  'NODE_ENV',
  'OIDC_CLIENT_ID',
  'OIDC_CLIENT_SECRET',
  'OIDC_ISSUER',
  'REDIS_URL',
  'SOLANA_RPC_URL',
  'SOLANA_WS_URL',
] as const;

export type VariableName = (typeof VARIABLES)[number];
export type Environment = Readonly<Record<string, string | undefined>>;

/** The value of a variable without white space around it; an empty one is not set, as a compose file leaves it. */
export type Read = (name: VariableName) => string | undefined;

export function readerOf(environment: Environment): Read {
  return (name) => {
    const value = environment[name]?.trim();
    return value === '' ? undefined : value;
  };
}

const PREFIX = 'LUCARNE_';
/** Variables of the test runner, such as the prepared database of a run. */
const OF_TESTS = /^LUCARNE_(TEST|PRINT)_/;
const MAX_DISTANCE = 4;

/** Refuses unknown variables: a misspelled setting would otherwise be ignored. */
export function refuseUnknownVariables(environment: Environment): void {
  const known = new Set<string>(VARIABLES);
  for (const name of Object.keys(environment)) {
    if (!name.startsWith(PREFIX) || known.has(name) || OF_TESTS.test(name)) continue;
    const nearest = nearestTo(name);
    throw new ConfigurationError(
      `${name} is not a setting of Lucarne. ` +
        (nearest === undefined ? 'docs/configuration.md lists them all.' : `Did you mean ${nearest}?`),
    );
  }
}

function nearestTo(name: string): VariableName | undefined {
  const [nearest] = VARIABLES.filter((known) => known.startsWith(PREFIX))
    .map((known) => ({ known, distance: editDistance(name, known) }))
    .filter(({ distance }) => distance <= MAX_DISTANCE)
    .toSorted((one, other) => one.distance - other.distance);
  return nearest?.known;
}

/** Levenshtein's distance: how many characters must be inserted, removed or replaced. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, character] of Array.from(from).entries()) {
    const next = [index + 1];
    for (let at = 1; at <= to.length; at += 1) {
      const replaced = row[at - 1]! + (character === to[at - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[at]! + 1, next[at - 1]! + 1));
    }
    row = next;
  }
  return row[to.length]!;
}
