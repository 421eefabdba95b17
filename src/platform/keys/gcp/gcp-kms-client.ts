import { ConfigurationError, loadOptional } from '../../kernel/configuration-error.js';
import { unavailable } from '../../kernel/errors.js';
import { retried } from '../retried.js';

export interface GcpConfiguration {
  /** Options for Google's client in addition to its defaults. */
  readonly client?: object;
  readonly timeoutMs?: number;
  /** Whether its SDK is configured to log requests and answers, which contain unencrypted data keys. */
  readonly isLogged?: boolean;
}

type Operation = 'getCryptoKey' | 'encrypt' | 'decrypt' | 'getPublicKey' | 'asymmetricSign';
type Members = Readonly<Record<string, unknown>>;

/** The key cannot be used for the operation: it does not exist, is not enabled, or does not fit the request. */
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
   * Requests an operation with a key. Error texts of Google are never quoted.
   *
   * @throws {GcpRefusal} and `UNAVAILABLE` if KMS is unavailable or throttles, `ConfigurationError` if it refuses the
   *   credentials.
   */
  send(operation: Operation, name: string, members?: Members): Promise<Members>;
}

/** The parts of `@google-cloud/kms` that are used. */
type Client = Readonly<Record<Operation, (request: object, options: object) => Promise<[Members]>>> & {
  /** Finds credentials. It sends nothing to KMS. */
  initialize(): Promise<unknown>;
};
interface Sdk {
  readonly KeyManagementServiceClient: new (options: object) => Client;
}

const PACKAGE = '@google-cloud/kms';
const TIMEOUT_MS = 5_000;

export function createGcpKmsClient(configuration: GcpConfiguration = {}): GcpKmsClient {
  const { timeoutMs = TIMEOUT_MS, client: knownClient, isLogged = false } = configuration;
  let client: Client | undefined;
  // Retries are made here: the SDK would retry for ten minutes.
  const backoffSettings = {
    ...{ initialRetryDelayMillis: 100, retryDelayMultiplier: 1, maxRetryDelayMillis: 100 },
    ...{ initialRpcTimeoutMillis: timeoutMs, rpcTimeoutMultiplier: 1, maxRpcTimeoutMillis: timeoutMs },
    totalTimeoutMillis: timeoutMs,
  };
  const options = { timeout: timeoutMs, retry: { retryCodes: [], backoffSettings } };
  const connect = async ({ KeyManagementServiceClient }: Sdk): Promise<Client> => {
    // REST instead of gRPC, because the tests use REST.
    const made = new KeyManagementServiceClient({ fallback: true, ...knownClient });
    // Initialized before any call, which would otherwise initialize it where its failure is not caught. A client that failed
    // would fail forever.
    await made.initialize();
    return made;
  };
  return {
    async send(operation, name, members = {}) {
      if (isLogged)
        throw new ConfigurationError(
          `GOOGLE_SDK_NODE_LOGGING makes Google’s SDK print data keys. Unset it to use the key ${name}.`,
        );
      const sdk = await loadOptional<Sdk>(PACKAGE, 'Keys of Cloud KMS need');
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

/** Status codes of gRPC. */
const INVALID_ARGUMENT = 3;
const NOT_FOUND = 5;
const PERMISSION_DENIED = 7;
const FAILED_PRECONDITION = 9;
const UNAUTHENTICATED = 16;

/** How the SDK's credentials library reports that there are no credentials, or that it cannot read them. */
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
