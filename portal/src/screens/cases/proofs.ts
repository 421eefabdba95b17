import { useQueries, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { SECRET } from '../../app/client';
import { errorOf, GatewayError } from '../../graphql/gateway-error';
import { request } from '../../graphql/request';
import { texts } from '../../texts.ts';
import { AMOUNT_PROOFS, type AmountProof, type CaseRecord } from './documents';
import { IS_PUBLIC } from './transaction-words';

const words = texts(
  {
    late: 'The gateway did not return the proofs of these amounts within a minute, so they are not checked. Try again, or choose fewer days.',
  },
  {
    fr: {
      late: 'La passerelle n’a pas donné les preuves de ces montants en une minute : ils ne sont pas vérifiés. Réessayez, ou choisissez moins de jours.',
    },
  },
);

/** 200 proofs took 6 s on a busy machine. An answer that takes this long would delay the other parts for no known time. */
const MAX_WAIT_MS = 60_000;

/** As many as a screen shows: the proofs of these come first. */
const FIRST = 40;
/** The most that the gateway proves in one answer, and the size of a page, so that the parts of a page never change. */
const PART = 200;

export interface Proofs {
  /** Null where the gateway gave none for this amount. Undefined where it did not answer yet, or none is needed. */
  readonly of: (record: CaseRecord) => AmountProof | null | undefined;
  /** Why there is no answer for this amount. */
  readonly errorOf: (record: CaseRecord) => GatewayError | undefined;
  /** Why a part has no answer. */
  readonly error: GatewayError | undefined;
}

interface ReadProofs {
  readonly proofs: Proofs;
  readonly readAgain: () => void;
}

interface Amount {
  readonly transactionId: string;
  readonly amount: string;
}

/** One request at a time, in the order of the records: the gateway would share its time among all of them. */
let line: Promise<unknown> = Promise.resolve();
function inLine<Result>(ask: () => Promise<Result>): Promise<Result> {
  const asked = line.then(ask);
  // Keeps nothing of the answer.
  line = asked.then(
    () => undefined,
    () => undefined,
  );
  return asked;
}

/** Asks, and gives up after a while, so that the next in line is asked. */
async function inTime<Result>(
  withdrawn: AbortSignal,
  ask: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), MAX_WAIT_MS);
  try {
    return await ask(AbortSignal.any([withdrawn, late.signal]));
  } catch (thrown) {
    if (late.signal.aborted) throw new GatewayError('LATE', words.late);
    throw thrown;
  } finally {
    clearTimeout(timer);
  }
}

const needsProof = ({ type, amount }: CaseRecord) => amount !== null && !IS_PUBLIC.has(type);

/**
 * The proofs of the amounts of the records, which are read after these: proving takes longer than decrypting. Their answers
 * have no amount. Each proof is checked with the amount that the page shows.
 */
export function useProofs(
  { app, id, isOn }: { readonly app: string; readonly id: string; readonly isOn: boolean },
  records: readonly CaseRecord[],
): ReadProofs {
  const client = useQueryClient();
  const parts = useMemo(() => (isOn ? partsOf(records) : []), [isOn, records]);
  const key = [SECRET, 'case', app, id, 'proofs'];
  const combine = useCallback(
    (results: readonly UseQueryResult<readonly (AmountProof | null)[]>[]) => {
      const found = new Map<string, AmountProof | null>();
      const failed = new Map<string, Error>();
      for (const [part, { data, error }] of results.entries())
        for (const [index, { transactionId, amount }] of (parts[part] ?? []).entries()) {
          const name = nameOf(transactionId, amount);
          if (data) found.set(name, data[index] ?? null);
          else if (error) failed.set(name, error);
        }
      return { found, failed };
    },
    [parts],
  );
  const { found, failed } = useQueries({
    queries: parts.map((amounts) => ({
      queryKey: [...key, amounts],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        inLine(() =>
          inTime(signal, async (limit) => {
            const answer = await request(AMOUNT_PROOFS, { foreignId: app, id, amounts }, limit);
            return answer.case.amountProofs ?? [];
          }),
        ),
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 0,
    })),
    combine,
  });
  const proofs = useMemo((): Proofs => {
    const [error] = failed.values();
    return {
      of: ({ id, amount }) => (amount === null ? undefined : found.get(nameOf(id, amount))),
      errorOf({ id, amount }) {
        const own = amount === null ? undefined : failed.get(nameOf(id, amount));
        return own && errorOf(own);
      },
      error: error && errorOf(error),
    };
  }, [found, failed]);
  return {
    proofs,
    readAgain: () =>
      void client.refetchQueries({ queryKey: key, predicate: ({ state }) => state.status === 'error' }),
  };
}

/** A record that was given twice has one proof, unless its amounts differ. */
const nameOf = (id: string, amount: string) => `${id} ${amount}`;

function partsOf(records: readonly CaseRecord[]): readonly Amount[][] {
  const parts: Amount[][] = [];
  for (let from = 0; from < records.length;) {
    const until = from === 0 ? FIRST : from - (from % PART) + PART;
    const amounts = records
      .slice(from, until)
      .filter(needsProof)
      .map(({ id, amount }) => ({ transactionId: id, amount: amount! }));
    if (amounts.length > 0) parts.push(amounts);
    from = until;
  }
  return parts;
}
