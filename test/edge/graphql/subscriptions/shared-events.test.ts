import { describe, expect, it } from '@jest/globals';
import { Readable } from 'node:stream';
import {
  GraphQLBoolean,
  GraphQLError,
  GraphQLInt,
  GraphQLObjectType,
  GraphQLSchema,
  parse,
  type ExecutionResult,
} from 'graphql';
import { sharedText, subscribeShared } from '../../../../src/edge/graphql/subscriptions/shared-events.js';

interface Change {
  readonly number: number;
}

const CHANGES: readonly Change[] = [{ number: 1 }, { number: 2 }];
let executions = 0;

const change = new GraphQLObjectType<Change, Change>({
  name: 'Change',
  fields: {
    number: {
      type: GraphQLInt,
      resolve: ({ number }) => {
        executions += 1;
        return number;
      },
    },
    broken: {
      type: GraphQLInt,
      resolve: () => {
        throw new GraphQLError('broken');
      },
    },
  },
});
const changes = (extensions: Record<string, unknown>) => ({
  type: change,
  extensions,
  args: { after: { type: GraphQLInt } },
  subscribe: (_: unknown, { after = 0 }: { after?: number }) => Readable.from(CHANGES.slice(after)),
  resolve: (event: Change) => event,
});
const schema = new GraphQLSchema({
  query: new GraphQLObjectType({ name: 'Query', fields: { is: { type: GraphQLBoolean } } }),
  subscription: new GraphQLObjectType({
    name: 'Subscription',
    fields: { shared: changes({ sameForAll: true }), own: changes({}) },
  }),
});

const SHARED = parse('subscription ($after: Int) { shared(after: $after) { number } }');

/** What two subscribers receive, and how often a change was executed for them. */
async function followAll(
  document: ReturnType<typeof parse>,
  ...variables: readonly Record<string, unknown>[]
): Promise<{ results: ExecutionResult[][]; executed: number }> {
  const before = executions;
  const results = await Promise.all(
    variables.map(async (variableValues) => {
      const events = await subscribeShared({ schema, document, variableValues });
      if (!(Symbol.asyncIterator in events)) throw new Error('It was refused.', { cause: events.errors });
      return Array.fromAsync(events);
    }),
  );
  return { results, executed: executions - before };
}

describe('an event for a subscriber whose access ended before it', () => {
  it('is not executed: nothing is decrypted, and nothing is logged as read', async () => {
    const before = executions;
    const document = parse('subscription { own { number } }');
    const events = await subscribeShared({ schema, document }, () => Promise.reject(new Error('It ended.')));
    if (!(Symbol.asyncIterator in events)) throw new Error('It was refused.', { cause: events.errors });
    await expect(events.next()).rejects.toThrow('It ended.');
    expect(executions).toBe(before);
  });
});

describe('an event that is the same for all subscribers', () => {
  it('is executed and serialized once for all equal subscriptions, regardless of where they begin', async () => {
    const { results, executed } = await followAll(SHARED, {}, { after: 0 }, { after: 1 });
    const [first, second] = [{ shared: { number: 1 } }, { shared: { number: 2 } }];
    expect(results.map((all) => all.map(({ data }) => data))).toEqual([
      [first, second],
      [first, second],
      [second],
    ]);
    expect(executed).toBe(2);
    expect(results[0]!.map(sharedText)).toEqual([
      '{"data":{"shared":{"number":1}}}',
      '{"data":{"shared":{"number":2}}}',
    ]);
  });

  it('is executed separately for another document', async () => {
    await followAll(SHARED, {});
    const named = await followAll(parse('subscription { shared { mine: number } }'), {});
    expect(named.results[0]!.map(({ data }) => data)).toEqual([
      { shared: { mine: 1 } },
      { shared: { mine: 2 } },
    ]);
  });

  it('is executed separately if the variables select what is shown', async () => {
    const document = parse('subscription ($with: Boolean!) { shared { number @include(if: $with) } }');
    const { results } = await followAll(document, { with: true }, { with: false });
    expect(results.map(([one]) => one!.data)).toEqual([{ shared: { number: 1 } }, { shared: {} }]);
    expect(results.flat().map(sharedText)).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('is handled by the protocol server when it has errors', async () => {
    const { results } = await followAll(parse('subscription { shared { broken } }'), {});
    expect(results[0]![0]!.errors).toMatchObject([{ message: 'broken' }]);
    expect(sharedText(results[0]![0]!)).toBeUndefined();
  });
});

describe('an event of a field that is not marked as shareable', () => {
  it('is executed for each subscriber', async () => {
    const { results, executed } = await followAll(parse('subscription { own { number } }'), {}, {});
    expect(executed).toBe(4);
    expect(results.flat().map(sharedText)).toEqual([undefined, undefined, undefined, undefined]);
  });
});
