import type { JsonObject } from '../../../platform/kernel/encoding/json.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { LedgerError, type Address, type LedgerNode } from '../../../platform/ledger/index.js';
import type { RelayAttempt } from '../relay.js';
import { describeError, failureJson } from './answers.js';
import type { Testimony } from './decide-end.js';

/** One provider's testimony, and the questions that it did not answer, with the kind of the error. */
export interface Interview {
  readonly testimony: Testimony;
  readonly errors: JsonObject;
}

export interface InterviewTopics {
  readonly relayId: Id<'rly'>;
  /** The accounts that exist, owned by the program, once a nullifier is spent. */
  readonly nullifiers: readonly Address[];
  readonly outputs: readonly Address[];
  readonly programId: Address;
  /** Those that did not land as failures. */
  readonly attempts: readonly RelayAttempt[];
  /** Whether a provider's finalized height is past the last one in which any attempt can land. */
  readonly isPast: (one: Pick<Testimony, 'node' | 'height'>) => boolean;
  /** Ask about the nullifiers although nothing else gives a reason to. */
  readonly suspectsSpending: boolean;
}

/** An account that the pool's program owns means that its nullifier is spent. */
export const spentOf = (owners: readonly (Address | null)[], programId: Address) =>
  owners.map((owner) => owner === programId);

/**
 * Asks one provider everything that its own answers call for, in the order that makes them a proof: its height before
 * its search, because only a search as of that height or later can prove an absence.
 */
export async function interview(node: LedgerNode, topics: InterviewTopics): Promise<Interview> {
  const { nullifiers, outputs, programId, attempts, suspectsSpending } = topics;
  const errors: Record<string, JsonObject[string]> = {};
  const ask = async <Answer>(
    question: string,
    answer: () => Promise<Answer>,
  ): Promise<Answer | undefined> => {
    try {
      return await answer();
    } catch (thrown) {
      if (!(thrown instanceof LedgerError)) throw thrown;
      errors[question] = describeError(thrown);
      return undefined;
    }
  };
  const signatures = attempts.map(({ signature }) => signature);

  const height = await ask('height', () => node.finalizedHeight());
  const statuses = await ask('statuses', () => node.signatureStatuses(signatures));
  const finalized = signatures.map((_, at) => statuses?.statuses[at]?.commitment === 'finalized');
  const outcomes = await Promise.all(
    signatures.map((signature, at) =>
      finalized[at] ? ask('transaction', () => node.finalizedOutcome(signature)) : Promise.resolve(undefined),
    ),
  );
  const isPast = topics.isPast({ node: node.label, ...(height && { height }) });
  const slots = [isPast ? height!.slot : 0, ...outcomes.map((outcome) => outcome?.slot ?? 0)];
  const asOf = { minContextSlot: Math.max(...slots) };
  const isAskedAboutAccounts = finalized.includes(true) || isPast || suspectsSpending;
  const owners = isAskedAboutAccounts
    ? await ask('nullifiers', () => node.accountOwners(nullifiers, { commitment: 'finalized', ...asOf }))
    : undefined;
  const spent = owners && spentOf(owners.owners, programId);
  const firstSpent = spent?.includes(true) ? nullifiers[spent.indexOf(true)] : undefined;
  const isUnexplained = firstSpent !== undefined && !finalized.includes(true);
  const [spender, created, validities] = await Promise.all([
    isUnexplained ? ask('spender', () => node.creatorOf(firstSpent, programId)) : undefined,
    isUnexplained && outputs.length > 0
      ? ask('outputs', () => node.accountOwners(outputs, { commitment: 'finalized', ...asOf }))
      : undefined,
    isPast && !firstSpent
      ? ask('blockhashes', () =>
          Promise.all(attempts.map(({ blockhash }) => node.blockhashValidity(blockhash, asOf))),
        )
      : undefined,
  ]);
  const testimony: Testimony = {
    node: node.label,
    ...(height && { height }),
    ...(statuses && { statuses }),
    ...(finalized.includes(true) && { outcomes }),
    ...(owners && spent && { nullifiers: { slot: owners.slot, spent } }),
    ...(spender !== undefined && { spender }),
    ...(created && { outputsExist: created.owners.every((owner) => owner === programId) }),
    ...(validities && {
      blockhashes: {
        slot: Math.min(...validities.map(({ slot }) => slot)),
        valid: validities.map(({ valid }) => valid),
      },
    }),
  };
  return { testimony, errors };
}

/** What a provider answered, for the history of the request. */
export function interviewEvidence(
  { testimony, errors }: Interview,
  attempts: readonly RelayAttempt[],
): JsonObject {
  const { node, height, statuses, outcomes, nullifiers, blockhashes, spender, outputsExist } = testimony;
  return {
    node,
    ...(height && { height: { slot: height.slot, blockHeight: height.blockHeight } }),
    ...(statuses && {
      statuses: {
        slot: statuses.slot,
        statuses: attempts.map(({ signature }, at): JsonObject => {
          const status = statuses.statuses[at];
          if (!status) return { signature, status: null };
          const { slot, commitment, failure } = status;
          return { signature, status: { slot, commitment, failure: failureJson(failure) } };
        }),
      },
    }),
    ...(outcomes && {
      transactions: outcomes.map((outcome) =>
        outcome
          ? {
              ...{ slot: outcome.slot, fee: outcome.fee, isFeePaid: outcome.isFeePaid },
              failure: failureJson(outcome.failure),
            }
          : null,
      ),
    }),
    ...(nullifiers && { nullifiers: { slot: nullifiers.slot, spent: [...nullifiers.spent] } }),
    ...(blockhashes && { blockhashes: { slot: blockhashes.slot, valid: [...blockhashes.valid] } }),
    ...(spender !== undefined && { spender }),
    ...(outputsExist !== undefined && { outputsExist }),
    ...(Object.keys(errors).length > 0 && { errors }),
  };
}
