import { describe, expect, it } from '@jest/globals';
import {
  exportText,
  LogExporter,
  newestCheckpoint,
  startLogExport,
  verifyExportedLog,
  verifyLogFile,
} from '../../../../src/domain/activity-log/index.js';
import { leafHash } from '../../../../src/platform/crypto/index.js';
import { sql } from '../../../../src/platform/database/index.js';
import { newId } from '../../../../src/platform/kernel/ids.js';
import { type SeededUser, seedMember, seedOrganization, openTestFoundation } from '../../../kit/seed.js';
import { codeOf, setClock } from '../../cases/kit.js';
import { act, loggedEntries, sequence } from '../kit.js';

/** More than a part covers. */
const MANY = 11_500;

type Filters = Parameters<typeof startLogExport>[2];

const clock = setClock();
const { database, foundation } = await openTestFoundation(clock);
const exporter = new LogExporter(foundation);
const seed = await seedOrganization(foundation);
await act(foundation, seed.organization.id, 3, { application: seed.application });
await sequence(foundation);
await database.rows(sql`
  insert into activity_entries (id, organization_id, event_type, actor_id, entry, salts, leaf_hash, created_at)
  select 'log_' || n, ${seed.organization.id}, 'asset.created', 'operator', '{}', '{}', ${leafHash('{}')}, now()
  from generate_series(1, ${MANY}) as n`);
await act(foundation, seed.organization.id, 2, { application: seed.application });
await sequence(foundation);

describe('an export of a log in parts', () => {
  const part = ({ principal }: SeededUser, after: string, filters: Filters = {}) =>
    exporter.part({ principal }, { ...filters, after });

  /** All parts of a new export. */
  async function partsOf(user: SeededUser, filters: Filters = {}) {
    const { checkpoint, cursor } = await startLogExport(foundation, user.principal, filters);
    const parts = [await part(user, cursor, filters)];
    for (let next = parts[0]!.nextCursor; next !== null; next = parts.at(-1)!.nextCursor)
      parts.push(await part(user, next, filters));
    return { checkpoint, size: checkpoint.size, parts, file: parts.map(({ text }) => text).join('') };
  }

  const exportsLogged = async () =>
    (await loggedEntries(database, seed.organization.id)).filter(
      ({ entry }) => entry['event_type'] === 'log.exported',
    );

  it('is the file of any length that verifies offline, and is logged once', async () => {
    const before = (await exportsLogged()).length;
    const { checkpoint, size, parts, file } = await partsOf(seed.owner);
    expect(checkpoint).toEqual(await newestCheckpoint(database, seed.organization.id));
    expect(parts.length).toBeGreaterThan(10);
    let whole = '';
    for await (const piece of exportText(database, checkpoint, { organizationId: seed.organization.id }))
      whole += piece;
    expect(file === whole).toBe(true);
    const options = { complete: true, verifierKey: checkpoint.verifierKey };
    expect(await verifyExportedLog([Buffer.from(file)], options)).toMatchObject({ valid: true });
    expect(verifyLogFile(JSON.parse(file), options)).toMatchObject({ valid: true });
    expect(parts.map(({ entries }) => entries).reduce((sum, entries) => sum + entries)).toBe(size);
    expect(parts.at(-1)!.covered).toBe(size);
    const logged = await exportsLogged();
    expect(logged).toHaveLength(before + 1);
    expect(logged.at(-1)!.entry['details']).toMatchObject({ format: 'json', entries: size, log_size: size });
  });

  it('covers a bounded part of the log in each part, however little of it the filters select', async () => {
    const filters = { foreignId: 'payments', eventType: 'asset.created' };
    const viewer = await seedMember(foundation, seed.organization.id, {
      applications: [{ foreignId: 'payments', common: ['logs:view_activity'] }],
    });
    const { size, parts, file } = await partsOf(viewer, filters);
    expect(parts.map(({ entries, covered }) => [entries, covered])).toEqual([
      [3, 10_000],
      [2, size],
    ]);
    expect(await verifyExportedLog([Buffer.from(file)])).toMatchObject({ valid: true });
    expect((JSON.parse(file) as { entries: unknown[] }).entries).toHaveLength(5);
    const [last] = (await exportsLogged()).slice(-1);
    expect(last!.entry['details']).toMatchObject({ entries: null, event_type: 'asset.created' });
  });

  it('is a file without entries if no entry matches the filter', async () => {
    const { file } = await partsOf(seed.owner, { objectId: newId('ast') });
    expect((JSON.parse(file) as { entries: unknown[] }).entries).toEqual([]);
    expect(await verifyExportedLog([Buffer.from(file)])).toMatchObject({ valid: true });
  });

  it('has the entries of its checkpoint, whatever is logged meanwhile, and a part can be read again', async () => {
    const { checkpoint, cursor } = await startLogExport(foundation, seed.owner.principal, {});
    const { size } = checkpoint;
    await act(foundation, seed.organization.id, 1);
    await sequence(foundation);
    const first = await part(seed.owner, cursor);
    expect((await part(seed.owner, cursor)).text).toBe(first.text);
    let last = first;
    while (last.nextCursor !== null) last = await part(seed.owner, last.nextCursor);
    expect(last.covered).toBe(size);
    expect(last.text).toContain(`{"index":${size - 1},`);
    expect(last.text).not.toContain(`{"index":${size},`);
  });

  it('is read only by the user who started it, with its filters, for 24 hours', async () => {
    const { owner } = seed;
    const filters = { eventType: 'asset.created' };
    const { cursor } = await startLogExport(foundation, owner.principal, filters);
    const second = await seedMember(foundation, seed.organization.id, { owner: ['logs:view_activity'] });
    const code = (user: SeededUser, after = cursor, other: Filters = filters) =>
      codeOf(part(user, after, other));
    expect(await code(owner)).toBe('DONE');
    expect(await code(owner, cursor, {})).toBe('BAD_USER_INPUT');
    expect(await code(second)).toBe('BAD_USER_INPUT');
    const forged = Buffer.from(cursor, 'base64url');
    forged[forged.length - 1]! ^= 1;
    expect(await code(owner, forged.toString('base64url'))).toBe('BAD_USER_INPUT');
    expect(await code(owner, '')).toBe('BAD_USER_INPUT');
    clock.advance(24 * 3_600_000);
    expect(await code(owner)).toBe('DONE');
    clock.advance(1);
    expect(await code(owner)).toBe('BAD_USER_INPUT');
  });

  it('needs the permission for each part', async () => {
    const { organization } = seed;
    const leaver = await seedMember(foundation, organization.id, { owner: ['logs:view_activity'] });
    const { cursor } = await startLogExport(foundation, leaver.principal, {});
    const caller = { ...leaver.principal, grants: { ...leaver.principal.grants, owner: new Set<never>() } };
    expect(await codeOf(exporter.part({ principal: caller }, { after: cursor }))).toBe('FORBIDDEN');
    // It ended while the part waited for its turn.
    const ended = { principal: leaver.principal, callerNow: () => Promise.resolve(caller) };
    expect(await codeOf(exporter.part(ended, { after: cursor }))).toBe('UNAUTHENTICATED');
    expect(await codeOf(startLogExport(foundation, caller, {}))).toBe('FORBIDDEN');
    expect(await codeOf(startLogExport(foundation, undefined, {}))).toBe('UNAUTHENTICATED');
    expect(await codeOf(startLogExport(foundation, seed.apiKey.principal, {}))).toBe('FORBIDDEN');
  });
});
