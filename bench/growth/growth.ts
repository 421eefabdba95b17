import { randomBytes } from 'node:crypto';
import { selectActivity } from '#lucarne/domain/activity-log/index.js';
import type { CaseScope } from '#lucarne/domain/cases/index.js';
import {
  estimateCaseTransactions,
  selectCaseTransactions,
} from '#lucarne/domain/cases/records/select-case-transactions.js';
import { ChunkFindings, type IndexedRecord } from '#lucarne/domain/indexer/following/chunk-findings.js';
import { writeChunk } from '#lucarne/domain/indexer/following/write-chunk.js';
import { listRelays } from '#lucarne/domain/relays/status/list-relays.js';
import { listTransactions, type ListTransactionsInput } from '#lucarne/domain/transactions/index.js';
import { base58 } from '#lucarne/platform/kernel/encoding/bytes.js';
import { newId } from '#lucarne/platform/kernel/ids.js';
import type { Address, Signature } from '#lucarne/platform/ledger/index.js';
import type { Benchmark, Result } from '../kit/benchmark.ts';
import { compare, timed } from '../kit/compare.ts';
import { createScratchDatabase } from '../kit/scratch-database.ts';
import { BEGIN, FAILED_RELAYS, grow, type Grown, NEWCOMER, RECORDS_OF_A_RELAY, WHALE } from './grow.ts';

const at = (second: number) => new Date((BEGIN + second) * 1000);
const PAGE = 50;
const REPEATS = 20;
/** Records per commit, as the indexer writes them, and commits per block. */
const [CHUNK, COMMITS] = [1_000, 2];

/**
 * The same page with many rows and with a tenth or a hundredth of them, to measure what a read costs for the length of its
 * table. A page that reads an index costs the same.
 */
export const benchmark: Benchmark = async (conditions) => {
  const { quick, large, pairs, parts, tell } = conditions;
  const [few, many] = quick ? [1_000, 5_000] : [100_000, large ? 10_000_000 : 1_000_000];
  const { url } = parts.use(await createScratchDatabase(conditions.databaseUrl));
  const small = await grow({ ...conditions, databaseUrl: url }, few);
  const big = await grow(conditions, many);
  const results: Result[] = [];
  for (const [what, { rows, read }] of Object.entries(READS)) {
    const arm = (grown: Grown) => () =>
      timed(REPEATS, async () => {
        for (let repeat = 0; repeat < REPEATS; repeat += 1) {
          const length = await read(grown);
          if (length !== rows(grown)) throw new Error(`${what}: ${length} rows, not ${rows(grown)}.`);
        }
      });
    const comparison = await compare({ product: arm(big), reference: arm(small) }, pairs);
    results.push({
      what: `${what}, among ${many.toLocaleString('en-US')}`,
      unit: 'pages',
      reference: `among ${few.toLocaleString('en-US')}`,
      reach: 0.5,
      ...comparison,
    });
    tell(what);
  }
  // Runs last, because it adds rows.
  const arm = (grown: Grown) => () =>
    timed(COMMITS * CHUNK, async () => {
      for (let commit = 0; commit < COMMITS; commit += 1) await writeRecords(grown);
    });
  const written = await compare({ product: arm(big), reference: arm(small) }, pairs);
  results.push({
    what: `Writing ${CHUNK.toLocaleString('en-US')} records, among ${many.toLocaleString('en-US')}`,
    unit: 'records',
    reference: `among ${few.toLocaleString('en-US')}`,
    reach: 0.67,
    ...written,
  });
  return results;
};

interface Read {
  readonly read: (grown: Grown) => Promise<number>;
  readonly rows: (grown: Grown) => number;
}

const full = () => PAGE;
const none = () => 0;

function transactions(
  filter: (grown: Grown) => Omit<ListTransactionsInput, 'assetId'>,
  rows: Read['rows'] = full,
) {
  return {
    rows,
    async read(grown: Grown) {
      const input = { assetId: grown.assetId, ...filter(grown) };
      return (await listTransactions(grown.foundation, grown.principal, input)).nodes.length;
    },
  };
}

function activity(filter: (grown: Grown) => Parameters<typeof selectActivity>[2], rows: Read['rows'] = full) {
  return {
    rows,
    async read(grown: Grown) {
      const { foundation, organizationId } = grown;
      const page = { before: undefined, limit: PAGE };
      return (await selectActivity(foundation.database, { organizationId }, filter(grown), page)).length;
    },
  };
}

/** The scope of a case over all records. */
function caseScope({ organizationId, applicationId, assetId, rows }: Grown): CaseScope {
  return {
    ...{ organizationId, applicationId, assetIds: [assetId], references: null },
    period: { from: BEGIN, until: BEGIN + 2 * rows },
    flags: { fullTxIds: true, senderInformation: true, withdrawalDetails: true },
  };
}

function relays(status: string, rows: Read['rows']) {
  return {
    rows,
    async read({ foundation, owner }: Grown) {
      return (await listRelays(foundation, owner, { status, first: PAGE })).nodes.length;
    },
  };
}

/** Writes a chunk of records with new accounts and signatures, as the indexer does. */
async function writeRecords({ foundation, lease, rows }: Grown): Promise<void> {
  const address = () => base58.encode(randomBytes(32)) as Address;
  const findings = new ChunkFindings(
    { address: lease.mintAddress, auditorPublicKeys: [], verifiedSlot: Infinity },
    new Map(),
  );
  for (let at = 0; at < CHUNK; at += 1) {
    const accounts = { sourceAccount: address(), destinationAccount: address() };
    const record: IndexedRecord = {
      ...{ signature: base58.encode(randomBytes(64)) as Signature, slot: rows, blockTime: BEGIN + rows },
      signer: accounts.sourceAccount,
      event: {
        ...{ type: 'confidential_transfer', path: [3, 0, 0], order: 0, tokenAccounts: [], ...accounts },
        ciphertexts: { auditor: { lo: randomBytes(64), hi: randomBytes(64) } },
        publicData: { instructionIndex: 3, instructionPath: [3, 0, 0], authority: accounts.sourceAccount },
      },
    };
    findings.records.push(record);
  }
  const written = await writeChunk(foundation.database, lease, findings);
  if (written !== CHUNK) throw new Error(`${written} records were written, not ${CHUNK}.`);
}

const READS: Readonly<Record<string, Read>> = {
  'Records, first page': transactions(() => ({})),
  'Records from the newest minute': transactions(({ rows }) => ({ from: at(rows - 49) })),
  'Records from after the end': transactions(({ rows }) => ({ from: at(rows * 2) }), none),
  'Records to the oldest minute': transactions(() => ({ to: at(50) })),
  'Records of an account with a tenth': transactions(() => ({ account: WHALE })),
  'Records of that account, of a type that it has not': transactions(
    () => ({ account: WHALE, type: 'confidential_burn' }),
    none,
  ),
  'Records of an account with twenty': transactions(
    () => ({ account: NEWCOMER }),
    () => 20,
  ),
  'Log, newest page': activity(() => ({})),
  'Log by an absent event': activity(() => ({ eventType: 'address.revoked' }), none),
  'Log by an absent person': activity(() => ({ userId: newId('usr') }), none),
  'Log to the oldest minute': activity(() => ({ to: at(50) })),
  'Estimate before a report of a case': {
    rows: ({ rows }) => rows,
    read: (grown) =>
      estimateCaseTransactions(
        grown.foundation.database,
        caseScope(grown),
        new Map([[grown.assetId, grown.rows]]),
      ),
  },
  'Records of a case, from its middle': {
    rows: full,
    async read(grown) {
      const { foundation, assetId, rows } = grown;
      const after = { blockTime: BEGIN + rows / 2, assetId, position: rows / 2, reference: null };
      const page = { after, limit: PAGE };
      return (await selectCaseTransactions(foundation.database, caseScope(grown), page)).length;
    },
  },
  'Relays, newest page': relays('succeeded', full),
  'Relays by a rare status': relays('failed', ({ rows }) =>
    Math.min(FAILED_RELAYS, rows / RECORDS_OF_A_RELAY),
  ),
  'Relays by an absent status': relays('queued', none),
};
