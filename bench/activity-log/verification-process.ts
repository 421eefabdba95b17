import 'reflect-metadata';
import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { verifyExportedLog } from '#lucarne/domain/activity-log/index.js';
import { compare, timed } from '../kit/compare.ts';

/** The argument of this process, as JSON. It sends the comparison. */
export interface VerificationWork {
  /** The path of an export of a whole log. */
  readonly file: string;
  readonly entries: number;
  readonly pairs: number;
}

/** Number of bytes that are read from a file at once. */
const PIECE = 1_048_576;

const { file, entries, pairs } = JSON.parse(process.argv[2]!) as VerificationWork;
const bytes = await readFile(file);
const lines = linesOf(bytes);
const comparison = await compare(
  {
    product: () =>
      timed(entries, async () => {
        const verification = await verifyExportedLog(inPieces(bytes), { complete: true });
        if (!verification?.valid) throw new Error('An export of the log does not verify.');
      }),
    reference: () =>
      timed(entries, () => {
        for (const line of lines) hash('sha256', line, 'buffer');
        return Promise.resolve();
      }),
  },
  pairs,
);
process.send!(comparison);

/** The file in chunks, as it would be read. */
function* inPieces(file: Buffer): Generator<Buffer> {
  for (let at = 0; at < file.length; at += PIECE) yield file.subarray(at, at + PIECE);
}

function linesOf(file: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let at = 0; at < file.length;) {
    const end = file.indexOf('\n', at);
    lines.push(file.subarray(at, end));
    at = end + 1;
  }
  return lines;
}
