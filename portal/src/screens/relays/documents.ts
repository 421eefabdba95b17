import { graphql, type GrantedOf } from '../../graphql/document';

export const RELAYS = graphql(`
  query Relays($status: RelayStatus, $poolSelector: String, $after: String) {
    relays(status: $status, poolSelector: $poolSelector, first: 50, after: $after) {
      nodes {
        relayRequestId
        status
        publicReason
        poolSelector
        attemptNumber
        createdAt
        updatedAt
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
export const RELAY_HISTORY = graphql(`
  query RelayHistory($relayRequestId: ID!) {
    relayHistory(relayRequestId: $relayRequestId) {
      relay {
        relayRequestId
        status
        publicReason
        poolSelector
        packageSha256
        createdAt
        updatedAt
      }
      attempts {
        number
        transactionHash
        lastValidBlockHeight
        outcome
        createdAt
        concludedAt
      }
      events {
        sequence
        status
        publicReason
        createdAt
        evidence
        transactionHash
      }
      receipts {
        body
        signature
        verifierKey
      }
    }
    relayRequest(relayRequestId: $relayRequestId) {
      retryAllowed
    }
  }
`);
export const RELAY_STATUS = graphql(`
  subscription RelayStatus($relayRequestId: ID!, $after: Int) {
    relayStatus(relayRequestId: $relayRequestId, after: $after) {
      relayRequestId
      status
      publicReason
      sequence
      retryAllowed
      attemptNumber
      transactionHash
      createdAt
      updatedAt
    }
  }
`);
export const RETRY = graphql(`
  mutation RetryRelay($relayRequestId: ID!) {
    retryRelayRequest(relayRequestId: $relayRequestId) {
      status
    }
  }
`);

export type RelayNode = GrantedOf<typeof RELAYS>['relays']['nodes'][number];
