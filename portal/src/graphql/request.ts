import type { TadaDocumentNode } from 'gql.tada';
import { texts } from '../texts';
import { textOf, type Granted } from './document';
import { errorText } from './error-texts';
import { GatewayError } from './gateway-error';
import { answeredAt } from './gateway-time.ts';

const words = texts(
  {
    status: (status: number) => `The gateway answered with status ${status}.`,
    noAnswer: 'The gateway does not answer.',
  },
  {
    fr: {
      status: (status: number) => `La passerelle a répondu par le statut ${status}.`,
      noAnswer: 'La passerelle ne répond pas.',
    },
  },
);

/** Called with what every response says about the session and the connection. */
export const gateway = new EventTarget();
export type GatewayEvent =
  'signed-out' | 'factor-required' | 'refused' | 'offline' | 'online' | 'answered' | 'back';
const tell = (event: GatewayEvent) => gateway.dispatchEvent(new Event(event));

interface WireError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions?: {
    readonly code?: string;
    readonly reason?: string;
    readonly members?: readonly { readonly member: string; readonly message: string }[];
    readonly retryAfterSeconds?: number;
  };
}

export interface Answer<Result> {
  readonly data: Granted<Result>;
  /** Refusals of nested members: these are null in `data`. */
  readonly refused: readonly GatewayError[];
}

/** Runs an operation over HTTP with the session's cookie, which no script can read. Nested refusals come with the data. */
export async function ask<Result, Variables>(
  document: TadaDocumentNode<Result, Variables>,
  variables: NoInfer<Variables>,
  signal?: AbortSignal,
): Promise<Answer<Result>> {
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/graphql-response+json, application/json',
    },
    body: JSON.stringify({ query: textOf(document), variables }),
    credentials: 'same-origin',
    cache: 'no-store',
    redirect: 'error',
    signal: signal ?? null,
  }).catch((thrown: unknown) => {
    if (signal?.aborted) throw thrown;
    tell('offline');
    throw new GatewayError('OFFLINE', words.noAnswer);
  });
  // The status of a proxy in front of an unavailable gateway.
  if (response.status === 502 || response.status === 504) tell('offline');
  else tell('online');
  answeredAt(response);
  const requestId = response.headers.get('x-request-id') ?? undefined;
  const body = (await response.json().catch(() => ({}))) as {
    readonly data?: Granted<Result> | null;
    readonly errors?: readonly WireError[];
  };
  const errors = (body.errors ?? []).map(({ message: sentence, path, extensions = {} }) => {
    const { code = 'INTERNAL_SERVER_ERROR', reason, members, retryAfterSeconds } = extensions;
    const { message, detail } = errorText(code, reason, sentence);
    return new GatewayError(code, message, { detail, reason, members, path, requestId, retryAfterSeconds });
  });
  if (errors.some(({ code }) => code === 'UNAUTHENTICATED')) tell('signed-out');
  else if (errors.some(({ reason }) => reason === 'second_factor_required')) tell('factor-required');
  else if (errors.some(({ code }) => code === 'FORBIDDEN')) tell('refused');
  else tell('answered');
  const whole = errors.find(({ path }) => path.length < 2);
  if (whole) throw whole;
  if (!body.data) throw errors[0] ?? errorOfStatus(response, requestId);
  return { data: body.data, refused: errors };
}

/** An answer without a word of GraphQL: from a proxy, or from a gateway that is just starting or stopping. */
function errorOfStatus({ status, headers }: Response, requestId: string | undefined): GatewayError {
  const seconds = Number(headers.get('retry-after'));
  const retryAfterSeconds = Number.isFinite(seconds) && seconds > 0 ? seconds : undefined;
  const code =
    status === 429
      ? 'TOO_MANY_REQUESTS'
      : status === 502 || status === 503 || status === 504
        ? 'UNAVAILABLE'
        : 'INTERNAL_SERVER_ERROR';
  return new GatewayError(code, words.status(status), { requestId, retryAfterSeconds });
}

/** Like `ask`, of which nothing may be refused. */
export async function request<Result, Variables>(
  document: TadaDocumentNode<Result, Variables>,
  variables: NoInfer<Variables>,
  signal?: AbortSignal,
): Promise<Granted<Result>> {
  const { data, refused } = await ask(document, variables, signal);
  if (refused[0]) throw refused[0];
  return data;
}
