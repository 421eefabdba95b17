import { VersionedTransaction } from '@solana/web3.js';
import {
  LedgerError,
  type AsOf,
  type LatestBlockhash,
  type LedgerNode,
  type LedgerReader,
} from '../../../src/platform/ledger/index.js';

/** Nodes that give well-formed wrong answers, each based on an honest node. */

const BLOCKHASH_LIFETIME_BLOCKS = 150;

/** Accepts every transaction without forwarding it. */
export function swallowing(honest: LedgerNode): LedgerNode {
  return { ...honest, send: () => Promise.resolve() };
}

/** Returns its slot as block height. */
export function slotAsHeight(honest: LedgerNode): LedgerNode {
  return {
    ...honest,
    async finalizedHeight() {
      const { slot } = await honest.finalizedHeight();
      return { slot, blockHeight: slot };
    },
    async latestBlockhash(asOf) {
      const answer = await honest.latestBlockhash(asOf);
      return { ...answer, lastValidBlockHeight: answer.slot + BLOCKHASH_LIFETIME_BLOCKS };
    },
  };
}

/** The facts about the past that a lagging node needs. */
export interface Past {
  /** An account counts as old as the first finalized transaction that names it and succeeded. */
  readonly history: Pick<LedgerReader, 'signaturesFor'>;
  /** Every blockhash that any node returned, oldest first. */
  readonly blockhashes: readonly LatestBlockhash[];
}

/**
 * Does not know the last `slots` slots: its context slot lags, and it does not know later transactions and blockhashes. Only
 * balances and fees are current.
 */
export function lagging(honest: LedgerNode, slots: number, { history, blockhashes }: Past): LedgerNode {
  const lagged = (slot: number) => Math.max(0, slot - slots);
  const reach = (slot: number, { minContextSlot = 0 }: AsOf = {}): number => {
    const reached = lagged(slot);
    if (reached >= minContextSlot) return reached;
    throw new LedgerError('rpc', 'Minimum context slot has not been reached', { rpcCode: -32016 });
  };
  const confirmedSlot = async (asOf?: AsOf) => reach((await honest.latestBlockhash()).slot, asOf);
  const knowsBlockhash = (transaction: Uint8Array, slot: number) => {
    const { recentBlockhash } = VersionedTransaction.deserialize(transaction).message;
    const issued = blockhashes.find(({ blockhash }) => blockhash === recentBlockhash);
    return issued === undefined || issued.slot <= slot;
  };
  const signatureStatuses: LedgerNode['signatureStatuses'] = async (signatures) => {
    const answer = await honest.signatureStatuses(signatures);
    const slot = lagged(answer.slot);
    return { slot, statuses: answer.statuses.map((one) => (one !== null && one.slot <= slot ? one : null)) };
  };

  return {
    ...honest,
    signatureStatuses,
    async finalizedHeight() {
      const { slot, blockHeight } = await honest.finalizedHeight();
      return { slot: lagged(slot), blockHeight: lagged(blockHeight) };
    },
    async latestBlockhash(asOf) {
      const answer = await honest.latestBlockhash();
      const slot = reach(answer.slot, asOf);
      return { ...(blockhashes.findLast((issued) => issued.slot <= slot) ?? answer), slot };
    },
    async accountOwners(addresses, { commitment, ...asOf }) {
      const answer = await honest.accountOwners(addresses, { commitment });
      const slot = reach(answer.slot, asOf);
      const owners = answer.owners.map(async (owner, index) => {
        if (owner === null) return null;
        const named = await history.signaturesFor(addresses[index]!);
        return named.some((row) => !row.failed && row.slot <= slot) ? owner : null;
      });
      return { slot, owners: await Promise.all(owners) };
    },
    async simulate(transaction, asOf) {
      const slot = await confirmedSlot(asOf);
      if (!knowsBlockhash(transaction, slot))
        return { slot, failure: 'BlockhashNotFound', unitsConsumed: 0, lamportsAfter: null };
      return {
        ...(await honest.simulate(transaction, asOf?.account ? { account: asOf.account } : {})),
        slot,
      };
    },
    async send(transaction, signature, asOf) {
      if (!knowsBlockhash(transaction, await confirmedSlot(asOf)))
        throw preflightFailure('BlockhashNotFound');
      try {
        await honest.send(transaction, signature);
      } catch (thrown) {
        const landedLater =
          thrown instanceof LedgerError &&
          thrown.failure === 'AlreadyProcessed' &&
          (await signatureStatuses([signature])).statuses[0] === null;
        if (!landedLater) throw thrown;
      }
    },
    async finalizedOutcome(signature) {
      const [outcome, { slot }] = [await honest.finalizedOutcome(signature), await honest.finalizedHeight()];
      return outcome !== null && outcome.slot <= lagged(slot) ? outcome : null;
    },
    async blockhashValidity(blockhash, asOf) {
      const issued = blockhashes.find((one) => one.blockhash === blockhash);
      const { slot, blockHeight } = await honest.finalizedHeight();
      const isPast = issued !== undefined && lagged(blockHeight) > issued.lastValidBlockHeight;
      return { slot: reach(slot, asOf), valid: !isPast };
    },
    async creatorOf(account, program) {
      const creator = await honest.creatorOf(account, program);
      if (creator === null) return null;
      const outcome = await honest.finalizedOutcome(creator);
      return outcome && outcome.slot <= lagged((await honest.finalizedHeight()).slot) ? creator : null;
    },
    async balance(address, question) {
      const { slot, lamports } = await honest.balance(address, question);
      return { slot: lagged(slot), lamports };
    },
  };
}

function preflightFailure(failure: string): LedgerError {
  return new LedgerError('rpc', `The node refused (-32002): ${failure}`, { rpcCode: -32002, failure });
}
