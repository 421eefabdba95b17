/** Observes how this process handles the answers of one provider. */
export interface WatchedAnswers extends Disposable {
  /** The maximum number of bytes that were read of one answer. */
  readonly mostBytes: number;
  /** The length of the longest text that was parsed as JSON. */
  readonly longestParsed: number;
}

/** Watches the answers of the provider at `url` until disposal, and calls `came` with the first bytes of each. */
export function watchAnswers(url: string, came: () => void): WatchedAnswers {
  const { href } = new URL(url);
  const { fetch } = globalThis;
  const { parse } = JSON;
  let mostBytes = 0;
  let longestParsed = 0;
  let isEnded = false;
  async function* counted(body: AsyncIterable<Uint8Array>) {
    let bytes = 0;
    for await (const piece of body) {
      bytes += piece.length;
      mostBytes = Math.max(mostBytes, bytes);
      yield piece;
    }
  }
  globalThis.fetch = async (input, init) => {
    const answer = await fetch(input, init);
    const asked = new URL(input instanceof Request ? input.url : input);
    if (isEnded || asked.href !== href || answer.body === null) return answer;
    came();
    return new Response(ReadableStream.from(counted(answer.body)), answer);
  };
  JSON.parse = (text, reviver) => {
    longestParsed = Math.max(longestParsed, text.length);
    return parse(text, reviver) as unknown;
  };
  return {
    get mostBytes() {
      return mostBytes;
    },
    get longestParsed() {
      return longestParsed;
    },
    [Symbol.dispose]() {
      isEnded = true;
      globalThis.fetch = fetch;
      JSON.parse = parse;
    },
  };
}
