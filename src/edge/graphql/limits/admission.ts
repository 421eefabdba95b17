import { getOperationAST, GraphQLError, parse, type DocumentNode } from 'graphql';
import type { RequestContext } from '../../../domain/access/index.js';
import { BoundedMap } from '../../../platform/kernel/bounds/bounded-map.js';
import { clientNetwork } from '../../../platform/kernel/client-network.js';
import type { Clock } from '../../../platform/kernel/clock.js';
import { type LucarneError, tooManyRequests, unauthenticated } from '../../../platform/kernel/errors.js';
import { checkDocumentBounds, checkText, DOCUMENT_LIMITS } from './document-bounds.js';
import { operationKey } from '../operation-key.js';
import { needsNoCredentials } from '../public-fields.js';

/** The budget of clients without valid credentials, and whether a document may be validated and executed for a caller. */
export interface Admission {
  /**
   * @throws `UNAUTHENTICATED` when an anonymous caller asks for a field that needs credentials, `TOO_MANY_REQUESTS` past
   * the budget of anonymous callers, `BAD_USER_INPUT` past the bounds of a document. A document that cannot be parsed
   * passes: the parser of the transport refuses it.
   */
  readonly admit: (caller: AdmissionCaller, query: string, operationName?: string | null) => void;
  /** Reports that an admitted document is valid. Only then it costs less the next time, because it is not validated again. */
  readonly validated: (query: string, operationName?: string | null) => void;
  /** Spends one unit of a client on a request that is refused. @returns The refusal if none was left. */
  readonly spend: (clientAddress: string) => LucarneError | undefined;
  /** The refusal of a client that has no unit for refused requests left. */
  readonly refusal: (clientAddress: string) => LucarneError | undefined;
}

interface Admitted {
  /** Whether it needs no credentials. */
  readonly isPublic: boolean;
  isValid: boolean;
}

type AdmissionCaller = Pick<RequestContext, 'principal' | 'clientAddress'>;

/**
 * Units that a client without valid credentials, counted by its network, may spend in a minute: one for each document, and of a
 * separate budget one for each refused key, session or request over REST, so that wrong keys do not stop sign-ins.
 */
const MAX_UNITS_PER_MINUTE = 1_200;
/** The cost of a document that must be parsed and validated: a new one, or one that was not valid. */
const NEW_DOCUMENT_UNITS = 10;
const MINUTE_MS = 60_000;
/** Clients that are counted at the same time. Beyond it, the one that was not seen for the longest time is forgotten. */
const MAX_CLIENTS = 50_000;
const MAX_KNOWN_BYTES = 1024 * 1024;

export function createAdmission({ clock }: { readonly clock: Clock }): Admission {
  /** The admitted documents, by operation and text. */
  const known = new BoundedMap<string, Admitted>(MAX_KNOWN_BYTES, (_admitted, key) => 2 * key.length);
  const spentOn = () => new BoundedMap<string, number>(MAX_CLIENTS);
  const [onDocuments, onRefusals] = [spentOn(), spentOn()];
  let windowStart = 0;

  /** What the client has spent in this minute. */
  const spentBy = (client: string, spent: ReadonlyMap<string, number>): number => {
    const now = clock.now().getTime();
    if (Math.abs(now - windowStart) >= MINUTE_MS) {
      onDocuments.clear();
      onRefusals.clear();
      windowStart = now;
    }
    return spent.get(client) ?? 0;
  };
  const refused = (): LucarneError =>
    tooManyRequests(
      'Too many requests without valid credentials from this address. Try again later.',
      Math.max(1, Math.ceil((windowStart + MINUTE_MS - clock.now().getTime()) / 1000)),
      { reason: 'rate_limited' },
    );
  const spend = (spent: Map<string, number>, clientAddress: string, units: number) => {
    const client = clientNetwork(clientAddress);
    const total = spentBy(client, spent) + units;
    spent.set(client, total);
    return total > MAX_UNITS_PER_MINUTE ? refused() : undefined;
  };

  return {
    spend: (clientAddress) => spend(onRefusals, clientAddress, 1),
    refusal: (clientAddress) =>
      // Asked for every request, most of which find that nobody spent anything.
      onRefusals.size > 0 && spentBy(clientNetwork(clientAddress), onRefusals) >= MAX_UNITS_PER_MINUTE
        ? refused()
        : undefined,
    admit({ principal, clientAddress }, query, operationName) {
      const key = operationKey(query, operationName);
      const admitted = known.get(key);
      let isPublic = admitted?.isPublic;
      const refusal = principal
        ? undefined
        : spend(onDocuments, clientAddress, admitted?.isValid ? 1 : NEW_DOCUMENT_UNITS);
      if (refusal) throw refusal;
      if (isPublic === undefined) {
        const document = parsed(query);
        if (!document) return;
        const operation = getOperationAST(document, operationName);
        isPublic = !operation || needsNoCredentials(document, operation);
        // A request that is refused anyway needs no further work.
        if (isPublic || principal) {
          checkDocumentBounds(document);
          known.set(key, { isPublic, isValid: false });
        }
      }
      if (!principal && !isPublic) throw unauthenticated();
    },
    validated(query, operationName) {
      const admitted = known.get(operationKey(query, operationName));
      if (admitted) admitted.isValid = true;
    },
  };
}

function parsed(query: string): DocumentNode | undefined {
  try {
    checkText(query);
    return parse(query, { maxLexicalTokens: DOCUMENT_LIMITS.tokens, noLocation: true });
  } catch (thrown) {
    if (thrown instanceof GraphQLError) return undefined;
    throw thrown;
  }
}
