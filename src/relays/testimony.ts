import type { JsonObject, JsonValue } from '../kernel/json.js';
import { canonicalJson } from '../kernel/json.js';
import { LedgerError, type LedgerNode, type TransactionFailure } from '../ledger/index.js';

/** What one provider said to a question, or how it failed to say anything. */
export type Testimony<Answer> =
  { readonly node: string; readonly answer: Answer } | { readonly node: string; readonly error: LedgerError };

/** Asks every provider at once and keeps who said what. Rejects only with what is no failure of a provider. */
export function askAll<Answer>(
  nodes: readonly LedgerNode[],
  question: (node: LedgerNode) => Promise<Answer>,
): Promise<Testimony<Answer>[]> {
  return Promise.all(nodes.map((node) => ask(node, question)));
}

export async function ask<Answer>(
  node: LedgerNode,
  question: (node: LedgerNode) => Promise<Answer>,
): Promise<Testimony<Answer>> {
  try {
    return { node: node.label, answer: await question(node) };
  } catch (thrown) {
    if (!(thrown instanceof LedgerError)) throw thrown;
    return { node: node.label, error: thrown };
  }
}

export type Answered<Answer> = Extract<Testimony<Answer>, { readonly answer: unknown }>;

export function answered<Answer>(testimonies: readonly Testimony<Answer>[]): Answered<Answer>[] {
  return testimonies.filter((testimony) => 'answer' in testimony);
}

/** Testimonies for the history of a request: `{ node, … }` or `{ node, error }`. */
export function evidenceOf<Answer>(
  testimonies: readonly Testimony<Answer>[],
  describe: (answer: Answer) => JsonObject,
): JsonObject[] {
  return testimonies.map((testimony) =>
    'answer' in testimony
      ? { node: testimony.node, ...describe(testimony.answer) }
      : { node: testimony.node, error: describeError(testimony.error) },
  );
}

/** Never the message: a provider can write anything into it. */
function describeError({ kind, rpcCode, failure }: LedgerError): JsonValue {
  const code = rpcCode === undefined ? kind : `${kind} ${rpcCode}`;
  return failure === undefined ? code : { code, failure: failureJson(failure) };
}

/** A failure as it was parsed from a provider's JSON. */
export const failureJson = (failure: TransactionFailure | null) => failure as JsonValue;

export type Agreement<Value> =
  | { readonly kind: 'agreed'; readonly value: Value }
  /** Too few have said anything. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'disagreement' };

/**
 * What counts as a fact of the ledger: at least half of the configured providers say it, and none of them says
 * otherwise. A provider that fails is silent. One that is merely behind the others disagrees until it has come after
 * them, so who does not know yet looks again.
 */
export function agreementOf<Answer, Value extends JsonValue>(
  testimonies: readonly Testimony<Answer>[],
  valueOf: (answer: Answer) => Value,
): Agreement<Value> {
  const [value, ...others] = answered(testimonies).map(({ answer }) => valueOf(answer));
  if (value === undefined) return { kind: 'unknown' };
  const text = canonicalJson(value);
  if (others.some((other) => canonicalJson(other) !== text)) return { kind: 'disagreement' };
  return isHalf(1 + others.length, testimonies.length) ? { kind: 'agreed', value } : { kind: 'unknown' };
}

export const isHalf = (count: number, configured: number) => count > 0 && 2 * count >= configured;
