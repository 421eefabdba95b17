import pg, { type PoolClient, type QueryConfig } from 'pg';
import { presentScope, SCOPE_SETTING } from './acting-for.js';

type Answered = (error: Error | undefined, result: unknown) => void;
type Ask = (config: unknown, values?: unknown, answered?: unknown) => unknown;

const NAME = 'lucarne_scope';
const TEXT = `select set_config('${SCOPE_SETTING}', $1, true)`;

/**
 * Makes each statement of a connection say for whom it runs, without another round trip: a single statement is sent
 * together with the setting, and both are one transaction to PostgreSQL; a transaction is begun with it. The setting ends
 * with either, so that the next user of the connection inherits nothing.
 */
export function sendScope(client: PoolClient): void {
  const ask = client.query.bind(client) as unknown as Ask;
  // Each connection parses it once, before the first statement that needs it. A failure is that of the connection.
  ask({ name: NAME, text: TEXT, values: [''] }, () => undefined);
  const scoped: Ask = (config, values, answered) => {
    const scope = presentScope() ?? '';
    // Also in a transaction that failed: only a rollback may follow.
    const isInTransaction = client.getTransactionStatus() !== 'I';
    if (scope === '' || isInTransaction || isSubmittable(config) || isAlone(config))
      return ask(config, values, answered);
    // As Kysely begins a transaction.
    if (config === 'begin') {
      const setting = TEXT.replace('$1', () => client.escapeLiteral(scope));
      return ask(`begin; ${setting}`, values, answered);
    }
    if (typeof values === 'function')
      return ask(new ScopedQuery(scope, config as Asked, [], values as Answered));
    const parameters = (values ?? []) as unknown[];
    if (typeof answered === 'function')
      return ask(new ScopedQuery(scope, config as Asked, parameters, answered as Answered));
    return new Promise((resolve, reject) => {
      const settle: Answered = (error, result) => (error ? reject(error) : resolve(result));
      ask(new ScopedQuery(scope, config as Asked, parameters, settle));
    });
  };
  Object.assign(client, { query: scoped });
}

type Asked = string | QueryConfig;

const isSubmittable = (config: unknown): boolean =>
  typeof (config as { readonly submit?: unknown } | undefined)?.submit === 'function';

/** PostgreSQL refuses `vacuum` where anything is sent with it as one transaction, and no policy has a part in it. */
const isAlone = (config: unknown): boolean => {
  const text = typeof config === 'string' ? config : (config as QueryConfig | undefined)?.text;
  return text?.startsWith('vacuum') === true;
};

/** The part of a connection of `pg` that sends what follows in the extended protocol. */
interface Wire {
  bind(message: { readonly statement: string; readonly values: readonly string[] }): void;
  execute(message: { readonly rows: number }): void;
}

/** What `pg` calls on a query that it sends, and that its types leave out. */
interface Sent {
  prepare(wire: Wire): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, wire: Wire): void;
}

const SentQuery = pg.Query as unknown as new (
  config: QueryConfig,
  values: unknown[] | undefined,
  answered: Answered,
) => Sent;

/** A statement that is bound and executed after the setting, before one Sync. The answer to the setting is passed over. */
class ScopedQuery extends SentQuery {
  readonly #scope: string;
  #isSet = false;

  constructor(scope: string, asked: Asked, values: unknown[], answered: Answered) {
    const config = typeof asked === 'string' ? { text: asked, values } : asked;
    super({ ...config, queryMode: 'extended' } as QueryConfig, undefined, answered);
    this.#scope = scope;
  }

  override prepare(wire: Wire): void {
    wire.bind({ statement: NAME, values: [this.#scope] });
    wire.execute({ rows: 0 });
    super.prepare(wire);
  }

  override handleDataRow(message: unknown): void {
    if (this.#isSet) super.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, wire: Wire): void {
    if (this.#isSet) super.handleCommandComplete(message, wire);
    else this.#isSet = true;
  }
}
