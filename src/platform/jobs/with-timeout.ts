/**
 * The result of `work`. After `timeoutMs`, throws `tooLate` and aborts the signal. It does not wait for work that ignores the
 * signal.
 */
export async function withTimeout<Result>(
  timeoutMs: number,
  tooLate: () => Error,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const limit = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(tooLate());
      limit.abort();
    }, timeoutMs);
  });
  try {
    return await Promise.race([work(limit.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}
