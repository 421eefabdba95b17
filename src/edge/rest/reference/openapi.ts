import { packageVersion } from '../../../platform/kernel/package.js';
import type { TSchema } from 'typebox';
import type { ErrorCode } from '../../../platform/kernel/errors.js';
import { ERROR_STATUS, INTERNAL_MESSAGE } from '../../graphql/index.js';
import { errorBody } from '../error-table.js';
import { operationsRoutes, type OperationsRoute } from './operations-reference.js';
import {
  operationIdOf,
  type ContentAnswer,
  type Examples,
  type FileRouteAnswer,
  type Route,
} from '../route.js';
import { routes } from '../routes.js';
import { ErrorSchema, ErrorWithReasonSchema } from '../schemas/error.js';

type Json = Record<string, unknown>;

const TAGS = {
  Assets: 'Register confidential assets, bind their mints and follow the indexing.',
  Transactions: 'The indexed records of an asset: public data and ciphertexts.',
  Disclosures: 'Disclosures of confidential fields of chosen records, with a proof of each value.',
  Session: 'The session of a portal user.',
  Cases: 'Requests for cases, decisions about them, and the resulting access for a limited time.',
  Reports: 'Generate, list and download reports on cases and activity logs.',
  'Activity log': 'Completed actions, with proofs that no entry was changed or removed.',
  'Address checks': 'Check whether an application approves an address. Needs no credentials.',
  Relays:
    'Submit prepared packages for shielded pools, and read the status of their execution on the ledger. ' +
    'Needs no credentials.',
  Operations: 'Health, metrics and this document.',
};

/** The OpenAPI 3.1 document of every REST route, printed from the route table. */
export function openApiDocument(): Json {
  const components = new Map<string, unknown>();
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = (paths[route.path] ??= {});
    path[route.method.toLowerCase()] = operation(route, components);
  }
  for (const route of operationsRoutes) paths[route.path] = { get: operationsOperation(route, components) };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Lucarne',
      version: packageVersion,
      summary: 'A gateway for confidential assets on Solana.',
      description:
        'The REST routes of Lucarne. Each route runs a GraphQL operation of the same gateway, which serves GraphQL at `/graphql`.\n\n' +
        'Timestamps are ISO 8601 in UTC with milliseconds. Amounts are decimal strings of base units. Unknown members ' +
        'and query parameters are refused. Every refusal has the same shape.',
      contact: { name: 'Lucarne', url: 'https://github.com/lucarne/lucarne' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This gateway.' }],
    security: [],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key of the organization (`lck_…`). Do not send it in a URL.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'lucarne',
          description:
            'The session cookie that sign-in sets. Its name is `__Host-lucarne` if the public URL is https. A ' +
            'browser’s request that changes something must have the `Origin` of the portal’s own pages.',
        },
      },
      schemas: Object.fromEntries([...components].sort(([one], [other]) => (one < other ? -1 : 1))),
    },
  };
}

/** The text of `schema/openapi.json`. The same table always gives the same text. */
export function printOpenApi(): string {
  return `${JSON.stringify(openApiDocument(), null, 2)}\n`;
}

function operation(route: Route, components: Map<string, unknown>): Json {
  const parameters = [
    ...parametersOf(route, 'path', components),
    ...parametersOf(route, 'query', components),
    ...(route.idempotent ? [IDEMPOTENCY_KEY] : []),
  ];
  return {
    operationId: operationIdOf(route),
    tags: [route.tag],
    summary: route.summary,
    description: route.description,
    security: securityOf(route),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body
      ? {
          requestBody: {
            required: route.body.optional !== true,
            content: jsonContent(route.body.schema, route.body.examples, components),
          },
        }
      : {}),
    responses: {
      [route.answer.status]: success(route.answer, components),
      ...('file' in route.answer ? partsOf(route.answer, components) : {}),
      ...refusals(route, components),
    },
  };
}

const text = (description: string) => ({ description, schema: { type: 'string' } });

const FILE_HEADERS = {
  'Accept-Ranges': text('`bytes`.'),
  'Content-Disposition': text('`attachment`, with the name of the file.'),
  Digest: text('`sha-256=` and the digest of the whole file in base64 (RFC 3230).'),
  ETag: text('The entity tag of the file, which never changes.'),
};

// RFC 9110, section 14: one range. Several ranges are ignored.
function partsOf(answer: FileRouteAnswer, components: Map<string, unknown>): Json {
  return {
    206: {
      description: 'The range that the header `Range` requested.',
      headers: { ...FILE_HEADERS, 'Content-Range': text('Which bytes of the file these are.') },
      content: fileContent(answer, components),
    },
    416: refusal(416, 'The file does not have this range. `Content-Range` gives its size.', components),
  };
}

function success(answer: Route['answer'], components: Map<string, unknown>): Json {
  const { description } = answer;
  if (answer.status === 302) return { description, headers: LOCATION };
  return {
    description,
    ...headersOfAnswer(answer),
    content: content(answer, components),
  };
}

function headersOfAnswer(answer: ContentAnswer | FileRouteAnswer): Json {
  if ('file' in answer) return { headers: FILE_HEADERS };
  return answer.nextCursor ? { headers: NEXT_PAGE } : {};
}

const LOCATION = { Location: { description: 'Where to continue.', schema: { type: 'string' } } };

const NEXT_PAGE = {
  Link: {
    description: 'The next page, `rel="next"`; absent on the last one (RFC 8288).',
    schema: { type: 'string' },
  },
};

function securityOf(route: Route): Json[] {
  if (route.credentials === 'none') return [];
  if (route.anonymous && (route.body || route.answer.status === 302)) return [];
  return [route.credentials === 'api_key' ? { apiKey: [] } : { session: [] }];
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A key that you choose for this request. For 24 hours, a repeated request with the same key and body ' +
    'returns the first answer; with the same key and another body it is refused with 409.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  example: '6f1c2a54-9a0b-4a51-8e46-7d6b4f7a2c10',
};

function parametersOf(route: Route, place: 'path' | 'query', components: Map<string, unknown>): Json[] {
  const schema = place === 'path' ? route.params : route.query;
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => {
    const { description, ...rest } = printSchema(property, components);
    return {
      name,
      in: place,
      required: place === 'path',
      description,
      schema: rest,
    };
  });
}

const MISSING_CREDENTIALS: Record<Route['credentials'], string> = {
  api_key: 'The API key is missing or wrong.',
  session: 'The session is missing or has expired.',
  any: 'The API key or session is missing or wrong.',
  none: 'Credentials are missing.',
};

// The errors that any route of the kind can return in addition to the errors of its operation.
function refusals(route: Route, components: Map<string, unknown>): Json {
  const meanings: Partial<Record<ErrorCode, string>> = {
    ...(route.method === 'GET' ? {} : { BAD_USER_INPUT: 'The body is malformed.' }),
    ...(route.anonymous ? {} : { UNAUTHENTICATED: MISSING_CREDENTIALS[route.credentials] }),
    ...(route.credentials === 'api_key'
      ? {
          FORBIDDEN: 'The API key lacks the scope.',
          TOO_MANY_REQUESTS:
            'Too many requests with wrong API keys from this client address within a minute.',
        }
      : {}),
    ...(route.credentials === 'session' && route.method !== 'GET'
      ? { FORBIDDEN: 'The request comes from a page of another site.' }
      : {}),
    ...route.errors,
    INTERNAL_SERVER_ERROR: 'An internal error. The gateway’s log has the cause under the request id.',
    UNAVAILABLE:
      route.errors.UNAVAILABLE ??
      'A service that the gateway needs cannot be reached. Try again after `Retry-After`.',
  };
  const ofOperation = Object.entries(meanings).map(([code, description]) => {
    const status = ERROR_STATUS[code as ErrorCode];
    return [status, refusal(status, description, components, route)] as const;
  });
  const ofHttp = [
    [
      405,
      refusal(
        405,
        'The path does not accept this method. `Allow` lists the methods that it accepts.',
        components,
      ),
    ] as const,
    ...(route.method === 'GET'
      ? []
      : [
          [413, refusal(413, 'The body is larger than 64 KiB.', components, route)] as const,
          [415, refusal(415, 'The body is not `application/json`.', components, route)] as const,
        ]),
  ];
  return Object.fromEntries([...ofOperation, ...ofHttp]);
}

function refusal(status: number, description: string, components: Map<string, unknown>, route?: Route): Json {
  const headers = headersOf(status, route);
  const message = status === 500 ? INTERNAL_MESSAGE : description.replaceAll('`', '');
  return {
    description,
    ...(headers ? { headers } : {}),
    content: jsonContent(
      route?.reasons ? ErrorWithReasonSchema : ErrorSchema,
      {
        refusal: {
          summary: description.replaceAll('`', ''),
          value: errorBody(status, message, route?.reasons?.[status]),
        },
      },
      components,
    ),
  };
}

function headersOf(status: number, route: Route | undefined): Json | undefined {
  const header = (description: string, schema: Json) => ({ description, schema });
  switch (status) {
    case 401:
      return route?.credentials === 'api_key'
        ? { 'WWW-Authenticate': header('`Bearer`.', { type: 'string' }) }
        : undefined;
    case 416:
      return { 'Content-Range': header('`bytes */` and the size of the file.', { type: 'string' }) };
    case 405:
      return { Allow: header('The methods that the path accepts.', { type: 'string' }) };
    case 429:
    case 503:
      return { 'Retry-After': header('Whole seconds to wait.', { type: 'integer', minimum: 0 }) };
    default:
      return undefined;
  }
}

function operationsOperation(route: OperationsRoute, components: Map<string, unknown>): Json {
  const answers = route.answers.map(({ status, description, contentType, example }) => [
    status,
    {
      description,
      content: {
        [contentType]: {
          schema:
            typeof example === 'string' ? { type: 'string' } : { type: 'object', additionalProperties: true },
          example,
        },
      },
    },
  ]);
  return {
    operationId: route.operationId,
    tags: ['Operations'],
    summary: route.summary,
    description: route.description,
    security: [],
    responses: {
      ...(Object.fromEntries(answers) as Json),
      405: refusal(
        405,
        'The path does not accept this method. `Allow` lists the methods that it accepts.',
        components,
      ),
    },
  };
}

function jsonContent(schema: TSchema, examples: Examples, components: Map<string, unknown>): Json {
  return { 'application/json': { schema: printSchema(schema, components), examples } };
}

function content(answer: ContentAnswer | FileRouteAnswer, components: Map<string, unknown>): Json {
  if (!('file' in answer)) {
    const { contentType = 'application/json', schema, examples } = answer;
    return { [contentType]: { schema: printSchema(schema, components), examples } };
  }
  const [first] = answer.contentTypes;
  const { [first]: shown, ...others } = fileContent(answer, components);
  return { [first]: { ...(shown as Json), examples: answer.examples }, ...others };
}

function fileContent({ contentTypes, schema }: FileRouteAnswer, components: Map<string, unknown>): Json {
  return Object.fromEntries(contentTypes.map((type) => [type, { schema: printSchema(schema, components) }]));
}

/** A schema in the document. Schemas with a title are printed once, under components. */
function printSchema(schema: TSchema, components: Map<string, unknown>): Json {
  const { title } = schema as { title?: string };
  if (title === undefined) return printMembers(schema, components);
  if (!components.has(title)) {
    components.set(title, undefined);
    components.set(title, printMembers(schema, components));
  }
  return { $ref: `#/components/schemas/${title}` };
}

function printMembers(schema: TSchema, components: Map<string, unknown>): Json {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword]) => keyword !== 'title')
      .map(([keyword, value]) => [keyword, printKeyword(keyword, value, components)]),
  );
}

function printKeyword(keyword: string, value: unknown, components: Map<string, unknown>): unknown {
  switch (keyword) {
    case 'properties':
    case 'patternProperties':
      return Object.fromEntries(
        Object.entries(value as Record<string, TSchema>).map(([name, member]) => [
          name,
          printSchema(member, components),
        ]),
      );
    case 'items':
      return printSchema(value as TSchema, components);
    case 'anyOf':
      return (value as TSchema[]).map((form) => printSchema(form, components));
    default:
      return value;
  }
}
