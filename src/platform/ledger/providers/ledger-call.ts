import { LedgerError, nonsense, type LedgerErrorKind } from '../ledger-error.js';

/** One attempt of a call to one provider, for metrics. `provider` is a host and a position, never a URL. */
export interface LedgerCall {
  readonly method: string;
  readonly provider: string;
  readonly outcome: 'ok' | LedgerErrorKind;
  readonly durationMs: number;
}

/** Makes one attempt and reports its outcome. Rejects only with `LedgerError`. */
export async function observed<T>(
  call: Pick<LedgerCall, 'method' | 'provider'>,
  observe: (call: LedgerCall) => void,
  ask: () => Promise<T>,
): Promise<T> {
  const begun = performance.now();
  const report = (outcome: LedgerCall['outcome']) =>
    observe({ ...call, outcome, durationMs: performance.now() - begun });
  let answer: T;
  try {
    answer = await ask();
  } catch (thrown) {
    const error = asLedgerError(thrown);
    report(error.kind);
    throw error;
  }
  report('ok');
  return answer;
}

/** Any error of a client library while it parses a response means that the response is invalid. */
function asLedgerError(thrown: unknown): LedgerError {
  return thrown instanceof LedgerError ? thrown : nonsense('The answer has the wrong shape.', thrown);
}
