import { graphql, type GrantedOf } from '../../graphql/document';

export const CASES = graphql(`
  query Cases($foreignId: String!, $status: CaseStatus, $after: String) {
    cases(foreignId: $foreignId, status: $status, first: 50, after: $after) {
      nodes {
        id
        reason
        status
        expiresAt
        secondsLeft
        periodFrom
        periodTo
        auditors {
          id
          name
        }
        disclosureFlags {
          fullTxIds
          senderInformation
          withdrawalDetails
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
/** Every open case, by which those that end soon are found: the gateway lists the newest first. */
export const ENDING_CASES = graphql(`
  query EndingCases($after: String) {
    cases(status: active, first: 200, after: $after) {
      nodes {
        id
        application {
          foreignId
          name
        }
        reason
        expiresAt
        secondsLeft
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
export const OWN_REQUESTS = graphql(`
  query OwnApprovedRequests($foreignId: String!, $after: String) {
    caseRequests(foreignId: $foreignId, status: approved, first: 200, after: $after) {
      nodes {
        id
        reason
        caseId
        periodFrom
        periodTo
        caseEndsAt
        disclosureFlags {
          fullTxIds
          senderInformation
          withdrawalDetails
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
export const CASE_CHANGED = graphql(`
  subscription CaseChanged($foreignId: String!, $after: String) {
    caseChanged(foreignId: $foreignId, after: $after) {
      cursor
      case {
        id
      }
    }
  }
`);
export const CASE = graphql(`
  query Case($foreignId: String!, $id: ID!) {
    case(foreignId: $foreignId, id: $id) {
      id
      reason
      status
      expiresAt
      secondsLeft
      periodFrom
      periodTo
      accessDays
      createdAt
      requestId
      endedAt
      endReason
      ender {
        name
      }
      approver {
        name
      }
      assetIds
      assets {
        id
        name
        symbol
        mintAddress
      }
      auditors {
        id
        name
        email
      }
      disclosureFlags {
        fullTxIds
        senderInformation
        withdrawalDetails
      }
    }
  }
`);
export const END = graphql(`
  mutation EndCase($input: EndCaseInput!) {
    endCase(input: $input) {
      id
    }
  }
`);
export const ADD_AUDITOR = graphql(`
  mutation AddCaseAuditor($input: ChangeCaseAuditorInput!) {
    addCaseAuditor(input: $input) {
      id
    }
  }
`);
export const REMOVE_AUDITOR = graphql(`
  mutation RemoveCaseAuditor($input: ChangeCaseAuditorInput!) {
    removeCaseAuditor(input: $input) {
      id
    }
  }
`);
export const RECORDS = graphql(`
  query CaseRecords(
    $foreignId: String!
    $id: ID!
    $type: CaseTransactionType
    $assetId: ID
    $from: DateTimeISO
    $to: DateTimeISO
    $first: Int
    $after: String
  ) {
    case(foreignId: $foreignId, id: $id) {
      transactions(first: $first, type: $type, assetId: $assetId, from: $from, to: $to, after: $after) {
        totalCount
        nodes {
          id
          networkTransactionId
          assetId
          type
          blockTime
          signer
          authority
          sourceAccount
          destinationAccount
          amount
          decimals
          symbol
          undecryptable
          restricted
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  }
`);
export const AMOUNT_PROOFS = graphql(`
  query CaseProofs($foreignId: String!, $id: ID!, $amounts: [CaseAmountInput!]!) {
    case(foreignId: $foreignId, id: $id) {
      amountProofs(amounts: $amounts) {
        auditorElGamalPubkey
        ciphertext {
          lo
          hi
        }
        proof
      }
    }
  }
`);
export const RECORD_ADDED = graphql(`
  subscription CaseTransactionAdded(
    $foreignId: String!
    $id: ID!
    $type: CaseTransactionType
    $assetId: ID
    $from: DateTimeISO
    $to: DateTimeISO
  ) {
    caseTransactionAdded(
      foreignId: $foreignId
      id: $id
      type: $type
      assetId: $assetId
      from: $from
      to: $to
    ) {
      totalCount
    }
  }
`);
export const TOTALS = graphql(`
  query CaseTotals($foreignId: String!, $id: ID!) {
    case(foreignId: $foreignId, id: $id) {
      totals {
        assetId
        symbol
        decimals
        totals {
          type
          flow
          amount
          count
          restricted
          undecryptable
        }
      }
    }
  }
`);

export type OwnRequest = GrantedOf<typeof OWN_REQUESTS>['caseRequests']['nodes'][number];
export type CaseNode = GrantedOf<typeof CASE>['case'];
export type CaseRecord = NonNullable<GrantedOf<typeof RECORDS>['case']['transactions']>['nodes'][number];
export type AmountProof = NonNullable<
  NonNullable<GrantedOf<typeof AMOUNT_PROOFS>['case']['amountProofs']>[number]
>;
export type CaseTransactionType = CaseRecord['type'];
