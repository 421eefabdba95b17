import { expect, it } from '@jest/globals';
import { entities } from '../../../src/app/storage/entities.js';
import { connectDatabase, sql } from '../../../src/platform/database/index.js';
import { graphql, sessionOf, startTestApp } from '../../kit/app.js';
import { eventually } from '../../kit/eventually.js';
import { describeOnPostgresql } from '../../kit/database/on-postgresql.js';
import { openGate } from '../../kit/process/gate.js';

const LISTING = '{ disclosurePolicies { nodes { id } } }';
const ASSETS = '{ assets { nodes { id } } }';

describeOnPostgresql('a tenant whose listings are slow', () => {
  it('leaves connections to the other tenants, however many it asks for at once', async () => {
    await using app = await startTestApp();
    const { url = '' } = app.database as { readonly url?: string };
    await using outside = await connectDatabase({ entities, target: { url } });
    const slow = sessionOf(app, app.organization.owner.sessionToken);
    const quick = sessionOf(app, app.other.owner.sessionToken);

    // Each read of policies waits until it ends.
    using gate = openGate();
    const holding = outside.transaction(async (transaction) => {
      await transaction.rows(sql`lock table disclosure_policies in access exclusive mode`);
      await gate.until();
    });
    await gate.arrived;
    const asked = Array.from({ length: 100 }, () => graphql(app, LISTING, { headers: slow }));
    const waiting = sql<{ pid: number }>`
      select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await eventually(
      () => outside.rows(waiting),
      ({ length }) => length === 8,
    );

    for (let round = 0; round < 5; round += 1) {
      expect(await graphql(app, ASSETS, { headers: quick })).toEqual({
        ...{ status: 200, data: { assets: { nodes: [] } }, errors: undefined },
      });
      const { data } = await graphql(
        app,
        `mutation { createApplication(input: { foreignId: "quick-${round}", name: "Quick" }) { foreignId } }`,
        { headers: quick },
      );
      expect(data).toEqual({ createApplication: { foreignId: `quick-${round}` } });
    }
    expect(await outside.rows(waiting)).toHaveLength(8);

    // Those that wait too long are told so.
    const first = await Promise.race(asked.map(async (answer) => (await answer).errors?.[0]));
    expect(first).toMatchObject({
      message: 'Your organization has too many reads in progress. Try again.',
      extensions: { code: 'UNAVAILABLE' },
    });
    gate.release();
    await holding;
    const answers = await Promise.all(asked);
    expect(answers.filter(({ errors }) => errors === undefined).length).toBeGreaterThanOrEqual(8);
    expect((await graphql(app, LISTING, { headers: slow })).errors).toBeUndefined();
  });
});
