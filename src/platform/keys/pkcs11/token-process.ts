// The process of one token: node token-process.js MODULE PIN_FILE TOKEN. It answers the requests of tokens.ts over its channel.
import process from 'node:process';
import { ConfigurationError } from '../../kernel/configuration-error.js';
import { isLucarneError, messageOf } from '../../kernel/errors.js';
import { WrongMasterKey } from '../master-key.js';
import type { SigningKey } from '../signing-key.js';
import { RefusedPin } from './pin-file.js';
import { pkcs11MasterKey } from './pkcs11-master-key.js';
import { pkcs11SigningKey } from './pkcs11-signer.js';
import { createSessions, TokenAway } from './sessions.js';
import type { TokenReply, TokenRequest } from './token-messages.js';
import { unreachable } from '../../kernel/unreachable.js';

const [module = '', pinFile = '', token = ''] = process.argv.slice(2);
const sessions = createSessions({ module, pinFile });
const signingKeys = new Map<string, SigningKey>();

async function signingKey(object: string): Promise<SigningKey> {
  const key = signingKeys.get(object) ?? (await pkcs11SigningKey(sessions, { token, object }));
  signingKeys.set(object, key);
  return key;
}

async function perform({ operation, object, bytes, context }: TokenRequest): Promise<Uint8Array | undefined> {
  const masterKey = () => pkcs11MasterKey(sessions, { token, object });
  switch (operation) {
    case 'wrap':
      return masterKey().wrap(bytes!, context!);
    case 'unwrap':
      return masterKey().unwrap(bytes!, context!);
    case 'require':
      await masterKey().require();
      return undefined;
    case 'make':
      await masterKey().makeUnlessThere();
      return undefined;
    case 'examine':
      await masterKey().examine();
      return undefined;
    case 'publicKey':
      return (await signingKey(object)).publicKey;
    case 'sign':
      return (await signingKey(object)).sign(bytes!);
    default:
      return unreachable(operation);
  }
}

function failureOf(thrown: unknown): TokenReply {
  const message = messageOf(thrown);
  if (thrown instanceof TokenAway) return { failure: 'away', message };
  if (isLucarneError(thrown)) return { failure: 'refused', message };
  if (thrown instanceof RefusedPin) return { failure: 'pin', message, version: thrown.version };
  if (thrown instanceof ConfigurationError) return { failure: 'configuration', message };
  return { failure: thrown instanceof WrongMasterKey ? 'wrong' : 'other', message };
}

process.on('message', (request: TokenRequest) => {
  perform(request)
    .then((bytes): TokenReply => ({ bytes }), failureOf)
    .then((reply) => {
      process.send!(reply);
      // The reply that was sent is another copy.
      request.bytes?.fill(0);
      if (request.operation === 'unwrap' && 'bytes' in reply) reply.bytes?.fill(0);
    })
    .catch(() => process.exit(1));
});
// It ends with the gateway. SIGKILL skips the library's exit handlers, which can hang. Signals to the whole process group must
// not end it, because relays in progress still need the token.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
