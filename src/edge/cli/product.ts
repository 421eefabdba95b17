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

/** The parts that a change of keys needs. */
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
  /** The reason for each configured key that cannot be opened. */
  readonly failures: readonly string[];
  /** Undefined if no provider returns the balance. */
  readonly payers: readonly (ListedPayer & {
    readonly balanceLamports: number | null;
    /** The labels of providers whose balance differs from the majority's at the same slot. */
    readonly contradicted: readonly string[];
    /** When any instance last signed with it. */
    readonly lastSignedAt: Date | null;
  })[];
}

/** One check of `lucarne doctor`. */
export interface Examined {
  readonly check: string;
  readonly result: 'ok' | 'warning' | 'failed';
  /** The finding. For a problem, it says what to do. */
  readonly detail: string;
}

export interface ExaminationOptions {
  /** The newest backup, or a file that the backup job touches. */
  readonly backup?: string;
  readonly maxBackupAgeHours: number;
  /** Checkpoints that were kept elsewhere: signed notes by file name. */
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
  /** Like `withDatabase`, with everything that an operation needs. The database must be migrated. */
  withFoundation<Result>(
    access: DatabaseAccess,
    work: (foundation: Foundation) => Promise<Result>,
  ): Promise<Result>;
  /** Like `withDatabase`, with the parts that a change of keys needs. The database must be migrated. */
  withKeys<Result>(access: DatabaseAccess, work: (keys: KeyRoom) => Promise<Result>): Promise<Result>;
  /** The accounts that pay for relays, from the configuration and from the open attempts in the database. */
  relayerStatus(access: DatabaseAccess): Promise<RelayerStatus>;
  /** Checks whether a gateway with this configuration can serve. It changes nothing. */
  examine(options: ExaminationOptions): Promise<readonly Examined[]>;
  printGraphqlSchema(): Promise<string>;
  /** The tables as SQL, read from a freshly migrated database. */
  printDatabaseSchema(): Promise<string>;
  /** Commands of rooms that the command line must not import. */
  readonly commands: readonly AddCommands[];
}
