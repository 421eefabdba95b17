import type { GraphQLSchema } from 'graphql';
import { createSchema } from '../../../src/app/schemas/schema.js';
import { createCheckDesk } from '../../../src/domain/checks/index.js';
import { createFulfilment } from '../../../src/domain/disclosures/index.js';
import { createPayers, createRelayDesk } from '../../../src/domain/relays/index.js';
import { createReporting } from '../../../src/domain/reports/index.js';
import { createProofPool } from '../../../src/platform/crypto/index.js';
import type { Foundation } from '../../../src/platform/database/index.js';
import { inlinePool } from '../../kit/ledger/inline-pool.js';

export interface OpenSchema extends AsyncDisposable {
  readonly schema: GraphQLSchema;
}

/** The whole schema with its real resolvers on one foundation, with exports of auditor keys allowed and without pools. */
export function openSchema(foundation: Foundation): OpenSchema {
  const parts = new AsyncDisposableStack();
  const pool = inlinePool();
  const proofs = parts.use(createProofPool({ workers: 1, queueLimit: 1 }));
  const relayDesk = parts.use(
    createRelayDesk(foundation, {
      proofs,
      pools: new Map(),
      payers: createPayers({ signers: [], nodes: { nodes: [] }, clock: foundation.clock }),
    }),
  );
  const schema = createSchema(foundation, {
    auditorKeyExport: true,
    fulfilment: createFulfilment(foundation, pool),
    reporting: createReporting(foundation, { pool, publicHost: () => 'lucarne.example' }),
    checkDesk: createCheckDesk(foundation),
    organizations: { origin: () => 'http://localhost' },
    ...{ pool, relayDesk },
  });
  return { schema, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}
