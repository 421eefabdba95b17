import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import {
  compileOperation,
  lucarneErrorIn,
  OfRequest,
  requireOneOf,
  type Admission,
  type ContextFactory,
  type LineFields,
  type RequestContext,
} from '../graphql/index.js';
import {
  isLucarneError,
  type LucarneError,
  tooManyRequests,
  unauthenticated,
} from '../../platform/kernel/errors.js';
import type { Quota } from '../../platform/kernel/bounds/quota.js';
import { absencesOf, answerWriter } from './answer-writer.js';
import { restDocument } from './documents.js';
import { rangeOf, sendFile, whileGranted, type FileBytes } from './file-answer.js';
import { internalError } from './error-table.js';
import { errorOf, isMalformed, sendRefusal } from './refusal.js';
import { requestReader } from './request-reader.js';
import {
  operationIdOf,
  routerPath,
  type ContentAnswer,
  type FileRouteAnswer,
  type RedirectAnswer,
  type Route,
  type Variables,
} from './route.js';

/** Concurrent downloads of one person. */
export const MAX_DOWNLOADS = 16;

/** A route with its compiled document and its checks. */
export type PreparedRoute = (app: FastifyInstance) => void;

/**
 * Prepares a route: identifies the caller, reads the request, runs the document, writes the response. Throws if the document
 * does not match the schema.
 */
export function prepareRoute(
  route: Route,
  {
    schema,
    contextFor,
    admission,
    lineFields = {},
    fileBytes,
    downloads,
  }: {
    readonly schema: GraphQLSchema;
    readonly contextFor: ContextFactory;
    readonly admission: Pick<Admission, 'spend' | 'refusal'>;
    readonly lineFields?: LineFields;
    readonly fileBytes: FileBytes;
    /** Downloads in progress, by person. */
    readonly downloads: Quota;
  },
): PreparedRoute {
  const read = requestReader(route);
  const { answer } = route;
  const items = 'items' in answer ? answer.items : undefined;
  const lines = items && { fields: lineFields, absences: absencesOf(items) };
  const run = compileOperation(schema, restDocument(route.document), lines);
  const operationId = operationIdOf(route);
  const kind = route.method !== 'GET' ? 'change' : route.anonymous ? 'arrival' : 'read';
  const refusalOf = (clientAddress: string): LucarneError | undefined => {
    // Signing in has separate limits, which let known browsers pass at an address that they share with others.
    return route.credentials === 'none' ? admission.refusal(clientAddress) : undefined;
  };
  const contexts = new OfRequest<RequestContext>();

  const ask = async (context: RequestContext, variables: Variables): Promise<never> => {
    const result = await run(context, variables);
    if (result.errors) context.refused?.(lucarneErrorIn(result.errors[0]), operationId);
    const error = errorOf(result, route.argumentNames);
    if (error) throw error;
    return result.data as never;
  };
  const write = 'file' in answer ? fileAnswerer(answer, fileBytes, downloads) : dataAnswerer(answer);

  return (app) => {
    app.route({
      method: route.method,
      url: routerPath(route.path),
      // This runs before the body is read: the body of a caller without credentials is not parsed.
      onRequest: async (request, reply) => {
        const context = await contextFor(request, reply, route.credentials, kind);
        if (context.principal === undefined && !route.anonymous) throw unauthenticated();
        const refusal = refusalOf(context.clientAddress);
        if (refusal) throw refusal;
        contexts.set(request, context);
      },
      handler: async (request, reply) => {
        const context = contexts.get(request)!;
        const variables = read(request);
        const data = await ask(context, variables);
        void reply.code(answer.status).header('cache-control', 'no-store');
        return write({
          ...{ request, reply, context, variables, data },
          ask: (more) => ask(context, { ...variables, ...more }),
          askAgain: async () => ask(await contextFor(request, reply, route.credentials, kind), variables),
        });
      },
      errorHandler: (thrown, request, reply) => {
        const context = contexts.get(request);
        if (context && route.credentials === 'none' && isGuessOrFlood(thrown))
          admission.spend(context.clientAddress);
        const lacking =
          context && isMalformed(thrown) ? lackingPermission(route, request, context) : undefined;
        const refusal = lacking ?? thrown;
        if (route.problemPage !== undefined && isLucarneError(refusal) && prefersPage(request))
          return void sendToProblemPage(reply, route.problemPage, refusal);
        sendRefusal(refusal, request, reply, route);
      },
    });
  };
}

/** Whether a request without credentials named an unknown id, or exceeded a limit, which the database counts all the same. */
const isGuessOrFlood = (thrown: unknown) =>
  isLucarneError(thrown) && (thrown.code === 'NOT_FOUND' || thrown.code === 'TOO_MANY_REQUESTS');

/** Whether the client is a browser: it lists HTML before JSON, or HTML only (RFC 9110, 12.5.1). */
function prefersPage({ headers }: FastifyRequest): boolean {
  const accept = headers.accept ?? '';
  const [page, data] = [accept.indexOf('text/html'), accept.indexOf('application/json')];
  return page >= 0 && (data < 0 || page < data);
}

function sendToProblemPage(reply: FastifyReply, page: string, { code, reason }: LucarneError): FastifyReply {
  const problem = reason ?? code.toLowerCase();
  return reply
    .code(302)
    .header('cache-control', 'no-store')
    .header('location', `${page}?problem=${problem}`)
    .send();
}

/** The permission that the caller lacks. A malformed request is then refused for it. */
function lackingPermission(route: Route, request: FastifyRequest, context: RequestContext): unknown {
  const { foreignId = '' } = request.params as { readonly foreignId?: string };
  try {
    for (const needs of [route.needs, route.alsoNeeds])
      if (needs) requireOneOf(context.principal, needs, foreignId);
    return undefined;
  } catch (thrown) {
    if (isLucarneError(thrown)) context.refused?.(thrown, operationIdOf(route));
    return thrown;
  }
}

interface Answering {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly context: RequestContext;
  readonly variables: Variables;
  /** The data of the document. */
  readonly data: never;
  /** Runs the document again with these additional variables, and throws its errors. */
  readonly ask: (more: Variables) => Promise<never>;
  /** Runs the document again with the credentials read again. */
  readonly askAgain: () => Promise<never>;
}

type Answerer = (answering: Answering) => FastifyReply | Promise<FastifyReply>;

/**
 * The first run of the document gives size and digest, which decide which bytes are sent. The second run receives this
 * decision. During the transfer, access is checked again before each piece.
 */
function fileAnswerer(answer: FileRouteAnswer, fileBytes: FileBytes, downloads: Quota): Answerer {
  return async ({ request, reply, context, data, ask, askAgain }) => {
    const file = answer.file(data);
    const range = rangeOf(request, file);
    if (range !== 'unsatisfiable' && request.method !== 'HEAD') {
      countDownload(downloads, context, reply);
      await ask(range === 'whole' ? { firstByte: 0 } : { firstByte: range.start, endByte: range.end });
    }
    return sendFile(request, reply, file, range, (sent) =>
      whileGranted(fileBytes(context, file.id, sent), sent, askAgain),
    );
  };
}

/** Counts a download until its answer has ended. A client can read slowly, and each download holds a connection and a piece. */
function countDownload(downloads: Quota, { principal }: RequestContext, { raw }: FastifyReply): void {
  if (!principal) throw unauthenticated();
  // The client disconnected during the wait. Nothing is sent, and the end was already reported.
  if (raw.closed) return;
  const owner = principal.kind === 'user' ? principal.userId : principal.apiKeyId;
  if (!downloads.take(owner))
    throw tooManyRequests(
      `You have ${MAX_DOWNLOADS} downloads in progress. Try again when one of them has ended.`,
      5,
    );
  raw.once('close', () => downloads.give(owner));
}

function dataAnswerer(answer: ContentAnswer | RedirectAnswer): Answerer {
  if (answer.status !== 302) return contentAnswerer(answer);
  return ({ reply, data }) => reply.header('location', answer.locate(data)).send();
}

function contentAnswerer(answer: ContentAnswer): Answerer {
  const { contentType = 'application/json' } = answer;
  const write = contentType === 'text/plain' ? String : answerWriter(answer.schema);
  return ({ request, reply, data, variables }) => {
    const next = answer.nextCursor?.(data);
    if (next != null) void reply.header('link', `<${nextPage(request.url, next)}>; rel="next"`);
    const taken = answer.take(data, variables);
    // A root field is nullable in GraphQL only so that it does not null its siblings. Null without an error is a defect.
    if (taken === null) throw internalError(new Error('A root field returned null without an error.'));
    const written = write(taken);
    void reply.type(`${contentType}; charset=utf-8`);
    return written instanceof Promise ? written.then((bytes) => reply.send(bytes)) : reply.send(written);
  };
}

/** The same request with another cursor, relative to this host (RFC 8288). */
function nextPage(url: string, cursor: string): string {
  const next = new URL(url, 'http://localhost');
  next.searchParams.set('cursor', cursor);
  return `${next.pathname}${next.search}`;
}
