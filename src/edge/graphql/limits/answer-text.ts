import { timeSlices } from '../../../platform/jobs/index.js';
import { isLong, jsonPieces, stringify } from '../../../platform/kernel/encoding/json-text.js';

/** Characters that are written in one turn. */
const CHUNK_LENGTH = 65_536;

/** Node.js copies a text together with the headers, and reserves three times its length to encode it. */
const MAX_TEXT_LENGTH = 8_192;

/** An answer as JSON, followed by `end`. A long answer is written in slices, so that other requests need not wait. */
export function answerText(answer: object, end = ''): string | Buffer | Promise<Buffer> {
  if (isLong(answer)) return inSlices(jsonPieces(answer), end);
  const text = `${stringify(answer)}${end}`;
  return text.length > MAX_TEXT_LENGTH ? Buffer.from(text) : text;
}

async function inSlices(pieces: Iterable<string>, end: string): Promise<Buffer> {
  const slice = timeSlices();
  const chunks: Buffer[] = [];
  let [text, length] = ['', 0];
  const flush = () => {
    const chunk = Buffer.from(text);
    chunks.push(chunk);
    length += chunk.length;
    text = '';
  };
  for (const piece of pieces) {
    text += piece;
    if (text.length < CHUNK_LENGTH) continue;
    flush();
    await slice();
  }
  text += end;
  flush();
  const whole = Buffer.allocUnsafeSlow(length);
  let at = 0;
  for (const chunk of chunks) {
    at += chunk.copy(whole, at);
    await slice();
  }
  return whole;
}
