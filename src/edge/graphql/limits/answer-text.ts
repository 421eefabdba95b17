import { timeSlices } from '../../../platform/jobs/index.js';
import { isLong, jsonPieces, stringify } from '../../../platform/kernel/encoding/json-text.js';

/** Characters that are written in one turn. */
const CHUNK_LENGTH = 65_536;

/** An answer as JSON, followed by `end`. A long answer is written in slices, so that other requests need not wait. */
export function answerText(answer: object, end = ''): string | Promise<Buffer> {
  return isLong(answer) ? inSlices(jsonPieces(answer), end) : `${stringify(answer)}${end}`;
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
