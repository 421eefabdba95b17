// Does a piece of work in a process of its own, which SIGKILL ends at a chosen statement, or once the work is done:
//   node victim.mjs '{ "target", "masterKey", "work", "moment"? }', as dying.ts says.
import 'reflect-metadata';
import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import process from 'node:process';

const { target, masterKey, work, moment } = JSON.parse(process.argv[2]);
const dist = (path) => import(new URL(`../../dist/${path}`, import.meta.url).href);
const { connectDatabase, inProcessSignals, openPglite } = await dist('database/index.js');
const { createSealer } = await dist('crypto/index.js');
const { systemClock } = await dist('kernel/clock.js');
const { systemRandom } = await dist('kernel/random.js');
const { silentLog } = await dist('kernel/log.js');

const die = () => process.kill(process.pid, 'SIGKILL');
/** What the parent reads here, it reads though the process dies the moment after. */
const say = (line) => writeSync(process.stdout.fd, `${line}\n`);

let isBehind = moment?.behind === undefined;
/** Told each statement before it is sent. */
function observe(statement) {
  if (moment === undefined) return;
  if (isBehind && statement.startsWith(moment.before)) die();
  isBehind ||= statement.startsWith(moment.behind);
}
const observed =
  (send) =>
  (statement, ...rest) => {
    observe((typeof statement === 'string' ? statement : statement.text).trimStart());
    return send(statement, ...rest);
  };

function observeServer() {
  // The driver that the database is spoken to with is the ORM's own.
  const { Client } = createRequire(import.meta.resolve('@mikro-orm/postgresql'))('pg');
  const { query } = Client.prototype;
  Client.prototype.query = function (...parameters) {
    return observed(query.bind(this))(...parameters);
  };
  return { url: target.url };
}

async function observePglite() {
  const pglite = await openPglite(target.directory);
  const { query, transaction } = pglite;
  pglite.query = observed(query.bind(pglite));
  pglite.transaction = (inside) =>
    transaction.call(pglite, async (begun) => {
      const send = observed(begun.query.bind(begun));
      const result = await inside(
        new Proxy(begun, { get: (of, name) => (name === 'query' ? send : of[name]) }),
      );
      observe('commit');
      return result;
    });
  return { pglite };
}

const { entities } = await dist('entities.js');
const database = await connectDatabase({
  entities,
  target: target.url === undefined ? await observePglite() : observeServer(),
});
const foundation = {
  database,
  signals: inProcessSignals(),
  clock: systemClock,
  random: systemRandom,
  sealer: createSealer(Buffer.from(masterKey, 'base64')),
  log: silentLog,
};

const { sequenceEntries } = await dist('activity-log/index.js');
const { createApplication, operatorOf } = await dist('organizations/index.js');

const works = {
  /** Creates an application, and then gives the entries that wait their indexes. */
  async actThenSequence() {
    await create(work.foreignId);
    await sequenceEntries(foundation, work.log);
  },

  /** Creates applications by several writers, while several sequencers are at the log, and says each that is there. */
  async actAndSequence() {
    const write = async (writer) => {
      for (let number = 0; ; number += 1) say((await create(`${work.prefix}-${writer}-${number}`)).foreignId);
    };
    const sequence = async () => {
      for (;;) await sequenceEntries(foundation, work.log, 3);
    };
    await Promise.all([write('one'), write('two'), sequence(), sequence()]);
  },

  /** Makes a report of a case for the session's user. */
  async report() {
    const { createReporting } = await dist('reports/index.js');
    const { generateCaseReport } = await dist('reports/generate-case-report.js');
    const { findSessions } = await dist('organizations/sessions.js');
    const { hashSessionToken } = await dist('organizations/session-lifetime.js');
    const [session] = await findSessions(database, [hashSessionToken(work.sessionToken)]);
    // Its records are public: nothing is decrypted.
    const reporting = createReporting(foundation, { pool: undefined, publicHost: () => work.log.publicHost });
    await generateCaseReport(reporting, session.principal, { ...work.input, wait: true });
  },
};

const create = (foreignId) =>
  createApplication(foundation, operatorOf(work.log.organizationId), { foreignId, name: foreignId });

await works[work.kind]();
if (moment !== undefined) throw new Error(`${work.kind} never came to ${JSON.stringify(moment)}.`);
die();
