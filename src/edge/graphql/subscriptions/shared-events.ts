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

/** Executes an event if access allows it, and throws otherwise. It logs that the subscriber has read the decrypted data. */
export type EventTurn = (execute: () => Promise<ExecutionResult>) => Promise<ExecutionResult>;

type Results = WeakMap<object, ExecutionResult | Promise<ExecutionResult>>;

/** Results by operation, and then by event. They are dropped with the document or the event. */
const resultsOf = new WeakMap<OperationDefinitionNode, Results>();
/** The JSON of shared results. */
const texts = new WeakMap<ExecutionResult, string>();

/**
 * `subscribe` of graphql-js, but executes an event once for all subscribers with the same document and the same event
 * object. This applies only to fields with the extension `sameForAll`: no resolver below them reads the context, so their
 * events are the same for everyone who may see them. Other events are executed by `inTurn`.
 */
export async function subscribeShared(
  args: ExecutionArgs,
  inTurn: EventTurn = (execute) => execute(),
): Promise<AsyncGenerator<ExecutionResult, void, void> | ExecutionResult> {
  const events = await createSourceEventStream(args);
  if (!(Symbol.asyncIterator in events)) return events;
  const executed = async (event: unknown) => execute({ ...args, rootValue: event });
  const operation = getOperationAST(args.document, args.operationName);
  if (!operation || !isSameForAll(args, operation))
    return mapEvents(events, (event) => inTurn(() => executed(event)));

  const results: Results = resultsOf.get(operation) ?? new WeakMap();
  resultsOf.set(operation, results);
  return mapEvents(events as AsyncIterable<object>, (event) => {
    const known = results.get(event);
    if (known) return known;
    const result = executed(event).then((made) => {
      if (!made.errors) texts.set(made, JSON.stringify(made));
      // Most later subscribers find the result itself, and need no promise.
      results.set(event, made);
      return made;
    });
    results.set(event, result);
    return result;
  });
}

/** The JSON of a shared result; `undefined` for a result of one subscriber, or with errors. */
export function sharedText(result: ExecutionResult): string | undefined {
  return texts.get(result);
}

/**
 * The messages of shared results, by the client's operation id, because many clients use the same ids. Clients choose their
 * ids, so the cache holds few of them, and none longer than a UUID.
 */
const framesOf = new WeakMap<ExecutionResult, Map<string, Uint8Array>>();
const MAX_KEPT_FRAMES = 8;
const MAX_KEPT_ID_LENGTH = 36;

/** A `next` message of the protocol as a frame, cached for the most common operation ids. `text` is the JSON of the result. */
export function nextFrame(result: ExecutionResult, id: string, text: string): Uint8Array {
  const frames = framesOf.get(result) ?? new Map<string, Uint8Array>();
  framesOf.set(result, frames);
  const known = frames.get(id);
  if (known) return known;
  const frame = textFrame(`{"id":${JSON.stringify(id)},"type":"next","payload":${text}}`);
  if (frames.size < MAX_KEPT_FRAMES && id.length <= MAX_KEPT_ID_LENGTH) frames.set(id, frame);
  return frame;
}

/** RFC 6455, 5.2: one unmasked frame of text, with its length in 7, 16 or 64 bits. */
function textFrame(text: string): Uint8Array {
  const payload = Buffer.from(text);
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = FINAL_TEXT;
  head[1] = length < 126 ? length : length < 65_536 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}

const FINAL_TEXT = 0x81;

/** Whether the field is declared to be the same for all, and variables are used only in the arguments that choose the events. */
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
