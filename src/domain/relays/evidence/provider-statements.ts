import { isJsonObject, type JsonObject } from '../../../platform/kernel/encoding/json.js';

/**
 * The answer of a provider that mattered for an end:
 *
 * - `landed`, `failed`: a transaction of the request is finalized, and succeeded or failed
 * - `pending`: it knows a transaction of the request that is not finalized
 * - `spent`, `free`: a nullifier of the request is spent, or none is
 * - `absent`: it knows no transaction of the request, and no spent nullifier
 * - `refused`, `executable`: the result of its simulation of the transaction
 * - `too_expensive`, `affordable`: the sum of its fees and its simulation, compared with the pool's limits
 * - `silent`: it did not answer, or failed
 */
export type ProviderSaying =
  | 'landed'
  | 'failed'
  | 'pending'
  | 'spent'
  | 'free'
  | 'absent'
  | 'refused'
  | 'executable'
  | 'too_expensive'
  | 'affordable'
  | 'silent';

export type ProviderStatement = Readonly<{
  /** Host and position in the configuration, never a URL. */
  provider: string;
  said: ProviderSaying;
  /** Why its answer was left out: the other providers or the rules of the chain contradict it. */
  leftOut?: string;
}>;

type Entry = Readonly<Record<string, unknown>> & { readonly node: string };

/** The statements in the evidence of an end, one for each provider that was asked. */
export function providerStatements(evidence: JsonObject): ProviderStatement[] {
  const leftOut = new Map(entries(evidence['leftOut']).map(({ node, lie }) => [node, lie]));
  const asked = ASKED.find(([member]) => entries(evidence[member]).length > 0);
  if (!asked) return [];
  const [member, sayingOf] = asked;
  return entries(evidence[member]).map((entry) => {
    const lie = leftOut.get(entry.node);
    return {
      provider: entry.node,
      said: sayingOf(entry),
      ...(typeof lie === 'string' && { leftOut: lie }),
    };
  });
}

/** The members of evidence that list the answers of providers, the decisive one first. */
const ASKED: readonly (readonly [string, (entry: Entry) => ProviderSaying])[] = [
  ['providers', ofInterview],
  [
    'nullifiers',
    ({ spent }) => (Array.isArray(spent) ? (spent.includes(true) ? 'spent' : 'free') : 'silent'),
  ],
  [
    'simulations',
    ({ failure }) => (failure === undefined ? 'silent' : failure === null ? 'executable' : 'refused'),
  ],
  [
    'terms',
    ({ excess }) => (excess === undefined ? 'silent' : excess === null ? 'affordable' : 'too_expensive'),
  ],
];

function ofInterview({ transactions, statuses, nullifiers, spender }: Entry): ProviderSaying {
  const shown = listOf(transactions).filter(isJsonObject);
  if (shown.some(({ failure }) => failure === null)) return 'landed';
  if (shown.length > 0) return 'failed';
  const isSpent = isJsonObject(nullifiers) && listOf(nullifiers['spent']).includes(true);
  if (typeof spender === 'string' || isSpent) return 'spent';
  if (!isJsonObject(statuses)) return 'silent';
  const isKnown = (one: unknown) => isJsonObject(one) && one['status'] !== null;
  return listOf(statuses['statuses']).some(isKnown) ? 'pending' : 'absent';
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function entries(value: unknown): readonly Entry[] {
  return listOf(value).filter((one): one is Entry => isJsonObject(one) && typeof one['node'] === 'string');
}
