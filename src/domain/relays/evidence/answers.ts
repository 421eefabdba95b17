import type { JsonObject, JsonValue } from '../../../platform/kernel/encoding/json.js';
import { canonicalJson } from '../../../platform/kernel/encoding/json.js';
import {
  LedgerError,
  type LedgerNode,
  type ProviderLane,
  type TransactionFailure,
} from '../../../platform/ledger/index.js';
import { gather, type Gathering, type Lanes } from './gather.js';
import { isMajority } from './majority.js';

/** The answer of one provider to one question, or its error. */
export type Answer<Value> =
  { readonly node: string; readonly answer: Value } | { readonly node: string; readonly error: LedgerError };

/**
 * Asks every provider at once, and waits for a majority of answers; see `gather`. A provider that is not waited for counts as
 * timed out. Rejects only with an error that is not a failure of a provider.
 */
export async function askAll<Value>(
  lanes: Lanes,
  question: (node: LedgerNode) => Promise<Value>,
  terms: Partial<Gathering<Answer<Value>>> = {},
): Promise<Answer<Value>[]> {
  const asked = lanes.all.map(({ node }) => ask(node, question));
  const isAnswer = (answer: Answer<Value>) => 'answer' in answer;
  const received = await gather(lanes, asked, { isAnswer, needs: 'majority', ...terms });
  return received.map((answer, at) => answer ?? notWaitedFor(lanes.all[at]!.node));
}

/** Asks one provider. When patience ends, stops waiting if another provider that is not slow can be asked instead. */
export async function askPatiently<Value>(
  lanes: Lanes,
  { node }: ProviderLane,
  question: (node: LedgerNode) => Promise<Value>,
): Promise<Answer<Value>> {
  const asked = ask(node, question);
  const isReplaceable = lanes.all.some((other) => other.node !== node && !other.isSlow);
  return (isReplaceable ? await withinPatience(lanes, asked) : await asked) ?? notWaitedFor(node);
}

/** Returns `undefined` if patience ends first. */
export function withinPatience<Value>(
  { startTimer, patienceMs }: Pick<Lanes, 'startTimer' | 'patienceMs'>,
  asked: Promise<Value>,
): Promise<Value | undefined> {
  return new Promise((resolve, reject) => {
    const stopTimer = startTimer(patienceMs, () => resolve(undefined));
    asked.then(resolve, reject).finally(stopTimer);
  });
}

const notWaitedFor = ({ label }: LedgerNode) => ({
  node: label,
  error: new LedgerError('timeout', 'The provider is slow, and the others were enough.'),
});

export async function ask<Value>(
  node: LedgerNode,
  question: (node: LedgerNode) => Promise<Value>,
): Promise<Answer<Value>> {
  try {
    return { node: node.label, answer: await question(node) };
  } catch (thrown) {
    if (!(thrown instanceof LedgerError)) throw thrown;
    return { node: node.label, error: thrown };
  }
}

export type Answered<Value> = Extract<Answer<Value>, { readonly answer: unknown }>;

export function answered<Value>(answers: readonly Answer<Value>[]): Answered<Value>[] {
  return answers.filter((one) => 'answer' in one);
}

/** Answers for the history of a request: `{ node, … }` or `{ node, error }`. */
export function evidenceOf<Value>(
  answers: readonly Answer<Value>[],
  describe: (answer: Value) => JsonObject,
): JsonObject[] {
  return answers.map((one) =>
    'answer' in one
      ? { node: one.node, ...describe(one.answer) }
      : { node: one.node, error: describeError(one.error) },
  );
}

/** Omits the message: a provider can write anything into it. */
export function describeError({ kind, rpcCode, failure }: LedgerError): JsonValue {
  const code = rpcCode === undefined ? kind : `${kind} ${rpcCode}`;
  return failure === undefined ? code : { code, failure: failureJson(failure) };
}

/** A failure as parsed from a provider's JSON. */
export const failureJson = (failure: TransactionFailure | null) => failure as JsonValue;

export type Agreement<Value> =
  | { readonly kind: 'agreed'; readonly value: Value }
  /** Too few providers answered. */
  | { readonly kind: 'unknown' }
  /** No value has a majority, although enough providers answered. */
  | { readonly kind: 'disagreement' };

/**
 * The value that more than half of the configured providers return, which counts as a fact of the ledger. Other values are
 * ignored. A provider that fails counts as silent.
 */
export function agreementOf<Given, Value extends JsonValue>(
  answers: readonly Answer<Given>[],
  valueOf: (answer: Given) => Value,
): Agreement<Value> {
  const values = answered(answers).map(({ answer }) => valueOf(answer));
  const agreed = values.find((value) =>
    isMajority(values.filter((other) => isSame(other, value)).length, answers.length),
  );
  if (agreed !== undefined) return { kind: 'agreed', value: agreed };
  return { kind: values.every((value) => isSame(value, values[0]!)) ? 'unknown' : 'disagreement' };
}

const isSame = (one: JsonValue, other: JsonValue) => canonicalJson(one) === canonicalJson(other);
