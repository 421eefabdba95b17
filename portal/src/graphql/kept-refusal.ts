import { useState } from 'react';
import { errorOf } from './gateway-error';

/** What a reading says of itself. */
interface Outcome {
  readonly error: Error | null;
  readonly isPending: boolean;
  /** 0 as long as nothing under its key failed. */
  readonly errorUpdateCount: number;
}

/**
 * The error of a reading. A refusal is also returned while it is read again: it must not disappear for a moment, and be announced
 * a second time. Other errors disappear, because a person who reads again must see that something happens.
 */
export function useKeptRefusal({ error, isPending, errorUpdateCount }: Outcome): Error | null {
  const [refusal, setRefusal] = useState<Error | null>(null);
  const isReadAgain = isPending && errorUpdateCount > 0;
  const kept = isReadAgain ? refusal : isRefusal(error) ? error : null;
  if (kept !== refusal) setRefusal(kept);
  return error ?? kept;
}

const isRefusal = (error: Error | null) =>
  error !== null && ['FORBIDDEN', 'NOT_FOUND'].includes(errorOf(error).code);
