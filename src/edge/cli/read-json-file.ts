import { readFile } from 'node:fs/promises';
import { messageOf } from '../../platform/kernel/errors.js';
import { parseUnambiguousJson } from '../../platform/kernel/encoding/json.js';
import { CommandFailed } from './command-failed.js';

export async function readJsonFile(file: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (thrown) {
    throw new CommandFailed(`${file} cannot be read: ${messageOf(thrown)}`, 2, { cause: thrown });
  }
  try {
    return parseUnambiguousJson(text);
  } catch (thrown) {
    throw new CommandFailed(`${file} is not JSON: ${messageOf(thrown)}`, 1, { cause: thrown });
  }
}
