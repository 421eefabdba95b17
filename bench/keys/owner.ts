import { armor, Encrypter } from 'age-encryption';
import { post } from './steady-load.ts';

export const OWNER = { email: 'owner@example.test', password: 'correct horse battery staple 7' };
const ORIGIN = 'http://127.0.0.1:4000';

/** Rotates a key of the organization with the mutation, including a sign-in. */
export async function rotateKey(port: number, mutation: string): Promise<void> {
  const ask = await signIn(port);
  const { epoch } = await ask(mutation, `(input: { reason: "Measured" }) { epoch }`);
  if (epoch !== 2) throw new Error(`${mutation} made key ${String(epoch)}.`);
}

/** Imports an auditor key with the mutations, including a sign-in and the encryption of the keypair. */
export async function importAuditorKey(port: number, keypair: string): Promise<void> {
  const ask = await signIn(port);
  const { recipient, token } = await ask('prepareAuditorKeyImport', '{ recipient token }');
  const encrypter = new Encrypter();
  encrypter.addRecipient(String(recipient));
  const input = JSON.stringify(armor.encode(await encrypter.encrypt(keypair)));
  const { imported } = await ask(
    'importAuditorKey',
    `(input: { token: ${JSON.stringify(token)}, ageFile: ${input}, reason: "Measured" }) { imported }`,
  );
  if (imported !== true) throw new Error('The auditor key was not imported.');
}

/** Signs in. The returned function asks for a mutation, and throws if it has no result. */
async function signIn(port: number) {
  const headers = { origin: ORIGIN };
  const { cookie } = await post({ port, path: '/auth/sign-in', headers }, OWNER, 200);
  return async (mutation: string, rest: string): Promise<Readonly<Record<string, unknown>>> => {
    const query = `mutation { ${mutation}${rest} }`;
    const { text } = await post({ port, path: '/graphql', headers: { ...headers, cookie } }, { query }, 200);
    const { data } = JSON.parse(text) as { data?: Record<string, Record<string, unknown>> | null };
    const result = data?.[mutation];
    if (!result) throw new Error(`${mutation} was refused: ${text.slice(0, 300)}`);
    return result;
  };
}
