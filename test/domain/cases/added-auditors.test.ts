import { describe, expect, it } from '@jest/globals';
import { PERMISSIONS, type UserPrincipal } from '../../../src/domain/access/index.js';
import { addCaseAuditor } from '../../../src/domain/cases/running/change-case-auditors.js';
import { type Foundation, sql } from '../../../src/platform/database/index.js';
import { openTestFoundation, seedMember } from '../../kit/seed.js';
import { openOffice } from './kit.js';

const { database, foundation } = await openTestFoundation();
const office = await openOffice(foundation);
const { foreignId, organization } = office;

const SECOND_PERSON = { reason: 'second_person_required' };
const requireTwo = (isRequired: boolean) =>
  database.rows(
    sql`update organizations set require_second_person = ${isRequired} where id = ${organization.id}`,
  );
const both = () =>
  seedMember(foundation, organization.id, {
    applications: [{ foreignId, administrator: PERMISSIONS.administrator, auditor: PERMISSIONS.auditor }],
  });

describe('an administrator who is an auditor, too', () => {
  /** Two persons turn the rule on after the request was admitted. */
  const ruleBegins = (): Foundation => {
    let transactions = 0;
    return {
      ...foundation,
      database: {
        ...database,
        transaction: async (work) => {
          transactions += 1;
          if (transactions === 2) await requireTwo(true);
          return database.transaction(work);
        },
      },
    };
  };

  it('gets no case by a request that waited while the organization began to require a second person', async () => {
    const { id } = await office.open();
    const { principal: mallory } = await both();
    const add = (by: UserPrincipal, gateway = foundation) =>
      addCaseAuditor(gateway, by, { foreignId, id, auditorId: mallory.userId, reason: 'Help' });
    try {
      await expect(add(mallory, ruleBegins())).rejects.toMatchObject(SECOND_PERSON);
      await expect(add(office.administrator.principal)).rejects.toMatchObject(SECOND_PERSON);
      const { auditors } = await office.find(id, office.administrator.principal);
      expect(auditors.map((auditor) => auditor.id)).toEqual([office.ana.principal.userId]);
    } finally {
      await requireTwo(false);
    }
  });
});
