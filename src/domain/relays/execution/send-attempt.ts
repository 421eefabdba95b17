import type { JsonObject } from '../../../platform/kernel/encoding/json.js';
import type { LedgerError } from '../../../platform/ledger/index.js';
import type { RelayContext } from './relay-step.js';
import type { RelayAttempt } from '../relay.js';
import { isTransient } from '../status/retry-rule.js';
import { askAll, evidenceOf, failureJson } from '../evidence/answers.js';

export interface Sending {
  /** Whether a provider accepted the transaction. It proves nothing else: even if false, the transaction may have arrived. */
  readonly isTaken: boolean;
  /** Whether a provider accepted or refused the transaction. */
  readonly isAnswered: boolean;
  /** Whether a provider reports that a program would refuse the transaction. */
  readonly isRefused: boolean;
  readonly evidence: JsonObject[];
}

/** Sends the stored bytes, which never change, to every provider at once. Does not wait for slow providers. */
export async function sendAttempt({ lanes }: RelayContext, attempt: RelayAttempt): Promise<Sending> {
  const { transaction, signature } = attempt;
  const sent = await askAll(lanes, (node) => node.send(transaction, signature), {
    isAnswer: (one) => 'answer' in one || one.error.kind === 'rpc',
    needs: 'one',
    areRepeated: true,
  });
  return {
    isTaken: sent.some((one) => 'answer' in one || isProcessed(one.error)),
    isAnswered: sent.some((one) => 'answer' in one || one.error.kind === 'rpc'),
    isRefused: sent.some((one) => 'error' in one && isRefusal(one.error)),
    evidence: evidenceOf(sent, () => ({ taken: true })),
  };
}

/** The provider already has the transaction. Its status shows the outcome. */
const isProcessed = ({ failure }: LedgerError) => failure === 'AlreadyProcessed';

function isRefusal({ failure }: LedgerError): boolean {
  if (failure === undefined || failure === 'AlreadyProcessed' || failure === 'BlockhashNotFound')
    return false;
  return !isTransient(failureJson(failure));
}
