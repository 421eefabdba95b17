import { graphql, type GrantedOf, type ResultOf } from '../../graphql/document';

const LISTED = graphql(`
  fragment Listed on Report {
    id
    application {
      foreignId
      name
    }
    reportType
    format
    generatedAt
    generatedBy {
      name
    }
    metadata {
      caseId
      recordCount
      sha256
      salt
      sizeBytes
      fileDeleted
      logIndex
    }
  }
`);
export const REPORTS = graphql(
  `
    query Reports($foreignId: String, $caseId: ID, $after: String) {
      reports(foreignId: $foreignId, caseId: $caseId, first: 50, after: $after) {
        nodes {
          ...Listed
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  [LISTED],
);
export const REPORT = graphql(
  `
    query Report($id: ID!) {
      report(id: $id) {
        ...Listed
      }
    }
  `,
  [LISTED],
);
export const GENERATE = graphql(`
  mutation GenerateCaseReport($input: GenerateCaseReportInput!) {
    generateCaseReport(input: $input) {
      id
    }
  }
`);
export const GENERATE_LOG = graphql(`
  mutation GenerateLogReport($input: GenerateLogReportInput!) {
    generateLogReport(input: $input) {
      id
    }
  }
`);
export const GENERATIONS = graphql(`
  query ReportGenerations($foreignId: String) {
    reportGenerations(foreignId: $foreignId) {
      id
      application {
        foreignId
      }
      reportType
      caseId
    }
  }
`);
export const PROGRESS = graphql(`
  subscription ReportProgress($foreignId: String, $id: ID!) {
    reportProgress(foreignId: $foreignId, id: $id) {
      id
      reportType
      status
      recordCount
      recordTotal
      recordTotalIsEstimate
      failure
      report {
        id
      }
    }
  }
`);

export type ReportNode = ResultOf<typeof LISTED>;
export type Generation = GrantedOf<typeof PROGRESS>['reportProgress'];
