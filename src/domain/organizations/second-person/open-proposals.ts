import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { sha256 } from '../../../platform/crypto/index.js';
import { columnsOf, query, type Reader, type RowOf, type Tables } from '../../../platform/database/index.js';
import { derivedId, type Id } from '../../../platform/kernel/ids.js';
import { type Person, ProposedOperationEntity } from '../../access/index.js';

const READ = ['operation', 'input', 'inputDigest', 'proposedAt', 'expiresAt'] as const;
type Row = Pick<RowOf<typeof ProposedOperationEntity>, (typeof READ)[number]>;

/** A proposal that waits for a second person. */
export interface OpenProposal extends Row {
  readonly id: Id<'prp'>;
  readonly proposedBy: Person;
}

type Which = (proposal: ExpressionBuilder<Tables, 'proposed_operations' | 'users'>) => Expression<SqlBool>;

/** The open proposals for which the condition holds, oldest first; at most `limit`, or all. */
export async function openProposals(
  reader: Reader,
  organizationId: Id<'org'>,
  at: Date,
  which: Which,
  limit?: number,
): Promise<OpenProposal[]> {
  const rows = await reader.rows(
    query
      .selectFrom('proposed_operations')
      .innerJoin('users', (proposer) =>
        proposer
          .onRef('users.id', '=', 'proposed_operations.proposed_by')
          .onRef('users.organization_id', '=', 'proposed_operations.organization_id'),
      )
      .select(columnsOf(ProposedOperationEntity, READ))
      .select(['users.id as userId', 'users.name', 'users.email'])
      .where('proposed_operations.organization_id', '=', organizationId)
      .where('expires_at', '>', at)
      .where(which)
      .orderBy('proposed_at')
      .$if(limit !== undefined, (proposals) => proposals.limit(limit!)),
  );
  return rows.map(({ userId, name, email, ...proposal }) => ({
    ...proposal,
    id: proposalId(proposal),
    proposedBy: { id: userId, name, email },
  }));
}

/** A row has the operation and its input as its key, and is replaced when it has expired. So the time belongs to the id, too. */
export const proposalId = ({
  operation,
  inputDigest,
  proposedAt,
}: Pick<Row, 'operation' | 'inputDigest' | 'proposedAt'>): Id<'prp'> =>
  derivedId('prp', proposedAt, sha256(operation, ' ', inputDigest));
