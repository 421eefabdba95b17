import { graphql, type GrantedOf } from '../../graphql/document';

export const RELAYS = graphql(`
  query Relays(
    $foreignId: String
    $status: RelayStatus
    $poolSelector: String
    $from: DateTimeISO
    $to: DateTimeISO
    $after: String
  ) {
    relays(
      foreignId: $foreignId
      status: $status
      poolSelector: $poolSelector
      from: $from
      to: $to
      first: 50
      after: $after
    ) {
      nodes {
        relayRequestId
        status
        publicReason
        poolSelector
        attemptNumber
        retryAllowed
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
export const POOLS = graphql(`
  query Pools {
    pools {
      selector
      name
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
        retryAllowed
        createdAt
        updatedAt
      }
      attempts {
        number
        transactionHash
        lastValidBlockHeight
        outcome
        evidence
        createdAt
        concludedAt
      }
      events {
        sequence
        status
        publicReason
        createdAt
        evidence
      }
      receipts {
        body
        signature
        verifierKey
      }
    }
  }
`);
export const RELAY_CHANGED = graphql(`
  subscription RelayChanged {
    relayChanged {
      relayRequestId
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
