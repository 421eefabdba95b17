import { ConfigurationError } from '../../kernel/configuration-error.js';
import { unavailable } from '../../kernel/errors.js';
import { retried } from '../retried.js';

export interface GcpConfiguration {
  /** What is given to Google's client beside its defaults. */
  readonly client?: object;
  readonly timeoutMs?: number;
  /** Whether its SDK is told to log requests and answers, which hold data keys in plain bytes. */
  readonly isLogged?: boolean;
}

type Operation = 'getCryptoKey' | 'encrypt' | 'decrypt' | 'getPublicKey' | 'asymmetricSign';
type Members = Readonly<Record<string, unknown>>;

/** The key cannot be used for what was asked: it is not there, not enabled, or the request does not suit it. */
export class GcpRefusal extends Error {
  override readonly name = 'GcpRefusal';
  readonly kind: 'missing' | 'disabled' | 'argument';

  constructor(kind: GcpRefusal['kind']) {
    super(`Cloud KMS refuses the request: ${kind}.`);
    this.kind = kind;
  }
}

export interface GcpKmsClient {
  /**
   * Asks for an operation with a key. What Google answers to a failure is never quoted.
   *
   * @throws {GcpRefusal} and `UNAVAILABLE` where KMS is away or throttles, `ConfigurationError` where it refuses the credentials.
   */
  send(operation: Operation, name: string, members?: Members): Promise<Members>;
}

/** What is used of `@google-cloud/kms`. */
type Client = Readonly<Record<Operation, (request: object, options: object) => Promise<[Members]>>> & {
  /** Finds credentials. It sends nothing to KMS. */
  initialize(): Promise<unknown>;
};
interface Sdk {
  readonly KeyManagementServiceClient: new (options: object) => Client;
}

// Not a literal: the package is optional, and the compiler must not need it.
const PACKAGE: string = '@google-cloud/kms';
const TIMEOUT_MS = 5_000;

export function createGcpKmsClient(configuration: GcpConfiguration = {}): GcpKmsClient {
  const { timeoutMs = TIMEOUT_MS, client: knownClient, isLogged = false } = configuration;
  let client: Client | undefined;
  // Attempts are counted here: the SDK would try for ten minutes.
  const backoffSettings = {
    ...{ initialRetryDelayMillis: 100, retryDelayMultiplier: 1, maxRetryDelayMillis: 100 },
    ...{ initialRpcTimeoutMillis: timeoutMs, rpcTimeoutMultiplier: 1, maxRpcTimeoutMillis: timeoutMs },
    totalTimeoutMillis: timeoutMs,
  };
  const options = { timeout: timeoutMs, retry: { retryCodes: [], backoffSettings } };
  const connect = async ({ KeyManagementServiceClient }: Sdk): Promise<Client> => {
    // REST and not gRPC: it is what the tests speak.
    const made = new KeyManagementServiceClient({ fallback: true, ...knownClient });
    // Before any call, which would do it where nothing catches its failure. A client that failed would fail forever.
    await made.initialize();
    return made;
  };
  return {
    async send(operation, name, members = {}) {
      if (isLogged)
        throw new ConfigurationError(
          `GOOGLE_SDK_NODE_LOGGING makes Google’s SDK print data keys. Unset it to use the key ${name}.`,
        );
      const sdk = await loadSdk();
      return retried({ store: 'Cloud KMS', timeoutMs }, async () => {
        try {
          client ??= await connect(sdk);
          const [answer] = await client[operation]({ name, ...members }, options);
          return answer;
        } catch (thrown) {
          throw explain(thrown, name);
        }
      });
    },
  };
}

async function loadSdk(): Promise<Sdk> {
  try {
    return (await import(PACKAGE)) as Sdk;
  } catch (thrown) {
    throw new ConfigurationError(
      `Keys of Cloud KMS need the optional package ${PACKAGE}, which is not installed. docs/operate.md says how.`,
      { cause: thrown },
    );
  }
}

/** Codes of gRPC. */
const INVALID_ARGUMENT = 3;
const NOT_FOUND = 5;
const PERMISSION_DENIED = 7;
const FAILED_PRECONDITION = 9;
const UNAUTHENTICATED = 16;

/** As the SDK's library of credentials says that it finds none, or none that it can read. */
const CREDENTIALS =
  /^(Could not load the default credentials|Unable to read the credential file|The file at )/;

function explain(thrown: unknown, name: string): Error {
  const { code, message } = thrown as { readonly code?: unknown; readonly message?: unknown };
  const hasNone = typeof message === 'string' && CREDENTIALS.test(message);
  switch (hasNone ? UNAUTHENTICATED : code) {
    case INVALID_ARGUMENT:
      return new GcpRefusal('argument');
    case NOT_FOUND:
      return new GcpRefusal('missing');
    case FAILED_PRECONDITION:
      return new GcpRefusal('disabled');
    case PERMISSION_DENIED:
    case UNAUTHENTICATED:
      return new ConfigurationError(
        `Cloud KMS refuses the credentials, or there are none. Grant the roles of the key ${name} that docs/operate.md names, ` +
          'or set GOOGLE_APPLICATION_CREDENTIALS.',
      );
    default: {
      const how = typeof code === 'number' ? `code ${code}` : 'it cannot be reached';
      return unavailable(`Cloud KMS does not answer: ${how}.`, { retryAfterSeconds: 5 });
    }
  }
}
