// Lucarne's schema of relays, its feed and its database with unmodified graphql-ws, without authentication, counts, limits and
// logs.
import 'reflect-metadata';
import { useServer } from 'graphql-ws/use/ws';
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';
import { executableSchema } from '#lucarne/edge/graphql/index.js';
import { createPayers, createRelayDesk, relayResolvers } from '#lucarne/domain/relays/index.js';
import { openFoundation } from '../kit/foundation.ts';
import { noProofs } from '../kit/relay-packages.ts';
import { options, serve } from './listen.ts';

const { databaseUrl, masterKey } = await options<{
  readonly databaseUrl: string;
  /** In base64. The data keys of the database can be opened only with the gateway's master key. */
  readonly masterKey: string;
}>();
const parts = new AsyncDisposableStack();
const foundation = await openFoundation(
  { databaseUrl, parts },
  Buffer.from(masterKey, 'base64'),
  'everywhere',
);
const desk = createRelayDesk(foundation, {
  pools: new Map(),
  proofs: noProofs,
  payers: createPayers({ signers: [], nodes: { nodes: [] }, clock: foundation.clock }),
});
const server = createServer();
useServer(
  { schema: executableSchema(relayResolvers(desk)) },
  new WebSocketServer({ server, path: '/graphql' }),
);
serve(server);
