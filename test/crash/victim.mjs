// Runs work in a separate process that SIGKILL ends at a chosen statement, or when the work is done:
//   node victim.mjs '{ "target", "masterKey", "stores"?, "signingKey"?, "work", "moment"? }', see dying.ts.
import 'reflect-metadata';
import { writeSync } from 'node:fs';
import process from 'node:process';
import { die, observeTarget } from './observe.mjs';
import { storesOf } from './stores-of.mjs';

const { target, masterKey, stores, signingKey, work, moment } = JSON.parse(process.argv[2]);
const dist = (path) => import(new URL(`../../dist/src/${path}`, import.meta.url).href);
const { connectDatabase } = await dist('platform/database/index.js');
const { inProcessSignals } = await dist('platform/signals/index.js');
const { createSealer } = await dist('platform/crypto/index.js');
const { systemClock } = await dist('platform/kernel/clock.js');
const { systemRandom } = await dist('platform/kernel/random.js');
const { silentLog } = await dist('platform/kernel/log.js');
const keys = await dist('platform/keys/index.js');

/** Writes synchronously, so that the parent receives the line even if the process dies immediately afterwards. */
const say = (line) => writeSync(process.stdout.fd, `${line}\n`);

const { entities } = await dist('app/storage/entities.js');
const database = await connectDatabase({
  entities,
  target: await observeTarget(target, moment),
});
async function openSealer() {
  if (typeof masterKey === 'string') return createSealer(Buffer.from(masterKey, 'base64'));
  const { PURPOSES: purposes } = await dist('app/storage/sealed-columns.js');
  const masterKeys = keys.createMasterKeys(masterKey, storesOf(keys, stores));
  const keyring = keys.createKeyring({
    database,
    masterKeys,
    purposes,
    random: systemRandom,
    log: silentLog,
  });
  await keyring.open();
  return keyring.sealer;
}
const foundation = {
  database,
  reads: database,
  signals: inProcessSignals(),
  clock: systemClock,
  random: systemRandom,
  sealer: await openSealer(),
  signingKeys: keys.createKeptSigningKeys(storesOf(keys, stores), signingKey && keys.parseKeyUri(signingKey)),
  log: silentLog,
};

const { sequenceEntries } = await dist('domain/activity-log/index.js');
const { operatorOf } = await dist('domain/access/index.js');
const { createApplication } = await dist('domain/organizations/index.js');

const works = {
  /** Creates an application, and then sequences the waiting entries. */
  async actThenSequence() {
    await create(work.foreignId);
    await sequenceEntries(foundation, work.log);
  },

  /** Creates applications with several writers while several sequencers run, and prints each created application. */
  async actAndSequence() {
    const write = async (writer) => {
      for (let number = 0; ; number += 1) say((await create(`${work.prefix}-${writer}-${number}`)).foreignId);
    };
    const sequence = async () => {
      for (;;) await sequenceEntries(foundation, work.log, 3);
    };
    await Promise.all([write('one'), write('two'), sequence(), sequence()]);
  },

  /** Generates a report of a case for the session's user. */
  async report() {
    const { createReporting } = await dist('domain/reports/index.js');
    const { generateCaseReport } = await dist('domain/reports/generation/generate-case-report.js');
    const session = await sessionOf(work.sessionToken);
    // Its records are public, so nothing is decrypted.
    const reporting = createReporting(foundation, { pool: undefined, publicHost: () => work.log.publicHost });
    await generateCaseReport(reporting, session.principal, { ...work.input, wait: true });
  },

  /** Rotates the signing key of the session's organization. */
  async rotateSigningKey() {
    const { rotateSigningKey } = await dist('domain/organizations/signing-keys/rotate-signing-key.js');
    const { principal } = await sessionOf(work.sessionToken);
    await rotateSigningKey(foundation, principal, { reason: 'The yearly rotation' });
  },

  /** Declares, as the second owner, that the first signing key of the session's organization is lost. */
  async declareSigningKeyLost() {
    const { declareSigningKeyLost } = await dist(
      'domain/organizations/signing-keys/declare-signing-key-lost.js',
    );
    const { principal } = await sessionOf(work.sessionToken);
    await declareSigningKeyLost(foundation, principal, { epoch: 1, reason: 'The token was destroyed' });
  },

  /** Declares that the first signing key of the session's organization was compromised from its second entry on. */
  async declareSigningKeyCompromised() {
    const { declareSigningKeyCompromised } = await dist(
      'domain/organizations/signing-keys/declare-signing-key-compromised.js',
    );
    const { principal } = await sessionOf(work.sessionToken);
    const declared = { epoch: 1, fromIndex: 1, reason: 'A backup was stolen' };
    await declareSigningKeyCompromised(foundation, principal, declared);
  },

  /** Rotates the auditor key of the session's organization. */
  async rotateAuditorKey() {
    const { rotateAuditorKey } = await dist('domain/assets/auditor-keys/rotate-auditor-key.js');
    const { principal } = await sessionOf(work.sessionToken);
    await rotateAuditorKey(foundation, principal, { reason: 'The yearly rotation', fromEpoch: 1 });
  },

  /** Imports an auditor key, as the operator does. */
  async importAuditorKey() {
    const { importAuditorKey } = await dist('domain/assets/index.js');
    const { keypair } = work;
    await importAuditorKey(foundation, operatorOf(work.log.organizationId), { keypair, reason: 'Ours' });
  },

  /** Exports the first auditor key, as the second owner. */
  async exportAuditorKey() {
    const { exportAuditorKey } = await dist('domain/assets/auditor-keys/export-auditor-key.js');
    const { principal } = await sessionOf(work.sessionToken);
    const input = { epoch: 1, recipients: [work.recipient], reason: 'For the escrow' };
    say((await exportAuditorKey(foundation, principal, true, input)).ageFile);
  },

  /** Moves old records into a part. */
  async moveRecords() {
    const { moveOldRecords } = await dist('domain/transactions/index.js');
    const { batchSize } = work;
    await moveOldRecords(database, { before: new Date(work.before), tablespace: null, batchSize });
  },

  /** Archives a part in a file. */
  async archiveRecords() {
    const { archivePart } = await dist('domain/transactions/index.js');
    const { file, batchSize } = work;
    await archivePart(database, { before: new Date(work.before), file, batchSize });
  },

  /** Attaches it again. */
  async attachRecords() {
    const { attachPart } = await dist('domain/transactions/index.js');
    await attachPart(database, { file: work.file, tablespace: null });
  },
};

async function sessionOf(token) {
  const { findSessions } = await dist('domain/access/authentication/find-sessions.js');
  const { hashSessionToken } = await dist('domain/access/authentication/session-lifetime.js');
  const [session] = await findSessions(database, [hashSessionToken(token)]);
  return session;
}

const create = (foreignId) =>
  createApplication(foundation, operatorOf(work.log.organizationId), { foreignId, name: foreignId });

await works[work.kind]();
if (moment !== undefined) throw new Error(`${work.kind} never came to ${JSON.stringify(moment)}.`);
die();
