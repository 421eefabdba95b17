import { graphql, type GrantedOf, type ResultOf } from '../../graphql/document';
import type { Reading } from '../../graphql/hooks';

export const DISCLOSURES = graphql(`
  query Disclosures($assetId: ID, $status: DisclosureStatus, $oldestFirst: Boolean, $after: String) {
    disclosures(assetId: $assetId, status: $status, oldestFirst: $oldestFirst, first: 50, after: $after) {
      totalCount
      nodes {
        id
        purpose
        status
        decision
        format
        requestedAt
        resolvedAt
        requester {
          name
        }
        asset {
          id
          name
          mintAddress
        }
        preview {
          records
        }
        scope {
          fields
          account
          transactionIds
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
/** The assets of all disclosures, by which the listing can be narrowed. */
export const DISCLOSED_ASSETS = graphql(`
  query DisclosedAssets($after: String) {
    disclosures(first: 200, after: $after) {
      nodes {
        asset {
          id
          name
          symbol
          mintAddress
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
/** The members of a disclosure file, so that the page shows exactly what `lucarne verify` checks. */
export const DISCLOSURE = graphql(`
  query Disclosure($id: ID!) {
    disclosure(id: $id) {
      id
      assetId
      purpose
      scope {
        account
        fields
        from
        to
        transactionIds
      }
      format
      status
      externalReference
      policyId
      requestedAt
      decision
      decidedBy
      decidedAt
      decisionReason
      resolvedAt
      result {
        format
        generatedAt
        receiptId
        deletedAt
        records {
          transactionId
          networkTransactionId
          type
          slot
          blockTime
          sourceAccount
          destinationAccount
          decimals
          proof {
            amount {
              auditorElGamalPubkey
              ciphertext {
                lo
                hi
              }
              proof
            }
          }
          amount
          public
          undecryptable
          fee
          unavailable
        }
        content
        proof {
          scheme
          group
          statement
          check
        }
        salt
        receipt {
          body
          signature
          verifierKey
        }
      }
    }
  }
`);
export const DECIDE = graphql(`
  mutation DecideDisclosure($input: DecideDisclosureInput!) {
    decideDisclosure(input: $input) {
      id
      status
    }
  }
`);
/** What the file does not hold: who asked, which policy judged it, and what the scope selects, in numbers. */
export const DISCLOSURE_ABOUT = graphql(`
  query DisclosureAbout($id: ID!) {
    disclosure(id: $id) {
      requester {
        id
        name
        email
      }
      asset {
        id
        name
        symbol
        mintAddress
      }
      decider {
        name
      }
      policy {
        key
        name
      }
      preview {
        records
        byType {
          type
          count
        }
        earliest
        latest
        accounts
      }
    }
  }
`);
export const CHOSEN_RECORDS = graphql(`
  query ChosenRecords($id: ID!, $after: String) {
    disclosure(id: $id) {
      chosenRecords(first: 50, after: $after) {
        nodes {
          id
          type
          blockTime
          networkTransactionId
          sourceAccount
          destinationAccount
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  }
`);
export const DISCLOSURE_CHANGED = graphql(`
  subscription DisclosureChanged($after: String) {
    disclosureChanged(after: $after) {
      cursor
      disclosure {
        id
      }
    }
  }
`);

export type DisclosureNode = GrantedOf<typeof DISCLOSURES>['disclosures']['nodes'][number];
/** A disclosure as its file has it. */
export type DisclosureFile = GrantedOf<typeof DISCLOSURE>['disclosure'];
export type DisclosedRecord = NonNullable<NonNullable<DisclosureFile['result']>['records']>[number];
export type AboutReading = Reading<ResultOf<typeof DISCLOSURE_ABOUT>>;
export type Preview = GrantedOf<typeof DISCLOSURE_ABOUT>['disclosure']['preview'];
