import { query, type Reader } from '../../../platform/database/index.js';
import { base64 } from '../../../platform/kernel/encoding/bytes.js';
import { canonicalJson } from '../../../platform/kernel/encoding/json.js';
import type { Id } from '../../../platform/kernel/ids.js';
import type { SignedCheckpoint } from '../sequencing/checkpoints.js';
import { inclusionProofs } from '../sequencing/log-proofs.js';
import type { ExportedEntry } from '../reading/exported-entry.js';
import { keyChangesOf } from '../reading/key-changes.js';
import { type ActivityFilters, inLog, type LogScope } from '../reading/select-activity.js';

/** The members of an export that describe the log itself. */
export interface ExportHeader {
  readonly origin: string;
  readonly verifier_key: string;
  /** The signed note to whose root every proof leads. */
  readonly checkpoint: string;
  /** The entries that changed the keys of the log, so that a verifier can follow them from any key that it knows. */
  readonly key_changes: readonly ExportedEntry[];
}

export async function exportHeader(
  reader: Reader,
  organizationId: Id<'org'>,
  signed: SignedCheckpoint,
): Promise<ExportHeader> {
  const { origin, verifierKey, note } = signed;
  const changes = await keyChangesOf(reader, organizationId, signed);
  return { origin, verifier_key: verifierKey, checkpoint: note, key_changes: changes };
}

/** Entries that one statement reads. There are few, because an entry can name a thousand assets. */
const PAGE_SIZE = 200;

/** An entry of the log as it is stored. */
export type LoggedEntry = Omit<ExportedEntry, 'proof'>;

/** A part of the log: the entries from one index to before another. */
interface IndexRange {
  readonly begin: number;
  readonly end: number;
}

/** The entries of a scope that a checkpoint covers, in the order of the log, one page at a time. */
export async function* loggedEntries(
  reader: Reader,
  checkpoint: SignedCheckpoint,
  scope: LogScope,
  filters: ActivityFilters = {},
  { begin, end }: IndexRange = { begin: 0, end: checkpoint.size },
): AsyncGenerator<LoggedEntry[], void, undefined> {
  let last = begin - 1;
  for (;;) {
    const rows = await reader.rows(
      query
        .selectFrom('activity_entries')
        .select(['log_index', 'entry', 'salts'])
        .where(inLog(scope, filters))
        .where('log_index', '>', last)
        .where('log_index', '<', end)
        .orderBy('log_index')
        .limit(PAGE_SIZE),
    );
    if (rows.length > 0) yield rows.map(({ log_index, ...row }) => ({ index: log_index!, ...row }));
    if (rows.length < PAGE_SIZE) return;
    last = rows.at(-1)!.log_index!;
  }
}

/** The number of entries of a scope that a checkpoint covers, counted up to `bound`. */
export async function countLoggedEntries(
  reader: Reader,
  { size }: SignedCheckpoint,
  scope: LogScope,
  filters: ActivityFilters = {},
  bound?: number,
): Promise<number> {
  const covered = query
    .selectFrom('activity_entries')
    .select('id')
    .where(inLog(scope, filters))
    .where('log_index', '<', size)
    .$if(bound !== undefined, (entries) => entries.limit(bound!));
  const [row] = await reader.rows(
    query.selectFrom(covered.as('covered')).select(({ fn }) => fn.countAll<number>().as('count')),
  );
  return row?.count ?? 0;
}

/** The entries of {@link loggedEntries}, each with its proof. */
export async function* exportEntries(
  reader: Reader,
  checkpoint: SignedCheckpoint,
  scope: LogScope,
  filters: ActivityFilters = {},
  range?: IndexRange,
): AsyncGenerator<ExportedEntry[], void, undefined> {
  for await (const rows of loggedEntries(reader, checkpoint, scope, filters, range)) {
    const indexes = rows.map(({ index }) => index);
    const proofs = await inclusionProofs(reader, scope.organizationId, checkpoint.size, indexes);
    yield rows.map((row, at) => ({ ...row, proof: proofs[at]!.map(base64.encode) }));
  }
}

/** The text of an export file in pieces. Memory holds one page, for any log length. */
export async function* exportText(
  reader: Reader,
  checkpoint: SignedCheckpoint,
  scope: LogScope,
  filters: ActivityFilters = {},
): AsyncGenerator<string, void, undefined> {
  for await (const { text } of exportPieces(reader, checkpoint, scope, filters)) yield text;
}

/** The pieces of {@link exportText} with the number of entries that each holds. */
export async function* exportPieces(
  reader: Reader,
  checkpoint: SignedCheckpoint,
  scope: LogScope,
  filters: ActivityFilters = {},
): AsyncGenerator<{ readonly text: string; readonly entries: number }, void, undefined> {
  yield { text: headerText(await exportHeader(reader, scope.organizationId, checkpoint)), entries: 0 };
  let isFirst = true;
  for await (const page of exportEntries(reader, checkpoint, scope, filters)) {
    yield { text: entriesText(page, isFirst), entries: page.length };
    isFirst = false;
  }
  yield { text: FILE_END, entries: 0 };
}

/** The beginning of a file, up to its first entry. */
export const headerText = (header: ExportHeader) => `${JSON.stringify(header).slice(0, -1)},"entries":[`;

/** Entries of a file, one per line. Each leaf is the text that was hashed, so a verifier need not serialize it again. */
export const entriesText = (entries: readonly ExportedEntry[], isFirst: boolean) =>
  entries
    .map(
      ({ index, entry, salts, proof }, at) =>
        `${isFirst && at === 0 ? '' : ','}\n{"index":${index},"entry":${canonicalJson(entry)},` +
        `"salts":${JSON.stringify(salts)},"proof":${JSON.stringify(proof)}}`,
    )
    .join('');

export const FILE_END = '\n]}\n';
