import {
  Kind,
  Lexer,
  Source,
  TokenKind,
  type DocumentNode,
  type FragmentDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { badUserInput } from '../../../platform/kernel/errors.js';
import { unreachable } from '../../../platform/kernel/unreachable.js';

/**
 * The limits of a GraphQL document. Some validation rules compare each field with every other field of the same name, so
 * their work grows with the square of the document. These limits are checked first, in linear time.
 */
export const DOCUMENT_LIMITS = {
  /** Tokens, counted while parsing. */
  tokens: 2_000,
  /** Lines, counted before parsing. Each error of the document searches them for its place. */
  lines: 2_000,
  /** Levels of brackets of any kind, counted before parsing, because the parser is recursive. */
  nesting: 100,
  operations: 20,
  fragments: 30,
  /** Fields, inline fragments and fragment spreads. */
  selections: 500,
  /** Fields, inline fragments and fragment spreads after each spread is replaced by its fragment. */
  expandedSelections: 2_000,
  /** Pairs of selections with the same name. */
  sameNamePairs: 2_000,
  aliases: 20,
  directives: 20,
  /** Levels of fields, without introspection. */
  depth: 10,
} as const;

type Limit = Exclude<keyof typeof DOCUMENT_LIMITS, 'tokens' | 'lines' | 'nesting'>;

const DESCRIPTIONS: Readonly<Record<Limit, string>> = {
  operations: 'operations',
  fragments: 'fragments',
  selections: 'fields and fragments',
  expandedSelections: 'fields once its fragments are expanded',
  sameNamePairs: 'pairs of fields with the same name',
  aliases: 'aliases',
  directives: 'directives',
  depth: 'levels of fields',
};

const STEPS: Readonly<Partial<Record<TokenKind, number>>> = {
  [TokenKind.BRACE_L]: 1,
  [TokenKind.BRACKET_L]: 1,
  [TokenKind.PAREN_L]: 1,
  [TokenKind.BRACE_R]: -1,
  [TokenKind.BRACKET_R]: -1,
  [TokenKind.PAREN_R]: -1,
};

/** The errors that validation looks for. */
export const MAX_VALIDATION_ERRORS = 20;

/**
 * Refuses a text with too many lines, or whose brackets are nested too deeply: parsing it would exhaust the stack. It reads no
 * more tokens than the parser does.
 *
 * @throws {GraphQLError} if the text has no token, as the parser does.
 */
export function checkText(query: string): void {
  checkLines(query);
  const lexer = new Lexer(new Source(query));
  let depth = 0;
  for (let tokens = 0; tokens <= DOCUMENT_LIMITS.tokens; tokens += 1) {
    const { kind } = lexer.advance();
    if (kind === TokenKind.EOF) return;
    depth += STEPS[kind] ?? 0;
    if (depth > DOCUMENT_LIMITS.nesting)
      throw badUserInput(`The document is nested more than ${DOCUMENT_LIMITS.nesting} levels deep.`);
  }
}

/** GraphQL, 2.1.2: a line ends with a line feed, a carriage return, or both. */
function checkLines(query: string): void {
  let lines = 1;
  for (let at = 0; at < query.length; at += 1) {
    const character = query.charCodeAt(at);
    if (character === LINE_FEED || (character === CARRIAGE_RETURN && query.charCodeAt(at + 1) !== LINE_FEED))
      lines += 1;
  }
  if (lines > DOCUMENT_LIMITS.lines)
    throw badUserInput(`The document has ${lines} lines; the limit is ${DOCUMENT_LIMITS.lines}.`);
}

const [LINE_FEED, CARRIAGE_RETURN] = [0x0a, 0x0d];

/** Refuses a document that exceeds {@link DOCUMENT_LIMITS}. Takes time linear in the document. */
export function checkDocumentBounds(document: DocumentNode): void {
  const size = sizeOf(document);
  for (const limit of Object.keys(DESCRIPTIONS) as Limit[]) {
    if (size[limit] <= DOCUMENT_LIMITS[limit]) continue;
    throw badUserInput(
      `The document has ${size[limit]} ${DESCRIPTIONS[limit]}; the limit is ${DOCUMENT_LIMITS[limit]}.`,
    );
  }
}

function sizeOf(document: DocumentNode): Record<Limit, number> {
  const fragments = new Map<string, FragmentDefinitionNode>();
  const roots: SelectionSetNode[] = [];
  const size = { operations: 0, fragments: 0, selections: 0, aliases: 0, directives: 0, sameNamePairs: 0 };
  const sameName = new Map<string, number>();
  const open: SelectionNode[] = [];
  for (const definition of document.definitions) {
    // Validation refuses type definitions.
    if (definition.kind !== Kind.OPERATION_DEFINITION && definition.kind !== Kind.FRAGMENT_DEFINITION)
      continue;
    if (definition.kind === Kind.FRAGMENT_DEFINITION) {
      size.fragments += 1;
      fragments.set(definition.name.value, definition);
    } else {
      size.operations += 1;
      roots.push(definition.selectionSet);
      for (const variable of definition.variableDefinitions ?? [])
        size.directives += variable.directives?.length ?? 0;
    }
    size.directives += definition.directives?.length ?? 0;
    open.push(...definition.selectionSet.selections);
  }
  for (let selection = open.pop(); selection; selection = open.pop()) {
    size.selections += 1;
    size.directives += selection.directives?.length ?? 0;
    if (selection.kind === Kind.FIELD && selection.alias) size.aliases += 1;
    const name = nameOf(selection);
    const before = sameName.get(name) ?? 0;
    size.sameNamePairs += before;
    sameName.set(name, before + 1);
    if (selection.kind !== Kind.FRAGMENT_SPREAD && selection.selectionSet)
      open.push(...selection.selectionSet.selections);
  }
  const expand = expander(fragments);
  const expanded = roots.map(expand);
  return {
    ...size,
    expandedSelections: expanded.reduce((sum, { selections }) => sum + selections, 0),
    depth: Math.max(0, ...expanded.map(({ depth }) => depth)),
  };
}

function nameOf(selection: SelectionNode): string {
  switch (selection.kind) {
    case Kind.FIELD:
      return (selection.alias ?? selection.name).value;
    case Kind.FRAGMENT_SPREAD:
      return `...${selection.name.value}`;
    case Kind.INLINE_FRAGMENT:
      return '...';
    default:
      return unreachable(selection);
  }
}

interface Expanded {
  readonly depth: number;
  readonly selections: number;
}

const NOTHING: Expanded = { depth: 0, selections: 0 };

/** Expands each fragment once, however often it is spread. Validation refuses cycles, so they count as empty here. */
function expander(
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): (set: SelectionSetNode) => Expanded {
  const expandedFragments = new Map<string, Expanded>();
  const ofFragment = (name: string): Expanded => {
    const known = expandedFragments.get(name);
    if (known) return known;
    expandedFragments.set(name, NOTHING);
    const fragment = fragments.get(name);
    const expanded = fragment ? ofSet(fragment.selectionSet) : NOTHING;
    expandedFragments.set(name, expanded);
    return expanded;
  };
  const ofSet = (set: SelectionSetNode): Expanded => {
    let [depth, selections] = [0, 0];
    for (const selection of set.selections) {
      const inner = innerOf(selection);
      depth = Math.max(depth, inner.depth);
      selections += 1 + inner.selections;
    }
    return { depth, selections };
  };
  const innerOf = (selection: SelectionNode): Expanded => {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return ofFragment(selection.name.value);
    const { selections, depth } = selection.selectionSet ? ofSet(selection.selectionSet) : NOTHING;
    if (selection.kind === Kind.INLINE_FRAGMENT) return { selections, depth };
    return { selections, depth: selection.name.value.startsWith('__') ? 0 : depth + 1 };
  };
  return ofSet;
}
