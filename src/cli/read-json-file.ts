import { readFile } from 'node:fs/promises';
import { messageOf } from '../kernel/errors.js';
import { parseUnambiguousJson } from '../kernel/json.js';
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
