import { graphql, type GrantedOf } from '../../../graphql/document';

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
      exportable
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
export const PREPARE_IMPORT = graphql(`
  mutation PrepareAuditorKeyImport {
    prepareAuditorKeyImport {
      recipient
      token
      expiresAt
    }
  }
`);
export const IMPORT_AUDITOR_KEY = graphql(`
  mutation ImportAuditorKey($input: ImportAuditorKeyInput!) {
    importAuditorKey(input: $input) {
      epoch
    }
  }
`);

export const EXPORT_AUDITOR_KEY = graphql(`
  mutation ExportAuditorKey($input: ExportAuditorKeyInput!) {
    exportAuditorKey(input: $input) {
      ageFile
    }
  }
`);

export type ImportRecipient = GrantedOf<typeof PREPARE_IMPORT>['prepareAuditorKeyImport'];
export type KeyRange = GrantedOf<typeof AUDITOR_KEY_COVERAGE>['asset']['auditorKeyCoverage']['nodes'][number];
