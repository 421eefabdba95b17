import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ExecutionResult, GraphQLSchema } from 'graphql';
import type { RequestContext } from '../../domain/access/index.js';
import { BoundedMap } from '../../platform/kernel/bounds/bounded-map.js';
import { isJsonObject } from '../../platform/kernel/encoding/json.js';
import { forCaller } from './caller-scope.js';
import { OfRequest } from './http-context.js';
import type { KnownOperations } from './known-operations.js';
import type { Admission } from './limits/admission.js';
import { answerText } from './limits/answer-text.js';
import { checkVariables } from './limits/check-variables.js';
import { checkCost } from './limits/limits.js';

/** The state of a request before it is passed to Apollo, so that no step runs twice. */
export interface Begun {
  readonly context: Promise<RequestContext>;
  /** The result, if the operation was executed. */
  readonly result?: Promise<ExecutionResult>;
}

export interface KnownRequests {
  /** The body of the answer, or `undefined` if Apollo must answer. */
  answer(request: FastifyRequest, reply: FastifyReply): Promise<string | Buffer | undefined>;
  /** The started part of a request that Apollo must answer. */
  begun(request: FastifyRequest): Begun | undefined;
  /** Reads from Apollo’s response the content type for this `Accept`. */
  learn(request: FastifyRequest, reply: FastifyReply): void;
}

interface KnownRequestsOptions {
  readonly schema: GraphQLSchema;
  readonly operations: KnownOperations;
  readonly admission: Pick<Admission, 'validated'>;
  readonly contextOf: (request: FastifyRequest, reply: FastifyReply) => Promise<RequestContext>;
  readonly development: boolean;
}

const MAX_FORMS_BYTES = 64 * 1024;

/**
 * Answers plain requests for known operations as Apollo would, without its pipeline. All others are passed to Apollo: other
 * request formats, refused requests, and results with an error.
 */
export function createKnownRequests(options: KnownRequestsOptions): KnownRequests {
  const { schema, operations, admission, contextOf, development } = options;
  const begun = new OfRequest<Begun>();
  /** The content type that Apollo chose, by `Accept`. */
  const forms = new BoundedMap<string, string>(
    MAX_FORMS_BYTES,
    (contentType, accept) => 2 * (accept.length + contentType.length),
  );

  return {
    async answer(request, reply) {
      const asked = plainRequest(request);
      const known = asked && operations.find(asked.query, asked.operationName);
      const contentType = known && forms.get(request.headers.accept ?? '');
      if (!known || contentType === undefined) return undefined;
      const { document, operation, run, readLines } = known;
      const { variables, operationName } = asked;

      const creating = contextOf(request, reply);
      begun.set(request, { context: creating });
      let context: RequestContext;
      let coerced: Record<string, unknown>;
      try {
        context = await creating;
        // Compiled, so it was valid. Admission may have forgotten it.
        admission.validated(asked.query, operationName);
        coerced = checkVariables(schema, operation, variables, { hideSuggestions: !development });
        checkCost(schema, document, variables, operationName);
      } catch {
        // Apollo repeats the refusal and reports it.
        return undefined;
      }
      const running = executed(async () => {
        const answered = readLines && (await forCaller(context, () => readLines(context, coerced)));
        return answered ?? forCaller(context, () => run({}, context, variables));
      });
      begun.set(request, { context: creating, result: running });
      const { data, errors } = await running.catch(() => NOTHING);
      if (errors !== undefined || !data) return undefined;
      void reply.header('content-type', contentType);
      return answerText({ data }, '\n');
    },
    begun: (request) => begun.get(request),
    learn(request, reply) {
      const { accept = '' } = request.headers;
      const contentType = reply.getHeader('content-type');
      if (plainRequest(request) && reply.statusCode === 200 && typeof contentType === 'string')
        forms.set(accept, contentType);
    },
  };
}

const NOTHING: ExecutionResult = {};

const executed = async (run: () => ExecutionResult | Promise<ExecutionResult>) => run();

interface PlainRequest {
  readonly query: string;
  readonly operationName: string | undefined;
  readonly variables: Record<string, unknown>;
}

// A browser sends none of these content types without a preflight, so a page of another origin cannot send one.
const JSON_TYPE = /^application\/json(; ?charset=utf-8)?$/i;

/** A POST of one operation in JSON, without other members. Almost every client sends this form. */
function plainRequest({ method, headers, body }: FastifyRequest): PlainRequest | undefined {
  if (method !== 'POST' || !JSON_TYPE.test(headers['content-type'] ?? '') || !isJsonObject(body))
    return undefined;
  const { query, operationName, variables, extensions } = body;
  if (typeof query !== 'string' || extensions !== undefined) return undefined;
  if (operationName != null && typeof operationName !== 'string') return undefined;
  if (variables != null && !isJsonObject(variables)) return undefined;
  return { query, operationName: operationName ?? undefined, variables: variables ?? {} };
}
