import type { TObject, TSchema } from 'typebox';
import type { Credentials, Need } from '../graphql/index.js';
import type { ErrorCode, ErrorReason } from '../../platform/kernel/errors.js';

export type Method = 'GET' | 'POST' | 'PATCH';

export interface Example {
  readonly summary: string;
  readonly value: unknown;
}

export type Examples = Readonly<Record<string, Example>>;

/** The body of a request: a closed JSON object. */
export interface RouteBody {
  readonly schema: TObject;
  /**
   * With `input`, the body is the variable `$input`. With `variables`, each member is a variable, and each member of a nested
   * object is a variable `$object_member`, so that a document can rename them.
   */
  readonly as: 'input' | 'variables';
  /** Whether the body may be absent. */
  readonly optional?: true;
  /** The operation itself parses the body, because it also counts refused requests. The schema only describes it. */
  readonly isParsedByOperation?: true;
  readonly examples: Examples;
}

/** The variables that a request passes to the route's document. */
export type Variables = Record<string, unknown>;

export type RouteAnswer = ContentAnswer | FileRouteAnswer | RedirectAnswer;

/** An answer that redirects a browser (RFC 9110 section 15.4.3). */
export interface RedirectAnswer {
  readonly status: 302;
  readonly description: string;
  /** The target in the data of the document: a path of this host or a whole URL. */
  locate(data: never): string;
}

export interface ContentAnswer {
  readonly status: 200 | 201 | 202;
  readonly description: string;
  /** A member that is neither required nor nullable is omitted while it is unset. */
  readonly schema: TSchema;
  readonly examples: Examples;
  /** The schema of an item of a page, if `take` passes on the nodes of the document unchanged. They may be text. */
  readonly items?: TSchema;
  /** Text that is sent unchanged. The default is JSON. */
  readonly contentType?: 'text/plain';
  /** The cursor of the next page of a list, in the data of the document. It becomes a `Link` header. */
  nextCursor?(data: never): string | null;
  /** The answer in the data of the document. */
  take(data: never, variables: Variables): unknown;
}

/** A file as the data of the document describes it. Its bytes come from elsewhere. */
export interface FileAnswer {
  readonly id: string;
  /** In ASCII. */
  readonly fileName: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  /** Hex. */
  readonly sha256: string;
  /** Base64. The salt opens the digest of the file in the activity log. */
  readonly salt: string;
}

/**
 * An answer that is a file, or a range of it. The document runs without `$firstByte` to look up the file, then with the first
 * byte that is sent (and with the end of a range), and again without it before each further piece.
 */
export interface FileRouteAnswer extends Omit<
  ContentAnswer,
  'status' | 'items' | 'contentType' | 'nextCursor' | 'take'
> {
  readonly status: 200;
  readonly contentTypes: readonly [string, ...string[]];
  file(data: never): FileAnswer;
}

/**
 * One REST route: a GraphQL document of `schema/rest/` and its mapping to HTTP. Path, query and body members become variables
 * of the same name. The document renames members, by aliases and arguments.
 */
export interface Route {
  readonly method: Method;
  /** In OpenAPI's form, such as `/v1/assets/{id}`. */
  readonly path: string;
  /** The file name of the document without its extension. In camelCase it is the operation id. */
  readonly document: string;
  readonly credentials: Credentials;
  /** Whether the operation accepts callers without credentials and decides about them itself, as signing in does. */
  readonly anonymous?: true;
  /**
   * The operation requires one of these permissions. The operation itself decides. With this list, a malformed request of a
   * caller who lacks them is refused with 403 before 400.
   */
  readonly needs?: readonly Need[];
  /** A second set of permissions, for an operation that requires both. */
  readonly alsoNeeds?: readonly Need[];
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: RouteBody;
  /** Whether an `Idempotency-Key` header becomes `idempotencyKey` of the variable `$input`. */
  readonly idempotent?: true;
  /** The names by which the callers of this route know the operation's arguments, for error messages. */
  readonly argumentNames?: Readonly<Record<string, string>>;
  /** The `reason` in error bodies of this surface: the error's own, the invalid member's, or the one of the status. */
  readonly reasons?: Readonly<Record<number, ErrorReason>>;
  /** The reason for an invalid member that the operation did not read, because its value does not fit the document. */
  readonly memberReasons?: Readonly<Record<string, ErrorReason>>;
  /** The path of the portal that a browser is redirected to when the request is refused, with the cause as `?problem=`. */
  readonly problemPage?: string;
  readonly answer: RouteAnswer;
  /** The errors of the operation and their meaning here. The errors of HTTP and of sign-in are added to every route. */
  readonly errors: Readonly<Partial<Record<ErrorCode, string>>>;
}

/** The camelCase form: `get-asset` → `getAsset`. */
export function operationIdOf(route: Pick<Route, 'document'>): string {
  return route.document.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Fastify's form of a path: `/v1/assets/{id}` → `/v1/assets/:id`. */
export function routerPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}
