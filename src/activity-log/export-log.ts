import { sql, type Reader } from '../database/index.js';
import { base64 } from '../kernel/bytes.js';
import { canonicalJson, type JsonObject } from '../kernel/json.js';
import type { SignedCheckpoint } from './checkpoints.js';
import { inclusionProofs } from './log-proofs.js';
import type { Salts } from './personal-values.js';
import { activityConditions, type ActivityFilters, type LogScope } from './select-activity.js';

/** An entry with everything that shows offline that it stands in the log. */
export interface ExportedEntry {
  readonly index: number;
  readonly entry: JsonObject;
  readonly salts: Salts;
  /** Base64 hashes, from the leaf to the root. */
  readonly proof: readonly string[];
}

/** What an export says of the log itself. */
export interface ExportHeader {
  readonly origin: string;
  readonly verifier_key: string;
  /** The signed note to whose root every proof leads. */
  readonly checkpoint: string;
}

export function exportHeader({ origin, verifierKey, note }: SignedCheckpoint): ExportHeader {
  return { origin, verifier_key: verifierKey, checkpoint: note };
}

const PAGE = 500;

/** An entry of the log as it is stored. */
export type LoggedEntry = Omit<ExportedEntry, 'proof'>;

/** The entries of a scope that a checkpoint covers, in the order of the log, a page at a time. */
export async function* loggedEntries(
  reader: Reader,
  checkpoint: SignedCheckpoint,
  scope: LogScope,
  filters: ActivityFilters = {},
): AsyncGenerator<LoggedEntry[], void, undefined> {
  let behind = -1;
  for (;;) {
    const rows = await reader.rows(sql<LoggedEntry>`
      select log_index as "index", entry, salts from activity_entries
      where ${activityConditions(scope, filters)} and log_index > ${behind} and log_index < ${checkpoint.size}
      order by log_index limit ${PAGE}`);
    if (rows.length > 0) yield rows;
    if (rows.length < PAGE) return;
    behind = rows.at(-1)!.index;
  }
}

/** How many entries of a scope a checkpoint covers; counted up to `bound`. */
export async function countLoggedEntries(
  reader: Reader,
  { size }: SignedCheckpoint,
  scope: LogScope,
  filters: ActivityFilters = {},
  bound: number | null = null,
): Promise<number> {
  const [row] = await reader.rows(sql<{ count: number }>`
    select count(*) as count from (
      select from activity_entries
      where ${activityConditions(scope, filters)} and log_index < ${size} limit ${bound}
    ) as selected`);
  return row?.count ?? 0;
}

/** The same with the proof of each. */
export async function* exportEntries(
  reader: Reader,
  checkpoint: SignedCheckpoint,
  scope: LogScope,
  filters: ActivityFilters = {},
): AsyncGenerator<ExportedEntry[], void, undefined> {
  for await (const rows of loggedEntries(reader, checkpoint, scope, filters)) {
    const indexes = rows.map(({ index }) => index);
    const proofs = await inclusionProofs(reader, scope.organizationId, checkpoint.size, indexes);
    yield rows.map((row, at) => ({ ...row, proof: proofs[at]!.map(base64.encode) }));
  }
}

/** The export as the text of its file, in pieces: memory holds one page of it, however long the log is. */
export async function* exportText(
  reader: Reader,
  checkpoint: SignedCheckpoint,
  scope: LogScope,
  filters: ActivityFilters = {},
): AsyncGenerator<string, void, undefined> {
  for await (const { text } of exportPieces(reader, checkpoint, scope, filters)) yield text;
}

/** The same, with how many entries each piece holds. */
export async function* exportPieces(
  reader: Reader,
  checkpoint: SignedCheckpoint,
  scope: LogScope,
  filters: ActivityFilters = {},
): AsyncGenerator<{ readonly text: string; readonly entries: number }, void, undefined> {
  yield { text: `${JSON.stringify(exportHeader(checkpoint)).slice(0, -1)},"entries":[`, entries: 0 };
  let separator = '\n';
  for await (const page of exportEntries(reader, checkpoint, scope, filters)) {
    // The leaf itself stands in the file: what is hashed can be cut out of it.
    const text = page.map(({ index, entry, salts, proof }) => {
      const begin = `${separator}{"index":${index},"entry":${canonicalJson(entry)}`;
      separator = ',\n';
      return `${begin},"salts":${JSON.stringify(salts)},"proof":${JSON.stringify(proof)}}`;
    });
    yield { text: text.join(''), entries: page.length };
  }
  yield { text: '\n]}\n', entries: 0 };
}
