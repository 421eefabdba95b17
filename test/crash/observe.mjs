// Lets a process die by SIGKILL at a chosen statement: `{ "after"?, "before" }`, see `Moment` of dying.ts.
import { createRequire } from 'node:module';
import process from 'node:process';

export const die = () => process.kill(process.pid, 'SIGKILL');

/** The target to connect to, so that the process dies at the moment. */
export async function observeTarget(target, moment) {
  let isPast = moment?.after === undefined;
  /** Called with each statement before it is sent. */
  function observe(statement) {
    if (moment === undefined) return;
    if (isPast && statement.startsWith(moment.before)) die();
    isPast ||= statement.startsWith(moment.after);
  }
  const observed =
    (send) =>
    (statement, ...rest) => {
      observe((typeof statement === 'string' ? statement : statement.text).trimStart());
      return send(statement, ...rest);
    };

  function observeServer() {
    // The ORM uses its own copy of the driver.
    const { Client } = createRequire(import.meta.resolve('@mikro-orm/postgresql'))('pg');
    const { query } = Client.prototype;
    Client.prototype.query = function (...parameters) {
      return observed(query.bind(this))(...parameters);
    };
    return { url: target.url };
  }

  async function observePglite() {
    const database = '../../dist/src/platform/database/index.js';
    const { openEmbedded } = await import(new URL(database, import.meta.url).href);
    const embedded = await openEmbedded(target.directory);
    const { query, transaction } = embedded;
    embedded.query = observed(query.bind(embedded));
    embedded.transaction = (inside) =>
      transaction.call(embedded, async (begun) => {
        const send = observed(begun.query.bind(begun));
        const result = await inside(
          new Proxy(begun, { get: (connection, name) => (name === 'query' ? send : connection[name]) }),
        );
        observe('commit');
        return result;
      });
    return { embedded };
  }

  return target.url === undefined ? await observePglite() : observeServer();
}
