import { expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { sql } from '../../../src/platform/database/index.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { run, startGateway, temporaryDirectory } from '../gateway-process.js';
import { describeOnPostgresql } from '../../kit/database/on-postgresql.js';

describeOnPostgresql('a gateway whose database role has only the privileges that it needs', () => {
  it('runs both demos: it registers, indexes, decides, discloses, relays and keeps its log', async () => {
    await using database = await createTestDatabase();
    await using directory = await temporaryDirectory();
    const role = `lucarne_serve_${randomBytes(6).toString('hex')}`;
    const url = new URL(database.url!);
    url.username = role;
    await database.rows(sql`create role ${sql.id(role)} login`);
    try {
      const owner = { DATABASE_URL: database.url!, LUCARNE_DATA_DIR: directory.path };
      const granted = await run(['migrate', '--serve-as', role], owner);
      expect(granted).toMatchObject({
        ...{ exitCode: 0, errors: '', output: `The database is up to date.\nThe role ${role} may serve.\n` },
      });
      const environment = {
        ...{ DATABASE_URL: url.href, LUCARNE_DATA_DIR: directory.path, LUCARNE_DEMO: '1' },
        LUCARNE_MASTER_KEY: randomBytes(32).toString('base64'),
      };
      await using gateway = await startGateway(environment);
      for (const story of [['demo'], ['demo', 'relay']])
        expect(await run(story, environment)).toMatchObject({ exitCode: 0, errors: '' });
      const { output } = await gateway.kill('SIGTERM');
      expect(output).not.toContain('permission denied');
    } finally {
      await database.rows(sql`drop owned by ${sql.id(role)}`);
      await database.rows(sql`drop role ${sql.id(role)}`);
    }
  }, 480_000);

  it('does not start when an upgrade was migrated without the grants of a new table', async () => {
    await using database = await createTestDatabase();
    await using directory = await temporaryDirectory();
    const role = `lucarne_serve_${randomBytes(6).toString('hex')}`;
    const url = new URL(database.url!);
    url.username = role;
    await database.rows(sql`create role ${sql.id(role)} login`);
    try {
      const owner = { DATABASE_URL: database.url!, LUCARNE_DATA_DIR: directory.path };
      expect(await run(['migrate', '--serve-as', role], owner)).toMatchObject({ exitCode: 0 });
      const environment = {
        ...{ DATABASE_URL: url.href, LUCARNE_DATA_DIR: directory.path, LUCARNE_PORT: '0' },
        LUCARNE_MASTER_KEY: randomBytes(32).toString('base64'),
      };
      // A table of another program.
      await database.rows(sql`create table other_program (id integer)`);
      await database.rows(sql`revoke all on case_views from ${sql.id(role)}`);
      await database.rows(sql`revoke insert on reports from ${sql.id(role)}`);
      expect(await run(['serve'], environment)).toMatchObject({
        exitCode: 1,
        errors:
          'The role of DATABASE_URL cannot select, insert, update case_views, or insert reports, which serving needs. Run “lucarne migrate ' +
          '--serve-as ROLE” as the owner of the tables.\n',
      });
    } finally {
      await database.rows(sql`drop owned by ${sql.id(role)}`);
      await database.rows(sql`drop role ${sql.id(role)}`);
    }
  }, 480_000);

  it('is required in production: the gateway refuses to start as the owner of the tables unless allowed to', async () => {
    await using database = await createTestDatabase();
    await using directory = await temporaryDirectory();
    const environment = {
      ...{ NODE_ENV: 'production', DATABASE_URL: database.url!, LUCARNE_PUBLIC_URL: 'http://127.0.0.1:4000' },
      ...{ LUCARNE_PORT: '0', LUCARNE_DATA_DIR: directory.path, SOLANA_RPC_URL: 'http://127.0.0.1:9' },
      ...{ LUCARNE_MASTER_KEY: randomBytes(32).toString('base64'), LUCARNE_DRAIN_MS: '0' },
    };
    const refused = await run(['serve'], environment);
    expect(refused.exitCode).toBe(1);
    expect(refused.errors).toMatch(
      /^The role of DATABASE_URL has more privileges than serving needs: it is a superuser\. Run “lucarne migrate --serve-as ROLE” as the owner of the tables, and serve as that role; or set LUCARNE_SERVE_AS_OWNER=1 .*\n$/,
    );
    await using allowed = await startGateway({ ...environment, LUCARNE_SERVE_AS_OWNER: '1' });
    expect((await allowed.kill('SIGTERM')).output).toContain('as LUCARNE_SERVE_AS_OWNER allows');
  }, 480_000);
});
