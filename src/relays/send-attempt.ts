import type { JsonObject } from '../kernel/json.js';
import type { LedgerError } from '../ledger/index.js';
import type { RelayContext } from './relay-step.js';
import type { RelayAttempt } from './relay.js';
import { isPassing } from './retry-rule.js';
import { askAll, evidenceOf, failureJson } from './testimony.js';

export interface Sending {
  /** Whether some provider took the bytes, which proves nothing more; otherwise they may be anywhere. */
  readonly isTaken: boolean;
  /** Whether some provider took them or refused them: not all were silent. */
  readonly isAnswered: boolean;
  /** Whether some provider says that a program would refuse them. */
  readonly isRefused: boolean;
  readonly evidence: JsonObject[];
}

/** Hands the stored bytes, always the same, to every provider. */
export async function sendAttempt({ nodes }: RelayContext, attempt: RelayAttempt): Promise<Sending> {
  const { transaction, signature, contextSlot: minContextSlot } = attempt;
  const sent = await askAll(nodes, (node) => node.send(transaction, signature, { minContextSlot }));
  return {
    isTaken: sent.some((testimony) => 'answer' in testimony || isProcessed(testimony.error)),
    isAnswered: sent.some((testimony) => 'answer' in testimony || testimony.error.kind === 'rpc'),
    isRefused: sent.some((testimony) => 'error' in testimony && isRefusal(testimony.error)),
    evidence: evidenceOf(sent, () => ({ taken: true })),
  };
}

/** Who has it already needs no more of it: what came of it is in its status. */
const isProcessed = ({ failure }: LedgerError) => failure === 'AlreadyProcessed';

function isRefusal({ failure }: LedgerError): boolean {
  if (failure === undefined || failure === 'AlreadyProcessed' || failure === 'BlockhashNotFound')
    return false;
  return !isPassing(failureJson(failure));
}
