import { selectActivity } from '#lucarne/domain/activity-log/index.js';
import { listTransactions, type ListTransactionsInput } from '#lucarne/domain/transactions/index.js';
import { sql, type Foundation } from '#lucarne/platform/database/index.js';
import { base58 } from '#lucarne/platform/kernel/encoding/bytes.js';
import { newId, type Id } from '#lucarne/platform/kernel/ids.js';
import { API_KEY_SCOPES, type ApiKeyPrincipal } from '#lucarne/domain/access/index.js';
import type { Benchmark, Conditions, Result } from './kit/benchmark.ts';
import { compare, timed } from './kit/compare.ts';
import { openFoundation } from './kit/foundation.ts';
import { createScratchDatabase } from './kit/scratch-database.ts';
import { seedAsset } from './kit/seed-records.ts';

/** The second of the first record. One follows each second. */
const BEGIN = 1_767_225_600;
const at = (second: number) => new Date((BEGIN + second) * 1000);
const address = (byte: number) => base58.encode(new Uint8Array(32).fill(byte));
/** An account that holds a tenth of the records, and one that holds the last twenty. */
const [WHALE, NEWCOMER] = [address(1), address(2)];
const PAGE = 50;
const REPEATS = 20;
/** Rows of one insert. */
const STEP = 100_000;

/** A database with the same shape at any number of rows. */
interface Grown {
  readonly foundation: Foundation;
  readonly principal: ApiKeyPrincipal;
  readonly organizationId: Id<'org'>;
  readonly assetId: Id<'ast'>;
  readonly rows: number;
}

/**
 * The same page among many rows and among a tenth or a hundredth of them: what a read pays for the length of its table. A page
 * that reads an index costs the same.
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
};

async function grow(conditions: Conditions, rows: number): Promise<Grown> {
  const foundation = await openFoundation(conditions);
  const { database } = foundation;
  const { organizationId, application, assetId, apiKey } = await seedAsset(foundation);
  const account = (seed: string) => sql.raw(`substr(repeat(md5((${seed})::text), 2), 1, 44)`);
  for (let from = 1; from <= rows; from += STEP) {
    const until = Math.min(rows, from + STEP - 1);
    await database.rows(sql`
      insert into transactions (id, asset_id, position, signature, path, type, slot, block_time, signer,
        source_account, destination_account, public_data, ciphertexts, indexed_at)
      select 'txn_' || lpad(n::text, 26, '0'), ${assetId}, n, substr(repeat(md5(n::text), 3), 1, 88), '{3,0,0}',
        case when n % 10 <> 3 and n % 20 = 0 then 'confidential_burn' else 'confidential_transfer' end, n,
        ${BEGIN}::integer + n, ${account('n % 977')},
        case when n % 10 = 3 then ${WHALE} when n > ${rows}::integer - 22 then ${NEWCOMER}
          else ${account('n % 99991')} end,
        ${account('n % 99983')}, jsonb_build_object('authority', ${account('n % 977')}),
        jsonb_build_object('auditor', jsonb_build_object('lo', md5(n::text), 'hi', md5((-n)::text))),
        to_timestamp(${BEGIN}::integer + n)
      from generate_series(${from}::integer, ${until}::integer) as n`);
    await database.rows(sql`
      insert into activity_entries (id, organization_id, application_id, event_type, actor_id, entry, salts,
        created_at, leaf_hash, log_index)
      select 'log_' || lpad(n::text, 26, '0'), ${organizationId}, ${application.id}, 'case.viewed',
        'usr_' || lpad((n % 20)::text, 26, '0'),
        jsonb_build_object('user', 'Somebody', 'object', jsonb_build_object('type', 'case'), 'details', '{}'::jsonb),
        '{}', to_timestamp(${BEGIN}::integer + n), sha256(n::text::bytea), n
      from generate_series(${from}::integer, ${until}::integer) as n`);
    if (until % 1_000_000 === 0) conditions.tell(`${until.toLocaleString('en-US')} rows`);
  }
  await database.rows(sql`vacuum (analyze)`);
  const principal: ApiKeyPrincipal = {
    ...{ kind: 'api_key', organizationId, apiKeyId: apiKey.id, name: apiKey.name },
    scopes: new Set(Object.keys(API_KEY_SCOPES) as (keyof typeof API_KEY_SCOPES)[]),
  };
  return { foundation, principal, organizationId, assetId, rows };
}
