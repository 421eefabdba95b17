import { client, isAskedAgain } from '../../app/client';
import type { GrantedOf } from '../../graphql/document';
import { request } from '../../graphql/request';
import type { Verdict } from '../../verification/questions';
import { verify } from '../../verification/verify';
import { EXPORT_PART, START_EXPORT } from './documents';
import { checkPage } from './log-mark';

/** The log and the filters of an export. */
export interface Exported {
  readonly foreignId?: string;
  readonly eventType?: string;
  readonly userId?: string;
  readonly objectId?: string;
  readonly from?: string;
  readonly to?: string;
}

/** An export as far as it was read. */
export interface ExportedFile {
  readonly checkpoint: GrantedOf<typeof START_EXPORT>['startLogExport']['checkpoint'];
  /** Of the next part; null after the last one, and where a check failed. */
  readonly cursor: string | null;
  /** The browser can keep them on disk. */
  readonly pieces: readonly Blob[];
  readonly entries: number;
  /** How much of the log it covers. */
  readonly covered: number;
  /** What was found out of all that was read. */
  readonly verdict: Verdict;
}

/** Starts an export, which the gateway logs. Its checkpoint must be of the log that this browser remembers. */
export async function startExport(
  organizationId: string,
  exported: Exported,
  signal: AbortSignal,
): Promise<ExportedFile> {
  const { startLogExport } = await request(START_EXPORT, { input: exported }, signal);
  const { checkpoint, cursor } = startLogExport;
  const verdict = await checkPage(organizationId, checkpoint, signal);
  const read = { checkpoint, pieces: [], entries: 0, covered: 0, verdict };
  return { ...read, cursor: verdict.holds ? cursor : null };
}

/** The export with its next part, which is checked as it comes. */
export async function readPart(
  file: ExportedFile,
  exported: Exported,
  signal: AbortSignal,
): Promise<ExportedFile> {
  const { checkpoint, cursor, pieces } = file;
  const { text, entries, covered, nextCursor } = await partAt(cursor!, exported, signal);
  const verdict = await verify({
    ask: 'log part',
    text,
    isFirst: pieces.length === 0,
    isLast: nextCursor === null,
    isWhole: Object.keys(exported).length === 0,
    note: checkpoint.note,
    verifierKey: checkpoint.verifierKey,
  });
  return {
    checkpoint,
    cursor: verdict.holds ? nextCursor : null,
    pieces: [...pieces, new Blob([text])],
    entries: file.entries + entries,
    covered,
    verdict,
  };
}

/** Like every read, it is asked for again while the gateway does not answer. */
async function partAt(after: string, exported: Exported, signal: AbortSignal) {
  const queryKey = ['logExportPart', after];
  const stop = () => void client.cancelQueries({ queryKey });
  signal.throwIfAborted();
  signal.addEventListener('abort', stop);
  const asked = client.fetchQuery({
    queryKey,
    queryFn: (query) => request(EXPORT_PART, { ...exported, after }, query.signal),
    retry: isAskedAgain,
    gcTime: 0,
  });
  const { logExportPart } = await asked.finally(() => signal.removeEventListener('abort', stop));
  return logExportPart;
}
