import { describe, expect, it } from '@jest/globals';
import { LogExporter } from '../../../../src/domain/activity-log/index.js';
import { openGate } from '../../../kit/process/gate.js';
import { openTwoOrganizations } from '../../../kit/two-organizations.js';
import { sequence } from '../kit.js';

const { foundation, acme: seed, other } = await openTwoOrganizations();
await sequence(foundation);

describe('exports of a log', () => {
  it('take turns in one organization, and do not wait for another organization', async () => {
    const { principal } = seed.owner;
    const exporter = new LogExporter(foundation);
    using gate = openGate();
    const held = exporter.export({ principal, callerNow: () => gate.until().then(() => principal) }, {});
    await gate.arrived;
    const ended: string[] = [];
    const waiting = exporter.export({ principal }, {}).then(() => ended.push('the same organization'));
    await exporter.export({ principal: other.owner.principal }, {});
    ended.push('another organization');
    gate.release();
    await Promise.all([held, waiting]);
    expect(ended).toEqual(['another organization', 'the same organization']);
  });

  it('are refused if the permissions of the caller end while the export waits for its turn', async () => {
    const { principal } = seed.owner;
    const changed = { ...principal, name: 'Somebody else' };
    await expect(
      new LogExporter(foundation).export({ principal, callerNow: () => Promise.resolve(changed) }, {}),
    ).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });
});
