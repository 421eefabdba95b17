import { graphql } from '../../graphql/document';

export const AUDITOR_KEY_COVERAGE = graphql(`
  query AuditorKeyCoverage($id: ID!, $after: String) {
    asset(id: $id) {
      auditorKeyCoverage(first: 50, after: $after) {
        nodes {
          fromSlot
          toSlot
          signature
          auditorElGamalPubkey
          epoch
          readable
          reason
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  }
`);
export const AUDITOR_KEYS = graphql(`
  query AuditorKeys {
    auditorKeys {
      epoch
      auditorElGamalPubkey
      createdAt
      imported
    }
  }
`);
export const ROTATE_AUDITOR_KEY = graphql(`
  mutation RotateAuditorKey($input: RotateAuditorKeyInput!) {
    rotateAuditorKey(input: $input) {
      epoch
    }
  }
`);
