import { protocol, type PGlite } from '@electric-sql/pglite';
import type { StatementResult } from '#lucarne/platform/database/embedded/embedded-database.js';

const { serialize } = protocol;

/** The members of PostgreSQL's messages that are read here. */
interface Message {
  readonly name: string;
  readonly dataTypeIDs?: readonly number[];
  readonly fields?: readonly unknown[];
  readonly text?: string;
}

interface Prepared {
  readonly name: string;
  readonly parameterTypes: readonly number[];
  readonly columns: readonly { readonly name: string; readonly dataTypeID: number }[];
}

/**
 * Runs statements like a PostgreSQL client that prepares each text once: each text is parsed and planned once for a world, and
 * each execution is one round of messages.
 */
export class PreparedStatements {
  readonly #pglite: PGlite;
  readonly #known = new Map<string, Prepared>();

  constructor(pglite: PGlite) {
    this.#pglite = pglite;
  }

  /** Forgets all statements. The plans of a world must not depend on earlier worlds. */
  async forget(): Promise<void> {
    this.#known.clear();
    await this.#pglite.exec('deallocate all; set plan_cache_mode = force_generic_plan');
  }

  query<Row>(text: string, parameters: readonly unknown[]): Promise<StatementResult<Row>> {
    return this.#pglite.runExclusive(async () => {
      const { name, parameterTypes, columns } = this.#known.get(text) ?? (await this.#prepare(text));
      const values = parameters.map((value, at) => this.#serialized(value, parameterTypes[at]));
      const messages = await this.#send(
        serialize.bind({ statement: name, values }),
        serialize.execute({}),
        serialize.sync(),
      );
      const rows = messages.filter((message) => message.name === 'dataRow');
      const tag = messages.find((message) => message.name === 'commandComplete')?.text ?? '';
      return {
        rows: rows.map(({ fields }) => this.#row(columns, fields as (string | null)[]) as Row),
        affectedRows: /^(INSERT|UPDATE|DELETE|MERGE)/.test(tag) ? Number(tag.split(' ').at(-1)) : 0,
      };
    });
  }

  async #prepare(text: string): Promise<Prepared> {
    const name = `simulated_${this.#known.size}`;
    const messages = await this.#send(
      serialize.parse({ name, text }),
      serialize.describe({ type: 'S', name }),
      serialize.sync(),
    );
    const parameterTypes = messages.find((message) => message.name === 'parameterDescription')!.dataTypeIDs!;
    const described = messages.find((message) => message.name === 'rowDescription')?.fields ?? [];
    const prepared = { name, parameterTypes, columns: described as Prepared['columns'] };
    this.#known.set(text, prepared);
    return prepared;
  }

  async #send(...messages: readonly Uint8Array[]): Promise<readonly Message[]> {
    const sent = Buffer.concat(messages);
    return (await this.#pglite.execProtocol(sent, { syncToFs: false })).messages;
  }

  #serialized(value: unknown, type = 0): string | null {
    if (value === null || value === undefined) return null;
    const { serializers } = this.#pglite as { readonly serializers: Partial<PGlite['serializers']> };
    return serializers[type]?.(value) ?? (value as { toString(): string }).toString();
  }

  #row(columns: Prepared['columns'], fields: readonly (string | null)[]): Record<string, unknown> {
    const row: Record<string, unknown> = {};
    const { parsers } = this.#pglite as { readonly parsers: Partial<PGlite['parsers']> };
    for (const [at, { name, dataTypeID }] of columns.entries()) {
      const text = fields[at] ?? null;
      const parser = parsers[dataTypeID];
      row[name] = text === null || !parser ? text : parser(text, dataTypeID);
    }
    return row;
  }
}
