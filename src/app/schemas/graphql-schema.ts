import { createCheckDesk } from '../../domain/checks/index.js';
import { createDecryptionPool, createProofPool, createSealer } from '../../platform/crypto/index.js';
import { connectDatabase } from '../../platform/database/index.js';
import { inProcessSignals } from '../../platform/signals/index.js';
import { createFulfilment } from '../../domain/disclosures/index.js';
import { entities } from '../storage/entities.js';
import { printSortedSchema } from '../../edge/graphql/index.js';
import { systemClock } from '../../platform/kernel/clock.js';
import { silentLog } from '../../platform/kernel/log.js';
import { systemRandom } from '../../platform/kernel/random.js';
import { createPayers, createRelayDesk } from '../../domain/relays/index.js';
import { createReporting } from '../../domain/reports/index.js';
import { createKeptSigningKeys } from '../../platform/keys/index.js';
import { createSchema } from './schema.js';

const MASTER_KEY_BYTES = 32;

/** The GraphQL schema as text. Resolvers are made but never called, so nothing is connected to. */
export async function printGraphqlSchema(): Promise<string> {
  await using parts = new AsyncDisposableStack();
  const target = { url: 'postgres://127.0.0.1/unused' };
  const database = parts.use(await connectDatabase({ entities, target }));
  const signals = parts.use(inProcessSignals());
  const pool = parts.use(createDecryptionPool({ workers: 1, queueLimit: 1 }));
  const sealer = createSealer(systemRandom(MASTER_KEY_BYTES));
  const foundation = {
    ...{ database, reads: database },
    signals,
    clock: systemClock,
    random: systemRandom,
    sealer,
    signingKeys: createKeptSigningKeys({}),
    log: silentLog,
  };
  const fulfilment = createFulfilment(foundation, pool);
  const reporting = createReporting(foundation, { pool, publicHost: () => '' });
  const checkDesk = parts.use(createCheckDesk(foundation));
  const proofs = parts.use(createProofPool({ workers: 1, queueLimit: 1 }));
  const payers = createPayers({ signers: [], nodes: { nodes: [] }, clock: systemClock });
  const relayDesk = parts.use(createRelayDesk(foundation, { pools: new Map(), payers, proofs }));
  const organizations = { origin: () => 'http://localhost' };
  return printSortedSchema(
    createSchema(foundation, { fulfilment, pool, reporting, checkDesk, relayDesk, organizations }),
  );
}
