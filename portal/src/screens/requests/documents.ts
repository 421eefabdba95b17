import { graphql, type GrantedOf, type ResultOf } from '../../graphql/document';

const SCOPE = graphql(`
  fragment RequestScope on CaseRequest {
    id
    application {
      foreignId
      name
    }
    status
    withdrawn
    reason
    requestedBy {
      id
      name
      email
    }
    auditors {
      id
      name
      email
    }
    assetIds
    assets {
      id
      name
      mintAddress
    }
    disclosureFlags {
      fullTxIds
      senderInformation
      withdrawalDetails
    }
    periodFrom
    periodTo
    accessDays
    createdAt
    decidedAt
    decider {
      id
      name
    }
    decisionReason
    caseId
    caseEndsAt
    granted {
      accessDays
      assetIds
      auditors {
        id
        name
      }
      disclosureFlags {
        fullTxIds
        senderInformation
        withdrawalDetails
      }
      periodFrom
      periodTo
    }
  }
`);
export const REQUESTS = graphql(
  `
    query CaseRequests(
      $foreignId: String
      $status: CaseRequestStatus
      $oldestFirst: Boolean
      $first: Int = 50
      $after: String
    ) {
      caseRequests(
        foreignId: $foreignId
        status: $status
        oldestFirst: $oldestFirst
        first: $first
        after: $after
      ) {
        totalCount
        nodes {
          ...RequestScope
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  [SCOPE],
);
export const REGISTRY = graphql(
  `
    query DisclosureRegistry(
      $foreignId: String
      $status: CaseRequestStatus
      $oldestFirst: Boolean
      $first: Int = 50
      $after: String
    ) {
      disclosureRegistry(
        foreignId: $foreignId
        status: $status
        oldestFirst: $oldestFirst
        first: $first
        after: $after
      ) {
        totalCount
        nodes {
          ...RequestScope
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  [SCOPE],
);
export const REQUEST = graphql(
  `
    query CaseRequest($foreignId: String!, $id: ID!) {
      caseRequest(foreignId: $foreignId, id: $id) {
        ...RequestScope
      }
    }
  `,
  [SCOPE],
);
/** What an approval would show. For those who decide only. */
export const PREVIEW = graphql(`
  query CaseRequestPreview($foreignId: String!, $id: ID!) {
    caseRequest(foreignId: $foreignId, id: $id) {
      preview {
        transactions
        earliest
        latest
        byType {
          type
          count
        }
        byAsset {
          assetId
          count
        }
      }
    }
  }
`);
export const REQUEST_CHANGED = graphql(`
  subscription CaseRequestChanged($foreignId: String!, $after: String) {
    caseRequestChanged(foreignId: $foreignId, after: $after) {
      cursor
      request {
        id
      }
    }
  }
`);
export const CASE_ASSETS = graphql(`
  query CaseAssets($foreignId: String!, $after: String) {
    caseAssets(foreignId: $foreignId, first: 200, after: $after) {
      nodes {
        id
        name
        symbol
        mintAddress
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
export const CANDIDATES = graphql(`
  query AuditorCandidates($foreignId: String!, $after: String) {
    auditorCandidates(foreignId: $foreignId, first: 200, after: $after) {
      nodes {
        id
        name
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
export const HELD_CASES = graphql(`
  query CasesOfAuditors($foreignId: String!, $after: String) {
    cases(foreignId: $foreignId, status: active, first: 200, after: $after) {
      nodes {
        id
        reason
        assetIds
        assets {
          id
          name
          mintAddress
        }
        periodFrom
        periodTo
        accessDays
        disclosureFlags {
          fullTxIds
          senderInformation
          withdrawalDetails
        }
        auditors {
          id
          name
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
export const CREATE = graphql(`
  mutation CreateCaseRequest($input: CreateCaseRequestInput!) {
    createCaseRequest(input: $input) {
      id
    }
  }
`);
export const APPROVE = graphql(`
  mutation ApproveCaseRequest($input: ApproveCaseRequestInput!) {
    approveCaseRequest(input: $input) {
      id
    }
  }
`);
export const CLOSE = graphql(`
  mutation CloseCaseRequest($input: CloseCaseRequestInput!) {
    closeCaseRequest(input: $input) {
      id
    }
  }
`);
export const WITHDRAW = graphql(`
  mutation WithdrawCaseRequest($input: WithdrawCaseRequestInput!) {
    withdrawCaseRequest(input: $input) {
      id
    }
  }
`);

export type RequestNode = ResultOf<typeof SCOPE>;
export type HeldCase = GrantedOf<typeof HELD_CASES>['cases']['nodes'][number];
