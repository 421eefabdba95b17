import { Type, type Static, type TSchema } from 'typebox';
import { Value } from 'typebox/value';

/** Something in the story is not as it must be. The message says what, for the person who watches. */
export class DemoFailed extends Error {
  override readonly name = 'DemoFailed';
}

export interface Call {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly body?: object;
  readonly headers?: Headers;
  /** Not told: one of many alike. */
  readonly quiet?: boolean;
}

type Headers = Readonly<Record<string, string>>;

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** The cookies it set, as a `Cookie` header would carry them. */
  readonly cookie: string;
}

const TIMEOUT = 60_000;
const POLL_MILLISECONDS = 250;

/** Calls a gateway as an integrator's backend does: public HTTP and nothing else. `onCall` hears of every answer. */
export class DemoGateway {
  constructor(
    private readonly baseUrl: string,
    private readonly onCall: (call: string, status: number) => void,
  ) {}

  /** Any answer at all; `DemoFailed` when there is none. */
  async call({ method, path, body, headers = {}, quiet = false }: Call): Promise<Answer> {
    let response: Response;
    try {
      response = await fetch(new URL(path, this.baseUrl), {
        method,
        headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
        signal: AbortSignal.timeout(TIMEOUT),
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

  /** An answer with this status and form; `DemoFailed` with the gateway's own message otherwise. */
  async expect<Schema extends TSchema>(
    call: Call,
    status: number,
    schema: Schema,
  ): Promise<{ readonly body: Static<Schema>; readonly cookie: string }> {
    const answer = await this.call(call);
    const { body, cookie } = answer;
    if (answer.status !== status) {
      const said = Value.Check(Refusal, body) ? `: ${body.message}` : '';
      throw new DemoFailed(`${call.method} ${call.path} answered ${answer.status}${said}`);
    }
    if (!Value.Check(schema, body)) {
      throw new DemoFailed(`${call.method} ${call.path} answered in an unexpected form.`);
    }
    return { body, cookie };
  }

  /** The data of one GraphQL operation; its first error is a `DemoFailed`. */
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

  /** Runs with the session cookie of the user, and signs out behind it. */
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

  /** Asks again and again until `done`; `DemoFailed` after a minute. */
  async poll<Schema extends TSchema>(
    call: Call,
    schema: Schema,
    done: (body: Static<Schema>) => boolean,
  ): Promise<Static<Schema>> {
    const deadline = Date.now() + TIMEOUT;
    for (let times = 1; ; times += 1) {
      const { body } = await this.expect({ ...call, quiet: true }, 200, schema);
      if (done(body)) {
        this.onCall(`${call.method} ${call.path}${times > 1 ? ` (${times} times)` : ''}`, 200);
        return body;
      }
      if (Date.now() > deadline) {
        throw new DemoFailed(`After a minute ${call.path} still says ${JSON.stringify(body)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MILLISECONDS));
    }
  }
}

const Refusal = Type.Object({ message: Type.String() });
const GraphqlRefusal = Type.Object({ errors: Type.Array(Type.Object({ message: Type.String() })) });
