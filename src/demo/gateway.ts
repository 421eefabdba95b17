import { Type, type Static, type TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { waitUntil } from '../platform/jobs/index.js';

/** A check of the demo failed. The message says which one. */
export class DemoFailed extends Error {
  override readonly name = 'DemoFailed';
}

export interface Call {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly body?: object;
  readonly headers?: Headers;
  /** Does not report the call. */
  readonly quiet?: boolean;
}

type Headers = Readonly<Record<string, string>>;

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** The cookies that were set, as a `Cookie` header. */
  readonly cookie: string;
}

const TIMEOUT_MS = 60_000;
const POLL_PAUSE_MS = 250;
const MAX_POLL_PAUSES = 240;

/** Calls a gateway over public HTTP, as a backend does. `onCall` is called with the status of every answer. */
export class DemoGateway {
  constructor(
    private readonly baseUrl: string,
    private readonly onCall: (call: string, status: number) => void,
  ) {}

  /** Returns any answer. Throws `DemoFailed` if the gateway does not answer. */
  async call({ method, path, body, headers = {}, quiet = false }: Call): Promise<Answer> {
    let response: Response;
    try {
      response = await fetch(new URL(path, this.baseUrl), {
        method,
        headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
        signal: AbortSignal.timeout(TIMEOUT_MS),
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
    } catch (cause) {
      throw new DemoFailed(`No gateway answers at ${this.baseUrl}. Start it first: npm start`, { cause });
    }
    const answer: Answer = {
      status: response.status,
      body: await response.json().catch(() => undefined),
      cookie: response.headers
        .getSetCookie()
        .map((cookie) => cookie.split(';', 1)[0])
        .join('; '),
    };
    if (!quiet) this.onCall(`${method} ${path}`, answer.status);
    return answer;
  }

  /** Returns an answer with this status and shape. Otherwise throws `DemoFailed` with the gateway's message. */
  async expect<Schema extends TSchema>(
    call: Call,
    status: number,
    schema: Schema,
  ): Promise<{ readonly body: Static<Schema>; readonly cookie: string }> {
    const answer = await this.call(call);
    const { body, cookie } = answer;
    if (answer.status !== status) {
      const message = Value.Check(Refusal, body) ? `: ${body.message}` : '';
      throw new DemoFailed(`${call.method} ${call.path} answered ${answer.status}${message}`);
    }
    if (!Value.Check(schema, body)) {
      throw new DemoFailed(`${call.method} ${call.path} returned an unexpected shape.`);
    }
    return { body, cookie };
  }

  /** Returns the data of one GraphQL operation. Throws its first error as `DemoFailed`. */
  async graphql(query: string, variables: object, headers: Headers): Promise<unknown> {
    const { status, body } = await this.call({
      method: 'POST',
      path: '/graphql',
      body: { query, variables },
      headers,
    });
    if (Value.Check(GraphqlRefusal, body)) {
      throw new DemoFailed(`GraphQL refused: ${body.errors[0]?.message ?? 'without a message'}`);
    }
    if (status !== 200) throw new DemoFailed(`POST /graphql answered ${status}`);
    return (body as { readonly data?: unknown }).data;
  }

  /** Runs `work` with a session cookie of the user, then signs out. */
  async signedIn<Result>(
    user: { readonly email: string; readonly password: string },
    work: (headers: Headers) => Promise<Result>,
  ): Promise<Result> {
    const body = { email: user.email, password: user.password };
    const signIn = { method: 'POST', path: '/auth/sign-in', body };
    const headers = { cookie: (await this.expect(signIn, 200, Type.Object({}))).cookie };
    const result = await work(headers);
    await this.expect({ method: 'POST', path: '/auth/sign-out', headers }, 200, Type.Object({}));
    return result;
  }

  /** Repeats a call until `done`. Throws `DemoFailed` after a minute of pauses. */
  async poll<Schema extends TSchema>(
    call: Call,
    schema: Schema,
    done: (body: Static<Schema>) => boolean,
  ): Promise<Static<Schema>> {
    let times = 0;
    let body!: Static<Schema>;
    const isDone = async () => {
      times += 1;
      ({ body } = await this.expect({ ...call, quiet: true }, 200, schema));
      return done(body);
    };
    if (!(await waitUntil(isDone, { pauseMs: POLL_PAUSE_MS, maxPauses: MAX_POLL_PAUSES })))
      throw new DemoFailed(`After ${times} calls ${call.path} still returns ${JSON.stringify(body)}`);
    this.onCall(`${call.method} ${call.path}${times > 1 ? ` (${times} times)` : ''}`, 200);
    return body;
  }
}

const Refusal = Type.Object({ message: Type.String() });
const GraphqlRefusal = Type.Object({ errors: Type.Array(Type.Object({ message: Type.String() })) });
