import { existsSync } from 'node:fs';
import path from 'node:path';
import {
  createPayerBalance,
  createPayers,
  lastSignedAt,
  listPayers,
  type BalanceNodes,
} from '../../domain/relays/index.js';
import type { DatabaseAccess, RelayerStatus } from '../../edge/cli/index.js';
import type { Database } from '../../platform/database/index.js';
import { systemClock } from '../../platform/kernel/clock.js';
import { silentLog } from '../../platform/kernel/log.js';
import { createLedgerNodes, type Address } from '../../platform/ledger/index.js';
import type { Configuration } from '../configuration/index.js';
import { requireMigrated, withDatabase } from '../open-foundation.js';
import { openEachSigner, usesLocalKey } from './open-signers.js';
import { LEDGER_TIMEOUT_MS } from '../platform.js';

/** Opens the configured database for a command, and returns the accounts that pay for relays. */
export const relayerStatus = (access: DatabaseAccess): Promise<RelayerStatus> =>
  withDatabase(access, async (database, configuration) => {
    await requireMigrated(database);
    return payersOf(database, configuration);
  });

/** The accounts that pay for relays, of this configuration and of the open attempts of the database. */
export async function payersOf(database: Database, configuration: Configuration): Promise<RelayerStatus> {
  const { solanaRpcUrls: rpcUrls } = configuration;
  const { reserveLamports, retiring } = configuration.relayer;
  const { signers, unopened } = await openEachSigner(withLocalKey(configuration), silentLog);
  await using parts = new AsyncDisposableStack();
  // The embedded ledger runs inside the gateway, so balances are unknown while it is stopped.
  const nodes =
    rpcUrls.length === 0
      ? undefined
      : parts.use(createLedgerNodes({ rpcUrls, timeoutMs: LEDGER_TIMEOUT_MS }));
  const known = nodes ?? { nodes: [] };
  const payers = createPayers({ signers, retiring, reserveLamports, nodes: known, clock: systemClock });
  const listed = await listPayers(database, payers.all);
  return {
    reserveLamports,
    failures: unopened.map(({ message }) => message),
    payers: await Promise.all(
      listed.map(async (payer) => ({
        ...payer,
        ...(await balanceOf(payer.address, nodes, payers.reserveLamports)),
        lastSignedAt: await lastSignedAt(database, payer.address),
      })),
    ),
  };
}

/** The balance from the providers, and which of them a majority contradicts. */
async function balanceOf(address: Address, nodes: BalanceNodes | undefined, reserveLamports: number) {
  const contradicted: string[] = [];
  const lied = (provider: string) => void contradicted.push(provider);
  const read = nodes && createPayerBalance(nodes, address, systemClock, { reserveLamports, lied });
  return { balanceLamports: (await read?.()) ?? null, contradicted };
}

/** Adds the key that the embedded ledger generated if none is configured. */
function withLocalKey(configuration: Configuration): Configuration {
  const { relayer, dataDirectory } = configuration;
  const file = path.join(dataDirectory, 'relayer.json');
  return usesLocalKey(configuration) && existsSync(file)
    ? { ...configuration, relayer: { ...relayer, keypairFiles: [file] } }
    : configuration;
}
