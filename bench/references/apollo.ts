// The same page from unmodified Apollo and type-graphql: the resolver is one prepared statement, without authentication.
import 'reflect-metadata';
import { ApolloServer } from '@apollo/server';
import { fastifyApolloHandler } from '@as-integrations/fastify';
import { fastify } from 'fastify';
import pg from 'pg';
import { GraphQLDateTimeISO, GraphQLJSONObject, GraphQLSafeInt } from 'graphql-scalars';
import {
  Arg,
  buildSchema,
  Field,
  ID,
  Int,
  ObjectType,
  Query,
  registerEnumType,
  Resolver,
} from 'type-graphql';
import { CONFIDENTIAL_EVENT_TYPES } from '#lucarne/platform/ledger/index.js';
import { options, tellPort } from './listen.ts';
import { RECORD_COLUMNS } from './record-columns.ts';

const { databaseUrl } = await options<{ readonly databaseUrl: string }>();
const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });

const PAGE = {
  name: 'page',
  text: `select ${RECORD_COLUMNS}, position::float8 as position from transactions
    where asset_id = $1 and position > $2 order by transactions.position limit $3`,
};

const EventType = Object.fromEntries(CONFIDENTIAL_EVENT_TYPES.map((type) => [type, type]));
registerEnumType(EventType, { name: 'ConfidentialEventType' });

// Calls what decorators do: Node strips types, but does not remove decorators.
class Transaction {
  id = '';
}
const text = () => String;
const fields = [
  ...['id', 'assetId', 'network', 'networkTransactionId', 'signer'].map(
    (name) => [name, text, false] as const,
  ),
  ...['sourceAccount', 'destinationAccount'].map((name) => [name, text, true] as const),
  ['type', () => EventType, false],
  ['slot', () => GraphQLSafeInt, false],
  ['blockTime', () => GraphQLSafeInt, true],
  ['publicData', () => GraphQLJSONObject, false],
  ['ciphertexts', () => GraphQLJSONObject, false],
  ['indexedAt', () => GraphQLDateTimeISO, false],
] as const;
ObjectType()(Transaction);
for (const [name, type, nullable] of fields) Field(type, { nullable })(Transaction.prototype, name);

class PageInfo {
  hasNextPage = false;
}
ObjectType()(PageInfo);
Field(() => Boolean)(PageInfo.prototype, 'hasNextPage');
Field(text)(PageInfo.prototype, 'endCursor');

class TransactionConnection {
  nodes: Transaction[] = [];
}
ObjectType()(TransactionConnection);
Field(() => [Transaction])(TransactionConnection.prototype, 'nodes');
Field(() => PageInfo)(TransactionConnection.prototype, 'pageInfo');

class TransactionResolver {
  async transactions(assetId: string, first: number, after: string) {
    const values = [assetId, Number(after), first + 1];
    const { rows } = await pool.query<{ readonly position: number }>({ ...PAGE, values });
    const nodes = rows.slice(0, first);
    return {
      nodes,
      pageInfo: { hasNextPage: rows.length > first, endCursor: String(nodes.at(-1)?.position) },
    };
  }
}

const { prototype } = TransactionResolver;
const method = Object.getOwnPropertyDescriptor(prototype, 'transactions')!;
Resolver()(TransactionResolver);
Query(() => TransactionConnection)(prototype, 'transactions', method);
Arg('assetId', () => ID)(prototype, 'transactions', 0);
Arg('first', () => Int)(prototype, 'transactions', 1);
Arg('after', () => String)(prototype, 'transactions', 2);

const schema = await buildSchema({ resolvers: [TransactionResolver], validate: false });
const apollo = new ApolloServer({ schema });
await apollo.start();
const app = fastify();
app.route({ url: '/graphql', method: ['GET', 'POST'], handler: fastifyApolloHandler(apollo) });
await app.listen({ host: '127.0.0.1', port: 0 });
tellPort(app.server);
