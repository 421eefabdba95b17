import {
  createSourceEventStream,
  execute,
  getOperationAST,
  Kind,
  visit,
  type ExecutionArgs,
  type ExecutionResult,
  type OperationDefinitionNode,
} from 'graphql';
import { mapEvents } from './map-events.js';

type Results = WeakMap<object, Promise<ExecutionResult>>;

/** By operation, and then by event: gone with the document, or with the event. */
const resultsOf = new WeakMap<OperationDefinitionNode, Results>();
/** The JSON of results that are shared. */
const texts = new WeakMap<ExecutionResult, string>();

/**
 * `subscribe` of graphql-js, which executes an event once for all who subscribe with the same document and are given the
 * same object as the event. Only where the field has the extension `sameForAll`: nothing below it reads the context, so
 * that its events are the same for everyone who may see them.
 */
export async function subscribeShared(
  args: ExecutionArgs,
): Promise<AsyncGenerator<ExecutionResult, void, void> | ExecutionResult> {
  const events = await createSourceEventStream(args);
  if (!(Symbol.asyncIterator in events)) return events;
  const executed = async (event: unknown) => execute({ ...args, rootValue: event });
  const operation = getOperationAST(args.document, args.operationName);
  if (!operation || !isSameForAll(args, operation)) return mapEvents(events, executed);

  const results: Results = resultsOf.get(operation) ?? new WeakMap();
  resultsOf.set(operation, results);
  return mapEvents(events as AsyncIterable<object>, (event) => {
    const known = results.get(event);
    if (known) return known;
    const result = executed(event).then((made) => {
      if (!made.errors) texts.set(made, JSON.stringify(made));
      return made;
    });
    results.set(event, result);
    return result;
  });
}

/** The JSON of a result that others get as well; `undefined` for one that is a subscriber's own, or has errors. */
export function sharedText(result: ExecutionResult): string | undefined {
  return texts.get(result);
}

/** Whether the field says so, and no variable has a part in it but those that have chosen the events. */
function isSameForAll(
  { schema, document }: ExecutionArgs,
  { selectionSet }: OperationDefinitionNode,
): boolean {
  const [root] = selectionSet.selections;
  if (root?.kind !== Kind.FIELD) return false;
  const field = schema.getSubscriptionType()?.getFields()[root.name.value];
  if (field?.extensions['sameForAll'] !== true) return false;
  let isSame = true;
  visit(document, {
    VariableDefinition: () => false,
    Argument: (argument) => (root.arguments?.includes(argument) ? false : undefined),
    Variable() {
      isSame = false;
    },
  });
  return isSame;
}
