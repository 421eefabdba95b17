import { beforeEach, describe, expect, it } from '@jest/globals';
import { PERMISSIONS } from '../../../../src/domain/access/index.js';
import {
  logSigningKeys,
  newestCheckpoint,
  organizationSigner,
  resumeRestoredLog,
  sequenceEntries,
  signLogIn,
  verifyExportedLog,
  verifyLogFile,
  type VerifyLogOptions,
} from '../../../../src/domain/activity-log/index.js';
import { declareSigningKeyCompromised } from '../../../../src/domain/organizations/signing-keys/declare-signing-key-compromised.js';
import { rotateSigningKey } from '../../../../src/domain/organizations/signing-keys/rotate-signing-key.js';
import {
  generateSigningKey,
  openCheckpoint,
  openNote,
  parseVerifierKey,
  verifierKey,
} from '../../../../src/platform/crypto/index.js';
import { sql } from '../../../../src/platform/database/index.js';
import { fc } from '../../../kit/properties.js';
import {
  seedMember,
  seedOrganization,
  type SeededOrganization,
  openTestFoundation,
} from '../../../kit/seed.js';
import { exportOf, failuresOf, type LogFile } from '../exporting/exported-log.js';
import { act, faultsOfLog, PUBLIC_HOST, sequence } from '../kit.js';

const DAY_MS = 86_400_000;
const reason = 'The yearly rotation';

let now: Date;
const { database, foundation } = await openTestFoundation({ now: () => now });

describe('the signing keys of a log', () => {
  let home: SeededOrganization;
  beforeEach(async () => {
    now = new Date();
    home = await seedOrganization(foundation);
    await sequence(foundation);
  });

  const organizationId = () => home.organization.id;
  const rotate = (input: object = {}, principal = home.owner.principal) =>
    rotateSigningKey(foundation, principal, { reason, ...input });
  /** A quarter of a day later: more than so many rotations a day are refused. */
  const rotateLater = (input: object = {}) => {
    now = new Date(now.getTime() + DAY_MS / 4);
    return rotate(input);
  };
  const declare = (epoch: number, fromIndex: number, principal = home.owner.principal) =>
    declareSigningKeyCompromised(foundation, principal, { epoch, fromIndex, reason: 'A laptop was stolen' });
  const newest = () => newestCheckpoint(database, organizationId());
  const opensWith = (note: string, key: string) => openCheckpoint(note, parseVerifierKey(key)!) !== undefined;
  const keys = async () => (await logSigningKeys(database, organizationId())).map((key) => key.verifierKey);
  const grow = async () => {
    await act(foundation, organizationId(), 1);
    await sequence(foundation);
    return newest();
  };
  const secrets = async () =>
    (
      await database.rows(sql<{ epoch: number }>`select epoch from signing_keys
        where organization_id = ${organizationId()} and sealed_secret is not null order by epoch`)
    ).map(({ epoch }) => epoch);
  const exported = async (applicationId?: SeededOrganization['application']['id']): Promise<LogFile> =>
    JSON.parse(
      await exportOf(database, organizationId(), applicationId === undefined ? {} : { applicationId }),
    ) as LogFile;
  const faults = (file: LogFile, options: VerifyLogOptions = {}) => failuresOf(verifyLogFile(file, options));

  it('are replaced by an entry that the old key signs, and both sign checkpoints for some days', async () => {
    const [first] = await keys();
    const rotated = await rotate({ overlapDays: 7 });
    expect(rotated).toMatchObject({ epoch: 2, cosignsUntil: null });
    const { note, size } = await newest();
    for (const key of [first!, rotated.verifierKey]) expect(opensWith(note, key)).toBe(true);
    const { entries } = await exported();
    expect(entries).toHaveLength(size);
    const { event_type: type, details } = entries.at(-1)!.entry;
    expect(type).toBe('signing_key.rotated');
    const { statement, ...rest } = details as { statement: string };
    expect(rest).toEqual({ previous_verifier_key: first, reason, verifier_key: rotated.verifierKey });
    expect(openNote(statement, parseVerifierKey(first!)!)).toContain(`\n${rotated.verifierKey}\n`);

    now = new Date(now.getTime() + 7 * DAY_MS - 1);
    expect(opensWith((await grow()).note, first!)).toBe(true);
    expect(await secrets()).toEqual([1, 2]);
    now = new Date(now.getTime() + 1);
    const alone = await grow();
    expect([first!, rotated.verifierKey].map((key) => opensWith(alone.note, key))).toEqual([false, true]);
    // A key that no longer signs cannot be stolen.
    expect(await secrets()).toEqual([2]);
    expect(await faultsOfLog(database, organizationId())).toEqual([]);
  });

  it('can be verified from any of them, also in partial exports and by older checkpoints', async () => {
    const before = await newest();
    await rotate();
    const between = await grow();
    await rotate({ overlapDays: 0 });
    await act(foundation, organizationId(), 1, { application: home.application });
    await sequence(foundation);
    const file = await exported();
    expect(file.key_changes).toHaveLength(2);
    for (const key of await keys())
      for (const since of [before.note, between.note])
        expect(faults(file, { verifierKey: key, since, complete: true })).toEqual([]);
    const part = await exported(home.application.id);
    expect(faults(part, { verifierKey: before.verifierKey })).toEqual([]);
    const streamed = await verifyExportedLog([Buffer.from(await exportOf(database, organizationId()))], {
      verifierKey: before.verifierKey,
    });
    expect(streamed && failuresOf(streamed)).toEqual([]);
    expect(streamed?.checks.find(({ name }) => name === 'keys')?.detail).toContain('3 keys signed the log');
    const stranger = verifierKey(file.origin, generateSigningKey().publicKey);
    expect(faults(file, { verifierKey: stranger })).toEqual([
      expect.stringContaining('None of the keys that signed the log is the expected key'),
    ]);
    expect(faults(file, { verifierKey: file.verifier_key.slice(0, -8) })).toEqual([
      expect.stringContaining('Copy the whole key again'),
    ]);
  });

  it('sign later entries with the newest one', async () => {
    const signer = () =>
      signLogIn(foundation, organizationId(), true, (transaction, signing) =>
        organizationSigner(transaction, signing, organizationId(), now),
      );
    expect(await signer()).toMatchObject({ epoch: 1 });
    await rotate();
    expect(await signer()).toMatchObject({ epoch: 2 });
  });

  it('are valid up to the index of a declared compromise, if a later key continues the log', async () => {
    const early = await newest();
    const late = await grow();
    await rotate();
    const both = await grow();
    const [, stolen] = await keys();
    const declared = await declare(1, early.size);
    expect(declared).toMatchObject({ epoch: 1, compromisedFrom: early.size, cosignsUntil: now });
    expect(opensWith((await newest()).note, stolen!)).toBe(false);
    expect(await secrets()).toEqual([2]);
    const file = await exported();
    expect(faults(file, { since: early.note, complete: true })).toEqual([]);
    // The later key also signed this one.
    expect(faults(file, { since: both.note })).toEqual([]);
    expect(faults(file, { since: late.note })).toEqual([
      expect.stringMatching(/^since: The only key that signed .* is declared compromised as of index \d+\./),
    ]);
    const verification = verifyLogFile(file, { verifierKey: stolen! });
    expect(verification.valid).toBe(true);
    expect(verification.unverified).toContainEqual(
      expect.stringContaining('That your organization chose the key after the expected key'),
    );
    await expect(declare(1, early.size)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('already'),
    });
    expect(await declare(1, 1)).toMatchObject({ compromisedFrom: 1 });
    expect(faults(await exported(), { since: early.note })).toEqual([
      expect.stringContaining('as of index 1'),
    ]);
  });

  it('produce a warning for verifiers that know only a key from before the stolen one', async () => {
    const [first] = await keys();
    await rotate();
    const { size } = await grow();
    await rotate();
    await declare(2, size);
    const { valid, unverified } = verifyLogFile(await exported(), { verifierKey: first! });
    expect(valid).toBe(true);
    expect(unverified).toContainEqual(
      expect.stringContaining('That your organization chose all keys after the expected key'),
    );
  });

  it('do not include one that another instance destroyed because its clock is ahead', async () => {
    await rotate({ overlapDays: 7 });
    await database.rows(sql`
      update signing_keys set sealed_secret = null where organization_id = ${organizationId()} and epoch = 1`);
    await act(foundation, organizationId(), 1);
    expect(await sequence(foundation)).toEqual([]);
  });

  it('refuse a checkpoint by a replaced key, as a process of the previous version would write it', async () => {
    await rotate();
    const { size } = await newest();
    const before = database.rows(sql`
      insert into log_checkpoints (organization_id, size, root, note, signed_at)
      select organization_id, size + 1, root, note, signed_at from log_checkpoints
      where organization_id = ${organizationId()} and size = ${size}`);
    await expect(before).rejects.toThrow('The signing key was replaced');
  });

  it('can be declared compromised after a restore, even if they have expired', async () => {
    const overlap = 7;
    await rotate({ overlapDays: overlap });
    const { size } = await newest();
    now = new Date(now.getTime() + (overlap + 1) * DAY_MS);
    const change = {
      organizationId: organizationId(),
      actor: { id: 'operator', name: 'Operator' },
      reason: 'Restored from the backup',
      at: now,
    };
    await signLogIn(foundation, organizationId(), true, (transaction, signing) =>
      resumeRestoredLog(transaction, signing, change),
    );
    const stored = await database.rows(sql`
      select epoch, compromised_from::int as "compromisedFrom" from signing_keys
      where organization_id = ${organizationId()} order by epoch`);
    expect(stored).toEqual([
      { epoch: 1, compromisedFrom: size },
      { epoch: 2, compromisedFrom: size },
      { epoch: 3, compromisedFrom: null },
    ]);
    expect(faults(await exported(), { complete: true })).toEqual([]);
  });

  it('need two owners where a second person is required, and rotate once for two concurrent requests', async () => {
    const olga = await seedMember(foundation, organizationId(), { owner: PERMISSIONS.owner }, 'Olga');
    const outcomes = await Promise.allSettled([
      rotate({ fromEpoch: 1 }),
      rotate({ fromEpoch: 1 }, olga.principal),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(rotate({ fromEpoch: 1 })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('rotated in the meantime'),
    });
    await database.rows(sql`
      update organizations set require_second_person = true where id = ${organizationId()}`);
    const proposed = { code: 'CONFLICT', reason: 'second_person_required' };
    await expect(rotate()).rejects.toMatchObject(proposed);
    await expect(rotate()).rejects.toMatchObject(proposed);
    expect(await rotate({}, olga.principal)).toMatchObject({ epoch: 3 });
    await expect(declare(1, 0)).rejects.toMatchObject(proposed);
    expect(await declare(1, 0, olga.principal)).toMatchObject({ compromisedFrom: 0 });
  });

  it.each([
    ['reason', 'an empty one', { reason: '' }],
    ['reason', 'one of 2001 characters', { reason: 'x'.repeat(2001) }],
    ['fromEpoch', '0', { fromEpoch: 0 }],
    ['overlapDays', '-1', { overlapDays: -1 }],
    ['overlapDays', '366', { overlapDays: 366 }],
  ])('name the wrong %s of a rotation: %s', async (member, _, input) => {
    await expect(rotate(input)).rejects.toMatchObject({ code: 'BAD_USER_INPUT', members: [{ member }] });
    expect(await keys()).toHaveLength(1);
  });

  it('are declared compromised by their successor, from an index that exists in the log', async () => {
    await expect(declare(1, 0)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('Call rotateSigningKey first'),
    });
    await rotate();
    await expect(declare(7, 0)).rejects.toMatchObject({ members: [{ member: 'epoch' }] });
    const { size } = await newest();
    await expect(declare(1, size + 1)).rejects.toMatchObject({ members: [{ member: 'fromIndex' }] });
    const rest = PERMISSIONS.owner.filter((name) => name !== 'policies:manage');
    const member = await seedMember(foundation, organizationId(), { owner: rest }, 'Mara');
    await expect(rotate({}, member.principal)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(declare(1, 0, member.principal)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  it('are declared compromised at most three times each, and once from 0, which leaves room for other keys and rotations', async () => {
    for (let entries = 0; entries < 4; entries += 1) await act(foundation, organizationId(), 1);
    await sequence(foundation);
    await rotate();
    for (const index of [4, 3, 2]) await declare(1, index);
    await expect(declare(1, 1)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('as of index 0'),
    });
    await expect(declare(1, 0)).resolves.toMatchObject({ compromisedFrom: 0 });
    await rotate();
    await expect(declare(2, 1)).resolves.toBeDefined();
    expect(failuresOf(verifyLogFile(await exported(), {}))).toEqual([]);
  });

  it('cannot be used up by one owner at once: others can rotate again after a day', async () => {
    for (let epoch = 2; epoch <= 5; epoch += 1) await rotate({ overlapDays: 0 });
    const olga = await seedMember(foundation, organizationId(), { owner: ['policies:manage'] });
    for (const { principal } of [home.owner, olga])
      await expect(rotate({}, principal)).rejects.toMatchObject({
        ...{ code: 'TOO_MANY_REQUESTS', retryAfterSeconds: DAY_MS / 1000 },
        message: expect.stringContaining('4 times in 24 hours'),
      });
    // A key that leaked is declared at once.
    await expect(declare(4, 0, olga.principal)).resolves.toBeDefined();
    now = new Date(now.getTime() + DAY_MS);
    await expect(rotate({}, olga.principal)).resolves.toMatchObject({ epoch: 6 });
  });

  it('are replaced at most a hundred times, because each export contains every change', async () => {
    for (let epoch = 2; epoch <= 101; epoch += 1) await rotateLater({ overlapDays: 0 });
    await expect(rotate()).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('100 times'),
    });
    expect((await exported()).key_changes).toHaveLength(100);
  });

  it('cannot be changed while the stored log contradicts its last checkpoint', async () => {
    await database.rows(sql`
      update log_tiles set hashes = ${new Uint8Array(32)} where organization_id = ${organizationId()}`);
    await expect(rotate()).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('contradicts its last checkpoint'),
    });
    expect(await keys()).toHaveLength(1);
  });

  it('lose no entry or checkpoint when two instances append, sequence and rotate in any order', async () => {
    const turn = fc.constantFrom('act', 'sequence', 'rotate', 'declare', 'both');
    const other = { ...foundation };
    const log = () => ({ organizationId: organizationId(), publicHost: PUBLIC_HOST });
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: 3, maxLength: 8 }), async (turns) => {
        home = await seedOrganization(foundation);
        await sequence(foundation);
        const seen = [await newest()];
        for (const kind of turns) {
          if (kind === 'act') await act(foundation, organizationId(), 2);
          if (kind === 'sequence') await sequenceEntries(other, log(), 1);
          if (kind === 'rotate') await rotateLater({ overlapDays: 1 });
          if (kind === 'declare') {
            const [, old] = await logSigningKeys(database, organizationId());
            if (old?.compromisedFrom === null) await declare(old.epoch, seen.at(-1)!.size);
          }
          if (kind === 'both')
            await Promise.all([
              rotateLater(),
              act(other, organizationId(), 2),
              sequenceEntries(other, log(), 1),
              sequenceEntries(foundation, log()),
            ]);
          seen.push(await newest());
        }
        expect(await sequence(other)).toEqual([]);
        expect(await faultsOfLog(database, organizationId())).toEqual([]);
        const file = await exported();
        for (const key of await keys())
          expect(faults(file, { verifierKey: key, complete: true })).toEqual([]);
        const chain = await logSigningKeys(database, organizationId());
        for (const { note, size } of seen) {
          const signers = chain.filter((key) => opensWith(note, key.verifierKey));
          const isGood = signers.some((key) => size <= (key.compromisedFrom ?? size));
          expect(faults(file, { since: note }).length).toBe(isGood ? 0 : 1);
        }
      }),
      { numRuns: 12 },
    );
  });
});
