import type { initGraphQLTada, ResultOf } from 'gql.tada';
import type { introspection } from '../../../dist/portal/schema';

/** The scalars of the schema in JSON. Amounts are strings of base units and stay so. */
interface Scalars {
  DateTimeISO: string;
  LocalDate: string;
  SafeInt: number;
  JSONObject: Record<string, unknown>;
  JSON: unknown;
}

type Typed = ReturnType<
  typeof initGraphQLTada<{ introspection: introspection; scalars: Scalars; disableMasking: true }>
>;

interface Text {
  readonly text: string;
  readonly fragments: readonly Text[];
}

/**
 * A document, typed from the schema by its text. At runtime it is only its text: nothing is parsed in the browser, and no
 * GraphQL library is shipped.
 */
export const graphql = ((text: string, fragments: readonly Text[] = []): Text => ({
  text,
  fragments,
})) as unknown as Typed;

/** The document with every fragment that it needs, each once. */
export function textOf(document: unknown): string {
  const parts = new Set<string>();
  const add = ({ text, fragments }: Text) => {
    parts.add(text);
    fragments.forEach(add);
  };
  add(document as Text);
  return [...parts].join('\n');
}

export type { ResultOf } from 'gql.tada';

/** The values of an enum of the schema. */
export type EnumOf<Name extends keyof introspection['types'] & string> =
  introspection['types'][Name] extends { readonly enumValues: infer Value } ? Value & string : never;

/** The data of an answer of which no root field was refused: a root field is null only where it was. */
export type Granted<Result> = { readonly [Root in keyof Result]: NonNullable<Result[Root]> };
export type GrantedOf<Document> = Granted<ResultOf<Document>>;
