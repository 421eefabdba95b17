import { ConfigurationError, loadOptional } from '../../kernel/configuration-error.js';
import { unavailable } from '../../kernel/errors.js';
import { isLoopback } from '../../kernel/hosts.js';
import { retried } from '../retried.js';
import { regionOf } from './aws-locator.js';

export interface AwsConfiguration {
  /** The URL of KMS. Default: as its SDK determines it. */
  readonly endpoint?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly timeoutMs?: number;
}

type Operation = 'DescribeKey' | 'Encrypt' | 'Decrypt' | 'GetPublicKey' | 'Sign';
type Members = Readonly<Record<string, unknown>>;

/** The key cannot be used for the operation: it does not exist, is disabled, or has another type, as `kind` states. */
export class AwsRefusal extends Error {
  override readonly name = 'AwsRefusal';
  readonly kind: 'missing' | 'disabled' | 'type' | 'ciphertext';

  constructor(kind: AwsRefusal['kind']) {
    super(`AWS KMS refuses the request: ${kind}.`);
    this.kind = kind;
  }
}

export interface AwsKmsClient {
  /**
   * Requests an operation with a key. Error texts of AWS are never quoted.
   *
   * @throws {AwsRefusal} and `UNAVAILABLE` if KMS is unavailable or throttles, `ConfigurationError` if it refuses the
   *   credentials.
   */
  send(operation: Operation, keyId: string, members?: Members): Promise<Members>;
}

/** The parts of `@aws-sdk/client-kms` that are used. */
type Sdk = {
  readonly KMSClient: new (options: object) => {
    send(command: object, options: { readonly abortSignal: AbortSignal }): Promise<Members>;
    readonly middlewareStack: { add(middleware: typeof refusePlaintext, options: object): void };
  };
} & { readonly [Name in `${Operation}Command`]: new (members: object) => object };

const PACKAGE = '@aws-sdk/client-kms';
const TIMEOUT_MS = 5_000;

export function createAwsKmsClient(configuration: AwsConfiguration = {}): AwsKmsClient {
  const { timeoutMs = TIMEOUT_MS, ...clientOptions } = configuration;
  const clients = new Map<string, InstanceType<Sdk['KMSClient']>>();
  const clientOf = ({ KMSClient }: Sdk, region: string | undefined) => {
    const known = clients.get(region ?? '');
    if (known) return known;
    const client = new KMSClient({
      ...clientOptions,
      ...(region !== undefined && { region }),
      // Retries and timeouts are the same for all stores.
      maxAttempts: 1,
    });
    // AWS variables and files can also set the endpoint, so only a request shows which one is used.
    client.middlewareStack.add(refusePlaintext, { step: 'build', name: 'lucarneRefusePlaintext' });
    clients.set(region ?? '', client);
    return client;
  };
  return {
    async send(operation, keyId, members = {}) {
      const sdk = await loadOptional<Sdk>(PACKAGE, 'Keys of AWS KMS need');
      return retried({ store: 'AWS KMS', timeoutMs }, async (abortSignal) => {
        try {
          const command = new sdk[`${operation}Command`]({ KeyId: keyId, ...members });
          return await clientOf(sdk, regionOf(keyId)).send(command, { abortSignal });
        } catch (thrown) {
          throw explain(thrown, operation, keyId);
        }
      });
    },
  };
}

type Middleware = (step: { readonly request: unknown }) => Promise<unknown>;

/** Data keys are sent unencrypted, so plain HTTP is allowed only to this machine. */
const refusePlaintext =
  (next: Middleware): Middleware =>
  (step) => {
    const { protocol, hostname } = step.request as { readonly protocol: string; readonly hostname: string };
    if (protocol === 'https:' || isLoopback(hostname)) return next(step);
    throw new ConfigurationError(
      'The endpoint of AWS KMS must begin with https://, unless it is on loopback. Correct AWS_ENDPOINT_URL_KMS, AWS_ENDPOINT_URL ' +
        'or endpoint_url of the configuration file of AWS.',
    );
  };

const KINDS: ReadonlyMap<string, AwsRefusal['kind']> = new Map([
  ['NotFoundException', 'missing'],
  ['DisabledException', 'disabled'],
  ['KMSInvalidStateException', 'disabled'],
  ['InvalidKeyUsageException', 'type'],
  ['UnsupportedOperationException', 'type'],
  ['IncorrectKeyException', 'ciphertext'],
  ['InvalidCiphertextException', 'ciphertext'],
]);

/** The names of errors about credentials, as AWS and the SDK use them. */
const CREDENTIALS =
  /^(AccessDenied|ExpiredToken|IncompleteSignature|InvalidClientTokenId|InvalidSignature|MissingAuthenticationToken|NotAuthorized|OptInRequired|UnrecognizedClient|CredentialsProvider|TokenProvider)/;

function explain(thrown: unknown, operation: Operation, keyId: string): Error {
  if (thrown instanceof ConfigurationError) return thrown;
  const { name, code, message } = thrown as { name?: unknown; code?: unknown; message?: unknown };
  const kind = KINDS.get(String(name));
  if (kind) return new AwsRefusal(kind);
  if (CREDENTIALS.test(String(name)))
    return new ConfigurationError(
      `AWS KMS refuses the credentials, or there are none. Allow kms:${operation} on ${keyId}, or set credentials as for every ` +
        'program of AWS.',
    );
  if (String(message).startsWith('Region '))
    return new ConfigurationError(
      `The region of ${keyId} is not known. Set AWS_REGION, or name the key by its ARN.`,
    );
  const how = String(code ?? name)
    .replaceAll(/\W/g, '')
    .slice(0, 60);
  return unavailable(`AWS KMS does not answer: ${how}.`, { retryAfterSeconds: 5 });
}
