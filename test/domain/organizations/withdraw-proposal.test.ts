import { beforeEach, describe, expect, it } from '@jest/globals';
import { PERMISSIONS, type UserPrincipal } from '../../../src/domain/access/index.js';
import { createApiKey } from '../../../src/domain/organizations/index.js';
import { listProposedOperations } from '../../../src/domain/organizations/list-proposed-operations.js';
import { proposalId } from '../../../src/domain/organizations/second-person/open-proposals.js';
import { withdrawProposal } from '../../../src/domain/organizations/second-person/withdraw-proposal.js';
import { sql } from '../../../src/platform/database/index.js';
import { overtakenBy } from '../../kit/database/overtaken.js';
import {
  type SeededOrganization,
  type SeededUser,
  seedMember,
  seedOrganization,
  openTestFoundation,
} from '../../kit/seed.js';

const SECOND_PERSON = { code: 'CONFLICT', reason: 'second_person_required' };
const GONE = { code: 'NOT_FOUND', message: 'No such proposal.' };
const HOURS_72_MS = 72 * 60 * 60_000;

let now = Date.now();
const { database, foundation } = await openTestFoundation({ now: () => new Date(now) });

describe('a proposal that waits for a second person', () => {
  let home: SeededOrganization;
  let mallory: UserPrincipal;
  let olga: SeededUser;
  beforeEach(async () => {
    home = await seedOrganization(foundation);
    mallory = home.owner.principal;
    olga = await seedMember(foundation, home.organization.id, { owner: PERMISSIONS.owner }, 'Olga Owner');
    await database.rows(
      sql`update organizations set require_second_person = true where id = ${home.organization.id}`,
    );
  });

  const create = (by: UserPrincipal, parts = foundation) =>
    createApiKey(parts, by, { name: 'Backend', scopes: ['disclosures:write'] });
  const propose = async (by = mallory) => {
    await expect(create(by)).rejects.toMatchObject(SECOND_PERSON);
    const proposals = await listProposedOperations(foundation, by);
    return proposals.at(-1)!.id;
  };
  const withdraw = (by: UserPrincipal, id: string) => withdrawProposal(foundation, by, id);
  const logged = async () => {
    const rows = await database.rows(sql<{ entry: object }>`
      select entry from activity_entries where organization_id = ${home.organization.id}
      and event_type = 'operation.withdrawn'`);
    return rows.map(({ entry }) => entry);
  };

  it('has no effect after the person who made it has withdrawn it, and the log says so', async () => {
    const id = await propose();
    expect(await withdraw(mallory, id)).toMatchObject({
      ...{ id, operation: 'createApiKey', proposedBy: { id: mallory.userId } },
    });
    expect(await listProposedOperations(foundation, olga.principal)).toEqual([]);
    // The same call of another person is a new proposal.
    await expect(create(olga.principal)).rejects.toMatchObject(SECOND_PERSON);
    expect(await logged()).toMatchObject([
      {
        user_id: mallory.userId,
        object: { operation: 'createApiKey' },
        details: { input: expect.stringContaining('Backend') },
      },
    ]);
    await expect(withdraw(mallory, id)).rejects.toMatchObject(GONE);
    expect((await create(mallory)).apiKey.name).toBe('Backend');
  });

  it('is withdrawn by nobody else, and not in another organization', async () => {
    const id = await propose();
    await expect(withdraw(olga.principal, id)).rejects.toMatchObject(GONE);
    const other = await seedOrganization(foundation, { name: 'Other', foreignId: `other-${now}` });
    await expect(withdraw(other.owner.principal, id)).rejects.toMatchObject(GONE);
    await expect(withdrawProposal(foundation, home.apiKey.principal, id)).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    expect(await logged()).toEqual([]);
    await create(olga.principal);
  });

  it('cannot be withdrawn after it took effect or expired', async () => {
    const confirmed = await propose();
    await create(olga.principal);
    await expect(withdraw(mallory, confirmed)).rejects.toMatchObject(GONE);
    const expired = await propose();
    now += HOURS_72_MS;
    await expect(withdraw(mallory, expired)).rejects.toMatchObject(GONE);
    // The next one with the same input is another.
    expect(await propose()).not.toBe(expired);
    await expect(withdraw(mallory, expired)).rejects.toMatchObject(GONE);
    expect(await logged()).toEqual([]);
  });

  it('keeps its id when it is repeated, and does not take effect if it is withdrawn just before', async () => {
    const id = await propose();
    now += 1_000;
    expect(await propose()).toBe(id);
    const late = overtakenBy(foundation, () => withdraw(mallory, id));
    await expect(create(olga.principal, late)).rejects.toMatchObject(SECOND_PERSON);
    expect(await listProposedOperations(foundation, mallory)).toMatchObject([
      { proposedBy: { id: olga.principal.userId } },
    ]);
  });

  // Withdrawn and made again, it would let the others wait for an hour without end.
  it('that a signing key is lost cannot be withdrawn', async () => {
    const proposal = {
      operation: 'declareSigningKeyLost',
      inputDigest: new Uint8Array(32),
      proposedAt: new Date(now),
    } as const;
    await database.rows(sql`
      insert into proposed_operations (organization_id, operation, input_digest, input, proposed_by, proposed_at, expires_at)
      values (${home.organization.id}, ${proposal.operation}, ${proposal.inputDigest}, '{"epoch":1}', ${mallory.userId},
        ${proposal.proposedAt}, ${new Date(now + HOURS_72_MS)})`);
    await expect(withdraw(mallory, proposalId(proposal))).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('cannot be withdrawn'),
    });
    expect(await listProposedOperations(foundation, olga.principal)).toHaveLength(1);
  });
});
