import { armor, Decrypter, generateIdentity, identityToRecipient } from 'age-encryption';
import { sha256 } from '../../../platform/crypto/index.js';
import type { Foundation } from '../../../platform/database/index.js';
import { base64 } from '../../../platform/kernel/encoding/bytes.js';
import { invalidMember, isUnavailable } from '../../../platform/kernel/errors.js';
import {
  type Principal,
  requireOwnerPermission,
  type UserPrincipal,
  requireProposer,
} from '../../access/index.js';
import { useOnce } from '../../organizations/index.js';
import type { ImportAuditorKeyInput } from './auditor-key.type.js';
import type { AuditorKey } from './auditor-keys.js';
import { importAuditorKey } from './import-auditor-key.js';

const TOKEN_LIFETIME_MS = 15 * 60_000;
const MAX_FILE_LENGTH = 8_192;

/** The recipient to which a keypair is encrypted, so that no proxy and no log sees it in plaintext. */
export interface AuditorKeyImportRecipient {
  /** An age recipient that is used only for this import. */
  readonly recipient: string;
  /** The recipient's identity, sealed for this person. It is not stored. */
  readonly token: string;
  readonly expiresAt: Date;
}

/** Creates an age recipient for one import of an auditor key by this person. */
export async function prepareAuditorKeyImport(
  { sealer, clock }: Pick<Foundation, 'sealer' | 'clock'>,
  principal: Principal | undefined,
): Promise<AuditorKeyImportRecipient> {
  const caller = requireOwnerPermission(principal, 'policies:manage');
  const identity = await generateIdentity();
  const expiresAt = new Date(clock.now().getTime() + TOKEN_LIFETIME_MS);
  const text = JSON.stringify({ identity, expiresAt: expiresAt.getTime() });
  const token = base64.encode(sealer.seal(Buffer.from(text), contextOf(caller)));
  return { recipient: await identityToRecipient(identity), token, expiresAt };
}

/** Imports the keypair of an age file that is encrypted to the recipient of {@link prepareAuditorKeyImport}. */
export async function importEncryptedAuditorKey(
  foundation: Foundation,
  principal: Principal | undefined,
  { token, ageFile, reason }: Readonly<ImportAuditorKeyInput>,
): Promise<AuditorKey> {
  const caller = requireProposer(foundation, principal, 'importAuditorKey');
  const identity = identityOf(foundation, caller, token);
  const keypair = await decrypt(ageFile, identity);
  return importAuditorKey(foundation, caller, { keypair, reason }, async (transaction) => {
    const used = sha256(`auditor key import ${identity}`);
    if (!(await useOnce(transaction, used, foundation.clock.now()))) throw refusedToken();
  });
}

const contextOf = ({ organizationId, userId }: UserPrincipal) =>
  `tokens/auditor_key_import/${organizationId}/${userId}`;

function identityOf(
  { sealer, clock }: Pick<Foundation, 'sealer' | 'clock'>,
  caller: UserPrincipal,
  token: string,
): string {
  const opened = openToken(sealer, caller, token);
  if (opened === undefined || opened.expiresAt <= clock.now().getTime()) throw refusedToken();
  return opened.identity;
}

const refusedToken = () =>
  invalidMember(
    'token',
    'must be a token that prepareAuditorKeyImport returned to you within the last 15 minutes and that has imported nothing ' +
      'yet; encrypt the keypair to its recipient',
  );

function openToken(sealer: Foundation['sealer'], caller: UserPrincipal, token: string) {
  const sealed = token.length <= 1_024 ? base64.decode(token) : undefined;
  if (sealed === undefined) return undefined;
  try {
    const text = Buffer.from(sealer.open(sealed, contextOf(caller))).toString();
    return JSON.parse(text) as { readonly identity: string; readonly expiresAt: number };
  } catch (thrown) {
    // This process may not have read the newest data key yet. Then it opens the token a moment later.
    if (isUnavailable(thrown)) throw thrown;
    return undefined;
  }
}

async function decrypt(ageFile: string, identity: string): Promise<string> {
  try {
    if (ageFile.length > MAX_FILE_LENGTH) throw new RangeError('Too long.');
    const decrypter = new Decrypter();
    decrypter.addIdentity(identity);
    return await decrypter.decrypt(armor.decode(ageFile), 'text');
  } catch {
    throw invalidMember(
      'ageFile',
      `must be an armored age file of at most ${MAX_FILE_LENGTH} characters, encrypted to the recipient of the token`,
    );
  }
}
