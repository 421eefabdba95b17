import { graphql, type GrantedOf, type ResultOf } from '../../graphql/document';

const ENTRY = graphql(`
  fragment Entry on ActivityEntry {
    id
    index
    eventType
    user
    userId
    createdAt
    caseId
    foreignId
    object
    details
    logged {
      entry
      salts
      inclusion
    }
  }
`);
const SIGNED = graphql(`
  fragment Signed on LogCheckpoint {
    note
    size
    origin
    verifierKey
    signedAt
    keyChanges {
      index
      entry
      inclusion
    }
  }
`);
export const LOG = graphql(
  `
    query Log(
      $foreignId: String
      $caseId: ID
      $eventType: String
      $userId: ID
      $objectId: ID
      $from: DateTimeISO
      $to: DateTimeISO
      $after: String
    ) {
      activityLog(
        foreignId: $foreignId
        caseId: $caseId
        eventType: $eventType
        userId: $userId
        objectId: $objectId
        from: $from
        to: $to
        first: 50
        after: $after
      ) {
        nodes {
          ...Entry
        }
        pageInfo {
          hasNextPage
          endCursor
        }
        checkpoint {
          ...Signed
        }
      }
    }
  `,
  [ENTRY, SIGNED],
);
export const ONE_ENTRY = graphql(
  `
    query OneEntry($id: ID, $index: Int) {
      activityEntry(id: $id, index: $index) {
        ...Entry
        logged {
          checkpoint {
            ...Signed
          }
        }
      }
    }
  `,
  [ENTRY, SIGNED],
);
export const LOG_ACTORS = graphql(`
  query LogActors($foreignId: String, $after: String) {
    logActors(foreignId: $foreignId, first: 200, after: $after) {
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
export const CASE_LOG = graphql(
  `
    query CaseLog($foreignId: String!, $caseId: ID!, $eventType: String, $after: String) {
      caseActivityLog(
        foreignId: $foreignId
        caseId: $caseId
        eventType: $eventType
        first: 50
        after: $after
      ) {
        nodes {
          ...Entry
        }
        pageInfo {
          hasNextPage
          endCursor
        }
        checkpoint {
          ...Signed
        }
      }
    }
  `,
  [ENTRY, SIGNED],
);
export const ACTIVITY_ADDED = graphql(`
  subscription ActivityAdded($foreignId: String, $after: String) {
    activityAdded(foreignId: $foreignId, after: $after) {
      cursor
      entry {
        id
      }
    }
  }
`);
export const CHECKPOINT = graphql(
  `
    query LogCheckpoint {
      logCheckpoint {
        ...Signed
      }
    }
  `,
  [SIGNED],
);
export const CONSISTENCY = graphql(
  `
    query LogConsistency($from: Int!, $to: Int) {
      logConsistencyProof(from: $from, to: $to) {
        hashes
        checkpoint {
          ...Signed
        }
      }
    }
  `,
  [SIGNED],
);
export const START_EXPORT = graphql(
  `
    mutation StartLogExport($input: ExportActivityLogInput!) {
      startLogExport(input: $input) {
        cursor
        checkpoint {
          ...Signed
        }
      }
    }
  `,
  [SIGNED],
);
export const EXPORT_PART = graphql(`
  query LogExportPart(
    $foreignId: String
    $eventType: String
    $userId: ID
    $objectId: ID
    $from: DateTimeISO
    $to: DateTimeISO
    $after: String!
  ) {
    logExportPart(
      foreignId: $foreignId
      eventType: $eventType
      userId: $userId
      objectId: $objectId
      from: $from
      to: $to
      after: $after
    ) {
      text
      entries
      covered
      nextCursor
    }
  }
`);

export type Checkpoint = GrantedOf<typeof CHECKPOINT>['logCheckpoint'];
/** An entry with the checkpoint that its page was proven under. */
export type EntryNode = ResultOf<typeof ENTRY> & { readonly checkpoint: Checkpoint | null };

export type OneEntry = GrantedOf<typeof ONE_ENTRY>['activityEntry'];
/** An entry that was read alone, with the checkpoint of its proof. */
export const provenEntry = (entry: OneEntry): EntryNode => ({
  ...entry,
  checkpoint: entry.logged?.checkpoint ?? null,
});

/** The entries of a page, each with the checkpoint of the page. */
export function provenEntries<
  Page extends { readonly nodes: readonly ResultOf<typeof ENTRY>[]; readonly checkpoint: Checkpoint | null },
>(page: Page): Omit<Page, 'nodes'> & { readonly nodes: readonly EntryNode[] } {
  return { ...page, nodes: page.nodes.map((node) => ({ ...node, checkpoint: page.checkpoint })) };
}
