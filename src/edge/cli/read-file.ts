import { readFile } from 'node:fs/promises';
import { messageOf } from '../../platform/kernel/errors.js';
import { parseUnambiguousJson } from '../../platform/kernel/encoding/json.js';
import { CommandFailed } from './command-failed.js';

/** The result of reading `file`. A failure ends the command with a sentence that names the file. */
export async function reading<Value>(file: string, read: Promise<Value>): Promise<Value> {
  try {
    return await read;
  } catch (thrown) {
    throw new CommandFailed(`${file} cannot be read: ${messageOf(thrown)}`, 2, { cause: thrown });
  }
}

export const readText = (file: string): Promise<string> => reading(file, readFile(file, 'utf8'));

export function parseJson(file: string, text: string): unknown {
  try {
    return parseUnambiguousJson(text);
  } catch (thrown) {
    throw new CommandFailed(`${file} is ambiguous or invalid JSON: ${messageOf(thrown)}`, 1, {
      cause: thrown,
    });
  }
}

export const readJsonFile = async (file: string): Promise<unknown> => parseJson(file, await readText(file));
