import { Type, type Static, type TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { DemoFailed, type DemoGateway } from './gateway.js';
import type { DemoFile, DemoUser } from './organization.js';

/** Asks the gateway as one of the demo's people, or as its backend. */
export interface DemoDesk {
  readonly gateway: DemoGateway;
  readonly demo: DemoFile;
  readonly foreignId: string;
  as<Result>(user: DemoUser, work: (ask: Ask) => Promise<Result>): Promise<Result>;
  readonly backend: Ask;
}

/** Runs one operation. @throws {DemoFailed} when it is refused, or its answer has another shape. */
export type Ask = <Schema extends TSchema>(
  schema: Schema,
  query: string,
  variables?: object,
) => Promise<Static<Schema>>;

export function openDesk(gateway: DemoGateway, demo: DemoFile): DemoDesk {
  const asking =
    (headers: Readonly<Record<string, string>>): Ask =>
    async (schema, query, variables = {}) => {
      const data = await gateway.graphql(query, variables, headers);
      if (!Value.Check(schema, data)) throw new DemoFailed('GraphQL returned an unexpected shape.');
      return data;
    };
  const foreignId = demo.applications[0]?.foreignId;
  if (foreignId === undefined) throw new DemoFailed('demo.json has no application.');
  return {
    gateway,
    demo,
    foreignId,
    as: (user, work) => gateway.signedIn(user, (headers) => work(asking(headers))),
    backend: asking({ authorization: `Bearer ${demo.apiKey}` }),
  };
}

export function personOf({ demo }: DemoDesk, role: DemoUser['role'], index = 0): DemoUser {
  const user = demo.users.filter((known) => known.role === role)[index];
  if (!user) throw new DemoFailed(`demo.json has too few users of the role ${role}.`);
  return user;
}

export const Anything = Type.Object({});
