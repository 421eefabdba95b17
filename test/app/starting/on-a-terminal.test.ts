import { describe, expect, it } from '@jest/globals';
import { packageVersion } from '../../../src/platform/kernel/package.js';
import { runOnTerminal } from '../../kit/process/pseudo-terminal.js';
import { dataDirectory, startGateway, temporaryDirectory } from '../gateway-process.js';

const CONTROL_C = '\u0003';

describe('a gateway', () => {
  it('prints its version, roles, pools, missing settings and readable logs on a terminal', async () => {
    await using directory = await temporaryDirectory();
    const environment = { LUCARNE_DATA_DIR: directory.path, LUCARNE_PORT: '0', NO_COLOR: '1' };
    const { exitCode, screen } = await runOnTerminal(['serve'], environment, [
      { shown: 'npx lucarne demo relay', keys: CONTROL_C },
    ]);
    expect(exitCode).toBe(0);
    expect(screen).toMatch(new RegExp(`Lucarne ${packageVersion} serves http://127\\.0\\.0\\.1:\\d+\\r`));
    // Browsers create no passkeys for an address.
    expect(screen).toMatch(/ {2}Portal {5}http:\/\/localhost:\d+\/portal\//);
    expect(screen).toMatch(/ {2}Roles {6}api, indexer, relayer\r/);
    expect(screen).toMatch(/ {2}Pools {6}local-test-pool(, \S+){2}\r/);
    expect(screen).toMatch(/ {2}Missing {4}a sanctions list or a screening service: LUCARNE_SANCTIONS_FILE/);
    expect(screen).toMatch(/Two demo organizations; .*demo\.json/);
    expect(screen).toMatch(/\[\d\d:\d\d:\d\d\] INFO: The database was migrated\. \{.*\}\r/);
    expect(screen).not.toContain('"level":');
  });

  it('prints the same as one line of JSON when the output is not a terminal', async () => {
    await using directory = await dataDirectory();
    await using gateway = await startGateway({ LUCARNE_DATA_DIR: directory.path });
    const { output } = await gateway.kill('SIGTERM');
    const lines = output
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.filter(({ msg }) => msg === `Lucarne serves ${gateway.url}`)).toEqual([
      expect.objectContaining({
        level: 'info',
        version: packageVersion,
        address: gateway.url,
        portal: `${gateway.url.replace('127.0.0.1', 'localhost')}/portal/`,
        roles: ['api', 'indexer', 'relayer'],
        pools: expect.arrayContaining(['local-test-pool']),
        missing: expect.arrayContaining([expect.stringContaining('LUCARNE_SMTP_URL')]),
      }),
    ]);
  });
});
