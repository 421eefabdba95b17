import { graphql, type GrantedOf } from '../../../graphql/document';

export const SIGNING_KEYS = graphql(`
  query LogSigningKeys {
    logSigningKeys {
      epoch
      verifierKey
      createdAt
      cosignsUntil
      compromisedFrom
      store
    }
  }
`);
export const ROTATE_SIGNING_KEY = graphql(`
  mutation RotateSigningKey($input: RotateSigningKeyInput!) {
    rotateSigningKey(input: $input) {
      epoch
    }
  }
`);
export const DISOWN_SIGNING_KEY = graphql(`
  mutation DeclareSigningKeyCompromised($input: DeclareSigningKeyCompromisedInput!) {
    declareSigningKeyCompromised(input: $input) {
      epoch
    }
  }
`);
export const LOSE_SIGNING_KEY = graphql(`
  mutation DeclareSigningKeyLost($input: DeclareSigningKeyLostInput!) {
    declareSigningKeyLost(input: $input) {
      epoch
    }
  }
`);

export type SigningKey = GrantedOf<typeof SIGNING_KEYS>['logSigningKeys'][number];

/** What else shows the signing keys, or follows from them. */
export const CHANGED_BY_SIGNING_KEYS = [['logSigningKeys'], ['proposedOperations'], ['logState']];
