import { randomBytes } from 'node:crypto';
import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';

type Content = string | Uint8Array;

/** Replaces a file as a whole: a reader sees all of it or what was there before, also after a kill or a power cut. */
export const replaceFile = (file: string, content: Content): void =>
  withDraft(file, content, (draft) => renameSync(draft, file));

/** Creates a file as {@link replaceFile}. Leaves one that exists as it is. */
export function createFile(file: string, content: Content): void {
  try {
    withDraft(file, content, (draft) => linkSync(draft, file));
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
  }
}

function withDraft(file: string, content: Content, place: (draft: string) => void): void {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(draft, content, { mode: 0o600, flag: 'wx', flush: true });
    place(draft);
  } finally {
    rmSync(draft, { force: true });
  }
}
