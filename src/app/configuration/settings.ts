import type { KeyStoreConfiguration, KeyUri, MasterKeyPlace } from '../../platform/keys/index.js';
import type { Address } from '../../platform/ledger/index.js';

export const ROLES = ['api', 'indexer', 'relayer'] as const;
export type Role = (typeof ROLES)[number];
export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** Links to other programs that can be in plaintext, as `LUCARNE_PLAINTEXT_LINKS` names them. */
export const PLAINTEXT_LINKS = ['postgresql', 'redis', 'rpc'] as const;
export type PlaintextLink = (typeof PLAINTEXT_LINKS)[number];

/** How this process runs, read once at the start. Nothing else reads the environment. */
export interface Configuration {
  readonly host: string;
  readonly port: number;
  /** Absolute. Contains the embedded database, ledger and keys; with a server database, nothing that must be preserved. */
  readonly dataDirectory: string;
  readonly roles: ReadonlySet<Role>;
  /** The origin that browsers see, when it is not this host and port. */
  readonly publicUrl: URL | undefined;
  /** Other origins whose pages browsers let use the gateway as its own pages do. */
  readonly allowedOrigins: readonly string[];
  /** The `trustProxy` of Fastify: the number of proxies, or the addresses, that may state the client address. */
  readonly trustProxy: boolean | string | ((address: string, hop: number) => boolean);
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** PostgreSQL; the embedded database when absent. */
  readonly databaseUrl: string | undefined;
  /** Replicas of it, for reads that decide nothing. */
  readonly databaseReplicaUrls: readonly string[];
  /** Maximum time that a read waits for a replica to replay what the primary has. */
  readonly replicaMaxLagMs: number;
  /** Whether production may serve as the owner of the tables, to whom row-level security does not apply. */
  readonly serveAsOwner: boolean;
  /** Whether two owners together may export an auditor key. */
  readonly auditorKeyExport: boolean;
  readonly redisUrl: string | undefined;
  /** Solana RPC providers; the embedded ledger when empty. */
  readonly solanaRpcUrls: readonly string[];
  /** The WebSocket addresses of the first providers, in their order; those of the others are derived. */
  readonly solanaWsUrls: readonly string[];
  /** Links that may be in plaintext beyond loopback and private networks, also in production. */
  readonly plaintextLinks: ReadonlySet<PlaintextLink>;
  /** How long an instance still answers every request after a stop signal, so that proxies notice that it is not ready. */
  readonly drainMs: number;
  readonly masterKey: MasterKeyPlace | undefined;
  /** The stores that keys can be in. */
  readonly keyStores: KeyStoreConfiguration;
  /** The next key that signs the log and receipts of an organization; without it, one that is sealed in the database. */
  readonly signingKey: KeyUri | undefined;
  /** The OpenID provider by which portal users may sign in. */
  readonly oidc:
    { readonly issuer: URL; readonly clientId: string; readonly clientSecret: string } | undefined;
  /** The mail server that letters to members go to, and their sender. */
  readonly smtp: { readonly url: URL; readonly from: string } | undefined;
  /** Address checks of one client address in a minute. */
  readonly checksPerClient: number;
  /** The sanctions list that addresses are checked against; the path is absolute. */
  readonly sanctions: { readonly file: string; readonly maxAgeDays: number | undefined } | undefined;
  /** The screening service that is asked about addresses. */
  readonly screening: { readonly url: URL; readonly apiKey: string } | undefined;
  readonly relayer: RelayerConfiguration;
  readonly demo: boolean;
  /** Whether the first start fills the embedded demo with data. */
  readonly demoData: boolean;
  readonly production: boolean;
}

/** Paths are absolute. */
export interface RelayerConfiguration {
  /** The descriptors of the pools that are served. */
  readonly poolsFile: string | undefined;
  /** The keys that pay for and sign transactions, as Solana's command line writes them. */
  readonly keypairFiles: readonly string[];
  /** Signers of `@solana/keychain`, each described by a file. */
  readonly keychainFiles: readonly string[];
  /** Such keys in stores. */
  readonly keys: readonly KeyUri[];
  /** Accounts that sign nothing new; their keys may still be among the others. */
  readonly retiring: readonly Address[];
  /** Submissions and attempts of one client address in a minute. */
  readonly perClient: number;
  /** Submissions of one pool in a minute. */
  readonly perPool: number;
  /** Requests that may wait to be sent. */
  readonly queue: number;
  /** The reserve of each payer. If every payer has less, no request is accepted. */
  readonly reserveLamports: number;
  /** What the relays of one pool may cost in a day of UTC. */
  readonly poolLamportsPerDay: number;
  /** What the relays of one client address may cost in a day of UTC. */
  readonly clientLamportsPerDay: number;
}
