import type { JsonObject } from '../../../platform/kernel/encoding/json.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { LedgerError, type Address, type LedgerNode } from '../../../platform/ledger/index.js';
import type { RelayAttempt } from '../relay.js';
import { describeError, failureJson } from './answers.js';
import type { Testimony } from './decide-end.js';

/** What one provider answered, and the questions that it did not answer, with the kind of the error. */
export interface Interview {
  readonly testimony: Testimony;
  readonly errors: JsonObject;
}

export interface InterviewTopics {
  readonly relayId: Id<'rly'>;
  /** The accounts that the program owns once a nullifier is spent. */
  readonly nullifiers: readonly Address[];
  readonly outputs: readonly Address[];
  readonly programId: Address;
  /** Attempts that did not land and fail. */
  readonly attempts: readonly RelayAttempt[];
  /** Whether a provider's finalized height is past the last one in which any attempt can land. */
  readonly isPast: (one: Pick<Testimony, 'node' | 'height'>) => boolean;
  /** Whether to ask about the nullifiers even if the provider's other answers give no reason to. */
  readonly suspectsSpending: boolean;
}

/** A nullifier is spent if the pool's program owns its account. */
export const spentOf = (owners: readonly (Address | null)[], programId: Address) =>
  owners.map((owner) => owner === programId);

/**
 * Asks one provider the questions that its own answers lead to. The order makes them a proof: the height comes before the
 * search for signatures, because only a search as of that height or later can prove that a signature is absent.
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
  // One of our transactions spent the nullifiers, or all of them are known to have failed. A failed one explains nothing while
  // another one may have succeeded.
  const isExplained =
    finalized.every(Boolean) || finalized.some((is, at) => is && statuses!.statuses[at]!.failure === null);
  const isUnexplained = firstSpent !== undefined && !isExplained;
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

/** The answers of a provider, for the history of the request. */
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
              paidLamports: outcome.paidLamports,
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
