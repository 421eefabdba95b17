import { describe, expect, it } from '@jest/globals';
import { placeLegalHold } from '../../../src/domain/organizations/retention/place-legal-hold.js';
import { releaseLegalHold } from '../../../src/domain/organizations/retention/release-legal-hold.js';
import { setRetention } from '../../../src/domain/organizations/retention/set-retention.js';
import { seedOrganization, openTestFoundation } from '../../kit/seed.js';
import { say } from './terminal.js';

const { database, foundation } = await openTestFoundation();
const home = await seedOrganization(foundation);

describe('lucarne organization retention', () => {
  const show = (...parameters: string[]) =>
    say(['organization', 'retention', ...parameters], '', {
      withDatabase: (_access, work) => work(database),
    });
  const ofHome = () => ['--organization', home.organization.id];

  it('shows the years for each kind of data, and that there are no holds', async () => {
    expect(await show(...ofHome())).toEqual({
      exitCode: 0,
      errors: '',
      output: [
        'reports: 10 years, by default',
        'disclosure_results: 10 years, by default',
        'personal_values: 5 years, by default',
        'No legal hold is in force.',
        '',
      ].join('\n'),
    });
  });

  it('shows the configured years, and who placed each active hold, why and until when', async () => {
    const { principal } = home.owner;
    const until = new Date(Date.now() + 86_400_000);
    await setRetention(foundation, principal, { kind: 'reports', years: 12, reason: 'The tax law of 2027' });
    const hold = await placeLegalHold(foundation, principal, {
      ...{ reason: 'Inspection by the regulator', until },
      kinds: ['reports'],
    });
    const { id } = await placeLegalHold(foundation, principal, { reason: 'A lawsuit' });
    await releaseLegalHold(foundation, principal, { id, reason: 'It was settled' });
    await seedOrganization(foundation, { name: 'Another' });
    const { output } = await show(...ofHome());
    expect(output).toContain('reports: 12 years\n');
    expect(output).toContain(
      `${hold.id}: reports, until ${until.toISOString()}, placed by ${principal.userId} on ${hold.placedAt.toISOString()}: Inspection by the regulator\n`,
    );
    expect(output).not.toContain('A lawsuit');
    const printed = JSON.parse((await show(...ofHome(), '--json')).output) as object;
    expect(printed).toMatchObject({
      settings: [{ kind: 'reports', years: 12, isDefault: false }, {}, {}],
      legalHolds: [{ id: hold.id, placedBy: principal.userId }],
    });
  });

  it('reports an unknown organization', async () => {
    expect(await show('--organization', 'org_01kaj5zz3xfjtb8wq2m7v4c9ye')).toMatchObject({
      exitCode: 1,
      errors: 'No such organization.\n',
    });
  });
});
