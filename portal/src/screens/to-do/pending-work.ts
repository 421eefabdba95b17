import { graphql } from '../../graphql/document';
import { useRead } from '../../graphql/hooks';

const PENDING_WORK = graphql(`
  query PendingWork {
    pendingWork {
      application {
        foreignId
      }
      caseRequests
      disclosures
    }
  }
`);

/** What waits for a decision of who is signed in, by application. */
export const usePendingWork = () => useRead(['pendingWork'], PENDING_WORK, {}).data?.data.pendingWork ?? [];
