import { graphql } from '../graphql/document';
import { request } from '../graphql/request';
import { provePasskey } from './passkeys';
import { begin } from './session';

const PROPOSE_SIGN_IN = graphql(`
  mutation ProposePasskeySignIn {
    proposePasskeySignIn
  }
`);
const PASSKEY_SIGN_IN = graphql(`
  mutation SignInWithPasskey($input: PasskeySignInInput!) {
    signInWithPasskey(input: $input) {
      user {
        id
      }
    }
  }
`);

export async function signInWithPasskey(): Promise<void> {
  const { proposePasskeySignIn } = await request(PROPOSE_SIGN_IN, {});
  await request(PASSKEY_SIGN_IN, { input: { response: await provePasskey(proposePasskeySignIn) } });
  await begin();
}
