import { pino, type Bindings, type ChildLoggerOptions, type DestinationStream, type Logger } from 'pino';
import { messageOf } from '../kernel/errors.js';

export interface LoggerOptions {
  readonly level: string;
  readonly instanceId: string;
}

// Second line of defense: nothing should log these, and if something does they do not come out.
const SECRET_MEMBER =
  /(authorization|cookies?|password([-_]?hash)?|totp|tokens?|secrets?|(api|master|private|secret)[-_]?key|amounts?|fees?|plaintext|proof[-_]?bytes|body)$/i;
const CENSORED = '[redacted]';

// Fastify logs these as instances, and its own serializers make a few public members of them.
const SERIALIZED_BY_FASTIFY = new Set(['req', 'res']);

const MAX_DEPTH = 8;

/** Logs JSON lines to `destination`. Members that could contain a secret are removed at any depth. */
export function createLogger({ level, instanceId }: LoggerOptions, destination: DestinationStream): Logger {
  const options = {
    level,
    base: { instance: instanceId },
    timestamp: clockText(),
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (members: object) => censorMembers(members),
    },
    // Errors are serialized below: pino's own serializer would include all of their members.
    serializers: { err: (described: unknown) => described },
  };
  const logger = pino(options, destination);
  // pino's formatters see logged members, but not those bound to a child logger.
  const child: (bindings: Bindings, options?: ChildLoggerOptions) => Logger = Reflect.get(logger, 'child');
  return Object.assign(logger, {
    child(this: Logger, bindings: Bindings, options?: ChildLoggerOptions) {
      return child.call(this, censorMembers(bindings), options);
    },
  });
}

/** The time as a member of a line. Many lines are of the same millisecond. */
function clockText(): () => string {
  let last = { ms: 0, text: '' };
  return () => {
    const ms = Date.now();
    if (ms !== last.ms) last = { ms, text: `,"time":"${new Date(ms).toISOString()}"` };
    return last.text;
  };
}

const MAX_KNOWN_NAMES = 1_000;
const knownNames = new Map<string, boolean>();

function isSecret(name: string): boolean {
  const known = knownNames.get(name);
  if (known !== undefined) return known;
  const found = SECRET_MEMBER.test(name);
  // Logged values can be foreign objects, with any member names.
  if (knownNames.size < MAX_KNOWN_NAMES) knownNames.set(name, found);
  return found;
}

function censorMembers(members: object, depth = 0): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]: [string, unknown]) => [
      name,
      isSecret(name)
        ? CENSORED
        : depth === 0 && SERIALIZED_BY_FASTIFY.has(name)
          ? value
          : censor(value, depth + 1),
    ]),
  );
}

function censor(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (value instanceof Error) return describeError(value);
  // Bytes are keys, ciphertexts and proofs: they are useless to a reader of the log.
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth > MAX_DEPTH) return '[too deep]';
  return Array.isArray(value)
    ? value.map((item: unknown) => censor(item, depth + 1))
    : censorMembers(value, depth);
}

// A driver's error carries the statement's parameters and the failing row: only the cause is kept.
function describeError(thrown: Error): Record<string, unknown> {
  const { code } = thrown as { code?: unknown };
  return {
    type: thrown.name,
    message: messageOf(thrown),
    stack: thrown.stack
      ?.split('\n')
      .filter((line) => /^\s+at /.test(line))
      .slice(0, 10)
      .join('\n'),
    ...(typeof code === 'string' ? { code } : {}),
    ...(thrown.cause instanceof Error
      ? { cause: { type: thrown.cause.name, message: messageOf(thrown.cause) } }
      : {}),
  };
}
