import { graphql } from '../../graphql/document';

export const PROPOSED_OPERATIONS = graphql(`
  query ProposedOperations {
    proposedOperations {
      id
      operation
      input
      proposedBy {
        id
        name
      }
      proposedAt
      expiresAt
    }
  }
`);
export const WITHDRAW_PROPOSAL = graphql(`
  mutation WithdrawProposal($id: ID!) {
    withdrawProposal(id: $id) {
      id
    }
  }
`);
