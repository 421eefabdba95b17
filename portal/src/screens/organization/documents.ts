import { graphql, type GrantedOf, type ResultOf } from '../../graphql/document';

const MEMBER_VIEW = graphql(`
  fragment MemberView on Member {
    id
    name
    email
    addedAt
    lastSeenAt
    hasSecondFactor
    permissions {
      owner
      applications {
        foreignId
        common
        administrator
        auditor
      }
    }
  }
`);
export const MEMBERS = graphql(
  `
    query Members($after: String) {
      members(first: 100, after: $after) {
        nodes {
          ...MemberView
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  [MEMBER_VIEW],
);
export const MEMBER = graphql(
  `
    query Member($id: ID!) {
      member(id: $id) {
        ...MemberView
      }
    }
  `,
  [MEMBER_VIEW],
);
export const PERMISSION_TABLE = graphql(`
  query PermissionTable {
    permissionTable {
      name
      permissions
    }
  }
`);
export const APPLICATION_NAMES = graphql(`
  query ApplicationNames($after: String) {
    applications(first: 200, after: $after) {
      nodes {
        foreignId
        name
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
export const SET_PERMISSIONS = graphql(`
  mutation SetPermissions($input: SetPermissionsInput!) {
    setPermissions(input: $input) {
      id
    }
  }
`);
export const REMOVE_MEMBER = graphql(`
  mutation RemoveMember($memberId: ID!) {
    removeMember(memberId: $memberId) {
      id
    }
  }
`);
export const END_SESSIONS = graphql(`
  mutation EndMemberSessions($memberId: ID!) {
    endMemberSessions(memberId: $memberId)
  }
`);
export const API_KEYS = graphql(`
  query ApiKeys($after: String) {
    apiKeys(first: 100, after: $after) {
      nodes {
        id
        name
        displayPrefix
        scopes
        creator {
          name
        }
        createdAt
        expiresAt
        lastUsedAt
        revokedAt
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
export const CREATE_KEY = graphql(`
  mutation CreateApiKey($input: CreateApiKeyInput!) {
    createApiKey(input: $input) {
      secret
      apiKey {
        id
        name
      }
    }
  }
`);
export const REVOKE_KEY = graphql(`
  mutation RevokeApiKey($id: ID!) {
    revokeApiKey(id: $id) {
      id
    }
  }
`);
export const APPLICATIONS = graphql(`
  query Applications($after: String) {
    applications(first: 50, after: $after) {
      nodes {
        foreignId
        name
        checkApplicationId
        createdAt
        assets(first: 5) {
          nodes {
            id
            symbol
          }
          pageInfo {
            hasNextPage
          }
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
export const CREATE_APPLICATION = graphql(`
  mutation CreateApplication($input: CreateApplicationInput!) {
    createApplication(input: $input) {
      foreignId
    }
  }
`);
const ASSET = graphql(`
  fragment AssetView on Asset {
    id
    name
    symbol
    decimals
    status
    mintAddress
    auditorElGamalPubkey
    disclosurePolicyId
    application {
      foreignId
      name
    }
    createdAt
    mintAuditorKey {
      auditorElGamalPubkey
      epoch
      reason
    }
    indexerStatus {
      status
      reason
      indexedCount
      lastIndexedAt
      latestSlot
    }
  }
`);
export const ASSETS = graphql(
  `
    query Assets($after: String) {
      assets(first: 100, after: $after) {
        nodes {
          ...AssetView
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  [ASSET],
);
export const ONE_ASSET = graphql(
  `
    query Asset($id: ID!) {
      asset(id: $id) {
        ...AssetView
      }
    }
  `,
  [ASSET],
);
export const CREATE_ASSET = graphql(`
  mutation CreateAsset($input: CreateAssetInput!) {
    createAsset(input: $input) {
      id
    }
  }
`);
export const BIND_MINT = graphql(`
  mutation BindMint($input: BindMintInput!) {
    bindMint(input: $input) {
      id
    }
  }
`);
export const ASSIGN_ASSET = graphql(`
  mutation AssignAsset($input: AssignAssetInput!) {
    assignAsset(input: $input) {
      id
    }
  }
`);
export const ASSET_TRANSACTIONS = graphql(`
  query AssetTransactions($assetId: ID!, $type: ConfidentialEventType, $after: String) {
    transactions(assetId: $assetId, type: $type, first: 50, after: $after) {
      nodes {
        id
        type
        networkTransactionId
        slot
        blockTime
        sourceAccount
        destinationAccount
        ciphertexts {
          auditor {
            lo
            hi
          }
        }
        publicData {
          amount
          decimals
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
export const TRANSACTION_ADDED = graphql(`
  subscription TransactionAdded($assetId: ID!, $after: String) {
    transactionAdded(assetId: $assetId, after: $after) {
      cursor
      transaction {
        id
      }
    }
  }
`);
export const POLICIES = graphql(`
  query DisclosurePolicies($after: String) {
    disclosurePolicies(first: 100, after: $after) {
      nodes {
        id
        key
        name
        createdAt
        rules {
          allowedFields
          allowedFormats
          allowedAccounts
          maximumRecords
          maximumSpanSeconds
          inside
          outside
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
export const CREATE_POLICY = graphql(`
  mutation CreateDisclosurePolicy($input: CreateDisclosurePolicyInput!) {
    createDisclosurePolicy(input: $input) {
      id
    }
  }
`);
export const SECURITY_EVENTS = graphql(`
  query SecurityEvents($after: String) {
    securityEvents(first: 100, after: $after) {
      nodes {
        requestId
        event
        operation
        subjectId
        clientAddress
        createdAt
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
export const UPDATE_ORGANIZATION = graphql(`
  mutation UpdateOrganization($input: UpdateOrganizationInput!) {
    updateOrganization(input: $input) {
      id
    }
  }
`);

export type MemberNode = ResultOf<typeof MEMBER_VIEW>;
export type AssetNode = ResultOf<typeof ASSET>;
export type PolicyNode = GrantedOf<typeof POLICIES>['disclosurePolicies']['nodes'][number];
export const PENDING_GRANTS = graphql(`
  query PendingPermissionGrants($after: String) {
    pendingPermissionGrants(first: 50, after: $after) {
      nodes {
        id
        bucket
        permission
        foreignId
        userId
        grantedBy
        createdAt
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
export const CONFIRM_GRANT = graphql(`
  mutation ConfirmPermissionGrant($id: ID!) {
    confirmPermissionGrant(id: $id) {
      id
    }
  }
`);
export const ERASE = graphql(`
  mutation ErasePersonalValues($userId: ID!) {
    erasePersonalValues(userId: $userId) {
      entries
      values
    }
  }
`);
export const UNBIND_MINT = graphql(`
  mutation UnbindMint($input: UnbindMintInput!) {
    unbindMint(input: $input) {
      id
    }
  }
`);
export const DISABLE_ASSET = graphql(`
  mutation DisableAsset($input: DisableAssetInput!) {
    disableAsset(input: $input) {
      id
    }
  }
`);
