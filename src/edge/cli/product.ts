import type { SealedColumn } from '../../platform/crypto/index.js';
import type { Command } from 'commander';
import type { ListedPayer } from '../../domain/relays/index.js';
import type { Database, Foundation } from '../../platform/database/index.js';
import type { Keyring, MasterKeys } from '../../platform/keys/index.js';
import type { Terminal } from './terminal.js';

/** Adds one command, or a group of them, to the program. */
export type AddCommands = (program: Command, terminal: Terminal, product: Product) => void;

export interface DatabaseAccess {
  /** A sentence: what to do instead while a gateway holds the lock of the embedded database. */
  readonly instead: string;
  /** Whether a statement may take longer than any of a gateway. */
  readonly isLong?: true;
  /** Whether a database that is not migrated is refused. */
  readonly migrated?: true;
}

/** What changing keys needs. */
export interface KeyRoom {
  readonly database: Database;
  readonly masterKeys: MasterKeys;
  readonly columns: readonly SealedColumn[];
  readonly purposes: readonly string[];
  /** The data keys, not opened yet. */
  readonly keyring: Keyring;
}

/** The accounts that pay for relays. */
export interface RelayerStatus {
  readonly reserveLamports: number;
  /** Why each configured key that cannot be opened cannot. */
  readonly failures: readonly string[];
  /** Without a balance if no provider returns it. */
  readonly payers: readonly (ListedPayer & {
    readonly balanceLamports: number | null;
    /** The labels of providers whose balance differs from that of a majority at the same slot. */
    readonly contradicted: readonly string[];
    /** When any instance signed with it last. */
    readonly lastSignedAt: Date | null;
  })[];
}

/** One thing that `lucarne doctor` looked at. */
export interface Examined {
  readonly check: string;
  readonly result: 'ok' | 'warning' | 'failed';
  /** A finding, and if it is a problem, what to do. */
  readonly detail: string;
}

export interface ExaminationOptions {
  /** The newest backup, or a file that the backup job touches. */
  readonly backup?: string;
  readonly maxBackupAgeHours: number;
  /** Checkpoints that were kept elsewhere: the signed notes by the names of their files. */
  readonly checkpoints: ReadonlyMap<string, string>;
}

/** What commands need from the application. Each member loads its modules only when it is called. */
export interface Product {
  /** Serves until SIGTERM or SIGINT. Resolves to the exit code. */
  serve(): Promise<number>;
  /** The data directory of the configuration. */
  dataDirectory(): Promise<string>;
  /** Opens the configured database for one command, and always closes it. */
  withDatabase<Result>(
    access: DatabaseAccess,
    work: (database: Database) => Promise<Result>,
  ): Promise<Result>;
  /** As `withDatabase`, with everything an operation needs. The database must be migrated. */
  withFoundation<Result>(
    access: DatabaseAccess,
    work: (foundation: Foundation) => Promise<Result>,
  ): Promise<Result>;
  /** As `withDatabase`, with what changes the keys that values are sealed with. The database must be migrated. */
  withKeys<Result>(access: DatabaseAccess, work: (keys: KeyRoom) => Promise<Result>): Promise<Result>;
  /** The accounts that pay for relays, as the configuration and the open attempts of the database name them. */
  relayerStatus(access: DatabaseAccess): Promise<RelayerStatus>;
  /** Looks whether this configuration can serve, and changes nothing. */
  examine(options: ExaminationOptions): Promise<readonly Examined[]>;
  printGraphqlSchema(): Promise<string>;
  /** The tables as SQL, read from a freshly migrated database. */
  printDatabaseSchema(): Promise<string>;
  /** Commands of rooms above this one. */
  readonly commands: readonly AddCommands[];
}
