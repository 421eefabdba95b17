import { deadExports } from './dead-exports.ts';
import {
  badFileNames,
  brokenLines,
  crowdedFolders,
  longFiles,
  readmeSize,
  unexplainedStatements,
  type Violation,
} from './rules.ts';
import { vagueNames } from './vague-names.ts';
import { readSourceFiles, type SourceFile } from './source-files.ts';

export function findViolations(files: readonly SourceFile[] = readSourceFiles()): readonly Violation[] {
  return [
    ...files.flatMap(brokenLines),
    ...longFiles(files),
    ...crowdedFolders(files),
    ...badFileNames(files),
    ...readmeSize(files),
    ...unexplainedStatements(files),
    ...deadExports(files),
    ...vagueNames(files),
  ];
}
