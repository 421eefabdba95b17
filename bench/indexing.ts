import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { sql, type Database, type Foundation } from '#lucarne/platform/database/index.js';
import { ChunkFindings } from '#lucarne/domain/indexer/following/chunk-findings.js';
import { newlyFollowed, type FollowedAddress } from '#lucarne/domain/indexer/following/followed-addresses.js';
import { createIndexer } from '#lucarne/domain/indexer/index.js';
import { claimMints, type MintLease } from '#lucarne/domain/indexer/mint-lease.js';
import { writeChunk } from '#lucarne/domain/indexer/following/write-chunk.js';
import { newId } from '#lucarne/platform/kernel/ids.js';
import {
  createLedger,
  type Address,
  type LedgerReader,
  type Signature,
} from '#lucarne/platform/ledger/index.js';
import { compare, median, timed } from './kit/compare.ts';
import { openFoundation } from './kit/foundation.ts';
import { firstMessage, startPinned, type PinnedProcess } from './kit/pinned-process.ts';
import type { Benchmark } from './kit/benchmark.ts';
import { FAULTS } from './ledger-node/faults.ts';
import { makeHistory, type ExpectedRow, type HistoryTransaction } from './ledger-node/history.ts';
import type { NodeReply } from './ledger-node/node.ts';
import { DECIMALS, recordTemplates, type Templates } from './ledger-node/templates.ts';

const TRANSACTIONS = 20_000;
/** Rows that are written, and copied, together. */
const CHUNK = 1_000;
/** The gateway's timeout for its providers. */
const LEDGER_TIMEOUT_MS = 10_000;
const BATCH = 25;
const CONCURRENT_CALLS = 16;

/**
 * The indexer from a ledger node to PostgreSQL, and its write stage alone, compared with `COPY` of the same rows into the same
 * table with the same indexes. The node is a separate process and has faults. Its history is made from transactions that the
 * real Token-2022 program executed. After each block of the indexer, every row is compared with the node's history.
 */
export const benchmark: Benchmark = async (conditions) => {
  const { quick, pairs, databaseUrl, parts, tell } = conditions;
  const foundation = await openFoundation(conditions);
  const templates = await recordTemplates();
  const count = quick ? 1_000 : TRANSACTIONS;
  const node = parts.use(startPinned('load', [`${import.meta.dirname}/ledger-node/node.ts`]));
  node.child.stdout?.resume();
  node.child.send({ templates, count });
  const [urls, history] = await Promise.all([
    firstMessage<NodeReply>(node),
    Promise.resolve().then(() => listHistory(templates, count)),
  ]);
  const ledger = parts.use(createLedger({ ...urls, timeoutMs: LEDGER_TIMEOUT_MS, log: foundation.log }));
  const expected = history.flatMap(({ row }) => row ?? []);
  await seed(foundation.database, templates);
  tell(`${count} transactions, ${expected.length} rows`);

  await tellNode(node, { faulty: false });
  const ceiling = await timed(count, () => download(urls.rpcUrls[0]!, history));
  const chunks = await decode(ledger, templates, history);
  await tellNode(node, { faulty: true });

  let copied: readonly string[] = [];
  const cpu: number[] = [];
  const whole = await compare(
    {
      product: async () => {
        await empty(foundation.database);
        const began = process.cpuUsage();
        const block = await timed(count, () => index(foundation, ledger, expected.length));
        const { user, system } = process.cpuUsage(began);
        cpu.push((user + system) / count);
        await expectRows(foundation.database, expected);
        if (copied.length === 0) copied = await rowsAsText(databaseUrl);
        return block;
      },
      reference: async () => {
        await empty(foundation.database);
        return timed(count, () => copy(databaseUrl, [copied]));
      },
    },
    pairs,
  );
  tell('indexed with faults, every row compared');

  const written = await compare(
    {
      product: async () => {
        const lease = await empty(foundation.database);
        // Records are written only for a verified mint. The complete indexer verifies it itself.
        await foundation.database.rows(sql`update indexed_mints set status = 'active', verified_slot = 0`);
        const block = await timed(expected.length, async () => {
          for (const findings of chunks) await writeChunk(foundation.database, lease, findings);
        });
        await expectRows(foundation.database, expected);
        return block;
      },
      reference: async () => {
        await empty(foundation.database);
        const texts = chunks.map((_, at) => copied.slice(at * CHUNK, (at + 1) * CHUNK));
        return timed(expected.length, () => copy(databaseUrl, texts));
      },
    },
    pairs,
  );
  const faults = Object.values(FAULTS).reduce((sum, share) => sum + share) / 10;
  return [
    {
      what: `Indexer, ${count.toLocaleString('en-US')} transactions, ${faults} % of requests with faults`,
      unit: 'transactions',
      reference: '`COPY` of the same rows',
      reach: { perSecond: 5_000 },
      ...whole,
      additional: {
        'rows a transaction': expected.length / count,
        'CPU of the indexer µs a transaction': median(cpu),
        'node to a bare client transactions/s': ceiling.units / ceiling.seconds,
      },
    },
    {
      what: `Write stage alone, ${CHUNK.toLocaleString('en-US')} rows a commit`,
      unit: 'rows',
      reference: '`COPY`, as many rows a commit',
      reach: 0.8,
      ...written,
    },
  ];
};

type Listed = Omit<HistoryTransaction, 'answer'>;

/** Without the answers, which only the node needs. */
function listHistory(templates: Templates, count: number): readonly Listed[] {
  const listed: Listed[] = [];
  for (const { signature, slot, blockTime, failed, mentions, row } of makeHistory(templates, count))
    listed.push({ signature, slot, blockTime, failed, mentions, row });
  return listed;
}

/** The asset whose mint has the history. */
async function seed(database: Database, { mint, auditorPublicKey }: Templates): Promise<void> {
  const [organizationId, assetId] = [newId('org'), newId('ast')];
  const key = Buffer.from(auditorPublicKey);
  await database.rows(sql`
    insert into organizations (id, name, created_at) values (${organizationId}, 'Measured', now())`);
  await database.rows(sql`
    insert into auditor_keys (organization_id, epoch, public_key, sealed_secret, created_at)
    values (${organizationId}, 1, ${key}, '', now())`);
  await database.rows(sql`
    insert into assets (id, organization_id, name, symbol, decimals, auditor_public_key, auditor_key_epoch,
      mint_address, status, created_at, updated_at)
    values (${assetId}, ${organizationId}, 'Measured', 'MSD', ${DECIMALS}, ${key}, 1, ${mint}, 'active', now(), now())`);
}

/** Deletes everything indexed of the bound mint, and holds its lease. */
async function empty(database: Database): Promise<MintLease> {
  await database.rows(
    sql`truncate transactions, followed_addresses, mint_auditor_keys, indexed_mints, indexer_workers`,
  );
  await database.rows(sql`
    insert into indexed_mints (asset_id, mint_address, status, next_attempt_at)
    select id, mint_address, 'pending', now() from assets`);
  await database.rows(sql`
    insert into followed_addresses (asset_id, address, kind, learned_at)
    select id, mint_address, 'mint', now() from assets`);
  const [lease] = await claimMints(database, { owner: 'measured', durationMs: 600_000 }, 1);
  return lease!;
}

/** Runs an indexer like the gateway's until this number of rows is committed. */
async function index(foundation: Foundation, ledger: LedgerReader, rows: number): Promise<void> {
  // Releases the lease of the run that emptied the tables.
  await foundation.database.rows(sql`update indexed_mints set lease_owner = null, lease_expires_at = null`);
  await using indexer = createIndexer({ foundation, ledger, instanceId: 'measured' });
  indexer.start();
  for (;;) {
    const [mint] = await foundation.database.rows(sql<{
      count: number;
      status: string;
      reason: string | null;
    }>`
      select record_count as count, status, reason from indexed_mints`);
    if (mint?.status === 'error') throw new Error(`Indexing stopped: ${mint.reason}.`);
    if (mint!.count >= rows) break;
    await pause(10);
  }
}

/**
 * Checks that every row exists once, as in the history, at positions without gaps. Rows of the mint's own history are in its
 * order. Other rows are in order for each account, because they are found when the account is.
 */
async function expectRows(database: Database, expected: readonly ExpectedRow[]): Promise<void> {
  const rows = await database.rows(sql<ExpectedRow & { readonly position: number }>`
    select position, signature, path, type, slot, block_time, signer, source_account, destination_account,
      public_data, ciphertexts from transactions order by position`);
  if (rows.length !== expected.length)
    throw new Error(`${rows.length} rows were indexed, not ${expected.length}.`);
  const places = new Map(expected.map((row, place) => [row.signature, place]));
  const seen = new Set<string>();
  const reached = new Map<string, number>();
  rows.forEach(({ position, ...row }, at) => {
    const place = places.get(row.signature);
    const line = row.type === 'apply_pending_balance' ? row.source_account : 'mint';
    if (place === undefined || seen.has(row.signature))
      throw new Error(`${row.signature} stands there twice.`);
    if (position !== at + 1) throw new Error(`Position ${at + 1} is left out.`);
    if ((reached.get(line) ?? -1) > place)
      throw new Error(`Position ${position} is not in the ledger’s order.`);
    if (!isDeepStrictEqual({ ...row }, expected[place])) throw new Error(`Row ${position} is another one.`);
    seen.add(row.signature);
    reached.set(line, place);
  });
  const [mint] = await database.rows(sql<{ count: number }>`select record_count as count from indexed_mints`);
  if (mint?.count !== expected.length) throw new Error('The mint counts other rows than there are.');
}

/** The input of the write stage, from the indexer's earlier stages. */
async function decode(
  ledger: LedgerReader,
  { mint }: Templates,
  history: readonly Listed[],
): Promise<readonly ChunkFindings[]> {
  const followed = new Map<Address, FollowedAddress>();
  const follow = (address: string) => followed.set(address as Address, newlyFollowed(address as Address));
  follow(mint);
  const taken = history.filter(({ row }) => row !== undefined);
  const chunks: ChunkFindings[] = [];
  const verified = { address: mint as Address, auditorPublicKeys: [], verifiedSlot: Infinity };
  for (let start = 0; start < taken.length; start += CHUNK) {
    const some = taken.slice(start, start + CHUNK);
    const findings = new ChunkFindings(verified, followed);
    const reads = await ledger.transactions(some.map(({ signature }) => signature as Signature));
    reads.forEach((read, at) => {
      if (read.status !== 'found') throw new Error('The node does not give what it has.');
      const { signature, slot } = read.transaction;
      const mentions = some[at]!.mentions.map((address) => ({ address: address as Address, fresh: true }));
      findings.add({ signature, slot, failed: false, mentions }, read.transaction);
    });
    for (const address of findings.kinds.keys()) follow(address);
    chunks.push(findings);
  }
  return chunks;
}

/** Downloads all transactions in batches and discards them, to measure the speed of the node. */
async function download(url: string, history: readonly Listed[]): Promise<void> {
  let next = 0;
  const one = async () => {
    while (next < history.length) {
      const some = history.slice(next, (next += BATCH));
      const question = { commitment: 'finalized', encoding: 'json', maxSupportedTransactionVersion: 1 };
      const calls = some.map(({ signature }, id) => ({
        jsonrpc: '2.0',
        id: String(id),
        method: 'getTransaction',
        params: [signature, question],
      }));
      const response = await fetch(url, { method: 'POST', body: JSON.stringify(calls) });
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_CALLS }, one));
}

async function tellNode(node: PinnedProcess, message: { readonly faulty: boolean }): Promise<void> {
  const started = firstMessage(node);
  node.child.send(message);
  await started;
}

/** The rows in PostgreSQL's text format, one per line. */
async function rowsAsText(databaseUrl: string): Promise<readonly string[]> {
  const psql = spawn(
    'psql',
    [databaseUrl, '-qc', 'copy (select * from transactions order by position) to stdout'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const text = (await psql.stdout.setEncoding('utf8').toArray()).join('');
  return text.trimEnd().split('\n');
}

/** Copies each list of rows with one `COPY`, which is one transaction. */
async function copy(databaseUrl: string, texts: readonly (readonly string[])[]): Promise<void> {
  const psql = spawn('psql', [databaseUrl, '-q', '-v', 'ON_ERROR_STOP=1'], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const script = texts.map((rows) => `copy transactions from stdin;\n${rows.join('\n')}\n\\.\n`).join('');
  psql.stdin.end(script);
  const [code] = (await once(psql, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`psql ended with ${code}.`);
}
