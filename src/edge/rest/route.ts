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
   * `input`: the body is the variable `$input`. `variables`: each member is a variable, and each member of an
   * object in it too, as `$object_member`: so that a document can rename them.
   */
  readonly as: 'input' | 'variables';
  /** Whether there may be no body at all. */
  readonly optional?: true;
  /** The operation itself parses the body, because it also counts refused requests: the schema only describes it. */
  readonly isParsedByOperation?: true;
  readonly examples: Examples;
}

/** What a request gives to the route's document. */
export type Variables = Record<string, unknown>;

export type RouteAnswer = ContentAnswer | FileRouteAnswer | RedirectAnswer;

/** An answer that sends a browser on (RFC 9110 section 15.4.3). */
export interface RedirectAnswer {
  readonly status: 302;
  readonly description: string;
  /** Finds where to, in the data of the document: a path of this host or a whole URL. */
  locate(data: never): string;
}

export interface ContentAnswer {
  readonly status: 200 | 201 | 202;
  readonly description: string;
  /** A member that is neither required nor nullable is absent while it is unset. */
  readonly schema: TSchema;
  readonly examples: Examples;
  /** What an item of a page is, where `take` passes on the nodes of the document as they are: they may be text. */
  readonly items?: TSchema;
  /** An answer that is text, and sent as it is; JSON when absent. */
  readonly contentType?: 'text/plain';
  /** The cursor of the next page of a list, in the data of the document: it becomes a `Link` header. */
  nextCursor?(data: never): string | null;
  /** Finds the answer in the data of the document. */
  take(data: never, variables: Variables): unknown;
}

/** A file as the data of the document names it; its bytes come from elsewhere. */
export interface FileAnswer {
  readonly id: string;
  /** In ASCII. */
  readonly fileName: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  /** Hex. */
  readonly sha256: string;
  /** Base64: opens the digest of the file in the activity log. */
  readonly salt: string;
}

/**
 * An answer that is a file, or a range of it. The document is run without `$firstByte` to look at the file, again with
 * the first byte that is sent, and without it before each further piece.
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
 * One REST route: a GraphQL document of `schema/rest/` and how HTTP speaks to it. Path, query and body members become
 * the variables of the same name; renaming is done in the document, by aliases and arguments.
 */
export interface Route {
  readonly method: Method;
  /** In OpenAPI's form, such as `/v1/assets/{id}`. */
  readonly path: string;
  /** The file name of the document without its ending; in camelCase the operation id. */
  readonly document: string;
  readonly credentials: Credentials;
  /** Whether the operation itself decides about callers who have no credentials: signing in. */
  readonly anonymous?: true;
  /**
   * Permissions any one of which the operation requires. The operation decides; this only lets a malformed request be
   * refused with 403 before it is with 400.
   */
  readonly needs?: readonly Need[];
  /** The same for an operation that requires a second permission. */
  readonly alsoNeeds?: readonly Need[];
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: RouteBody;
  /** Whether an `Idempotency-Key` header becomes `idempotencyKey` of the variable `$input`. */
  readonly idempotent?: true;
  /** What a caller of this route knows the operation's arguments by, where an error message names them. */
  readonly argumentNames?: Readonly<Record<string, string>>;
  /** Error bodies of this surface have a `reason`: the error's own, the invalid member's, or the status's. */
  readonly reasons?: Readonly<Record<number, ErrorReason>>;
  /** The reason of an invalid member that the operation did not see, because its value does not fit the document. */
  readonly memberReasons?: Readonly<Record<string, ErrorReason>>;
  /** Where a browser that prefers a page is sent with what refused it, as `?problem=`: a path of the portal. */
  readonly problemPage?: string;
  readonly answer: RouteAnswer;
  /** The errors of the operation itself and what each means here; those of HTTP and of sign-in are added to all. */
  readonly errors: Readonly<Partial<Record<ErrorCode, string>>>;
}

/** `get-asset` → `getAsset`. */
export function operationIdOf(route: Pick<Route, 'document'>): string {
  return route.document.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** `/v1/assets/{id}` → `/v1/assets/:id`. */
export function routerPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}
