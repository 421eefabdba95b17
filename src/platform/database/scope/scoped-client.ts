import pg, { type PoolClient, type QueryConfig } from 'pg';
import { presentScope, SCOPE_SETTING } from './acting-for.js';

type Answered = (error: Error | undefined, result: unknown) => void;
type Ask = (config: unknown, values?: unknown, answered?: unknown) => unknown;

const NAME = 'lucarne_scope';
const TEXT = `select set_config('${SCOPE_SETTING}', $1, true)`;
// Returns no row, because to write and read one takes longer than to set the value.
const SILENT = `select from (${TEXT} as value offset 0) as setting where value is null`;

/**
 * Sets the organization for each statement of a connection, without another round trip: a single statement is sent together
 * with the setting, and PostgreSQL runs both in one transaction; a transaction begins with it. The setting ends with
 * either, so that the next user of the connection inherits nothing.
 */
export function sendScope(client: PoolClient): void {
  const ask = client.query.bind(client) as unknown as Ask;
  const described: Described = new Map();
  // Each connection parses it once, before the first statement that needs it. A failure is that of the connection.
  ask({ name: NAME, text: SILENT, values: [''] }, () => undefined);
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
    const send = (parameters: unknown, settle: Answered) => {
      const asked: Asked =
        typeof config === 'string'
          ? { text: config, values: (parameters ?? []) as unknown[] }
          : (config as Asked);
      return ask(new ScopedQuery(scope, asked, described, settle));
    };
    if (typeof values === 'function') return send([], values as Answered);
    if (typeof answered === 'function') return send(values, answered as Answered);
    return new Promise((resolve, reject) => {
      send(values, (error, result) => (error ? reject(error) : resolve(result)));
    });
  };
  Object.assign(client, { query: scoped });
}

type Asked = Pick<QueryConfig, 'name' | 'text' | 'values'>;

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
  describe(message: unknown): void;
  execute(message: { readonly rows: number }): void;
}

/** How `pg` reads the columns of an answer. */
interface Columns {
  fields: unknown;
  _parsers: unknown;
  _prebuiltEmptyResultObject: unknown;
}

/** What `pg` calls on a query that it sends, and keeps in it, and that its types leave out. */
interface Sent {
  name: string | undefined;
  queryMode: 'extended';
  readonly _result: Columns;
  _accumulateRows: unknown;
  prepare(wire: Wire): void;
  handleRowDescription(message: unknown): void;
  handleCommandComplete(message: unknown, wire: Wire): void;
}

const SentQuery = pg.Query as unknown as new (
  text: string,
  values: unknown[] | undefined,
  answered: Answered,
) => Sent;

/**
 * By the names of the statements that a connection has prepared: the columns of their answers. PostgreSQL refuses a prepared
 * statement whose columns have changed (`cached plan must not change result type`).
 */
type Described = Map<string, Columns>;

/**
 * A statement that is bound and executed after the setting, before one Sync. The end of the setting is passed over. A
 * prepared statement is described to a connection once.
 */
class ScopedQuery extends SentQuery {
  readonly #scope: string;
  readonly #described: Described;
  #isSet = false;

  // By its parts, because `pg` copies the properties of a configuration, which takes longer.
  constructor(scope: string, { name, text, values }: Asked, described: Described, answered: Answered) {
    super(text, values, answered);
    this.name = name;
    this.queryMode = 'extended';
    this.#scope = scope;
    this.#described = described;
  }

  override prepare(wire: Wire): void {
    wire.bind({ statement: NAME, values: [this.#scope] });
    wire.execute({ rows: 0 });
    const columns = this.name === undefined ? undefined : this.#described.get(this.name);
    if (!columns) {
      super.prepare(wire);
      return;
    }
    Object.assign(this._result, columns);
    this._accumulateRows = true;
    super.prepare(withoutDescribe(wire));
  }

  override handleRowDescription(message: unknown): void {
    super.handleRowDescription(message);
    if (this.name !== undefined) {
      const { fields, _parsers, _prebuiltEmptyResultObject } = this._result;
      this.#described.set(this.name, { fields, _parsers, _prebuiltEmptyResultObject });
    }
  }

  override handleCommandComplete(message: unknown, wire: Wire): void {
    if (this.#isSet) super.handleCommandComplete(message, wire);
    else this.#isSet = true;
  }
}

const quiet = new WeakMap<Wire, Wire>();

/** The same connection, which asks for no description. */
function withoutDescribe(wire: Wire): Wire {
  const known = quiet.get(wire);
  if (known) return known;
  const made = Object.create(wire, { describe: { value: () => undefined } }) as Wire;
  quiet.set(wire, made);
  return made;
}
