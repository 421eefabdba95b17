// Lucarne's own schema of relays, its feed and its database behind graphql-ws as it comes: nobody is asked who they are,
// and nothing is counted, limited or logged.
import 'reflect-metadata';
import { useServer } from 'graphql-ws/use/ws';
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';
import { executableSchema } from '#lucarne/graphql/index.js';
import { createRelayDesk, relayResolvers } from '#lucarne/relays/index.js';
import { openFoundation } from '../kit/foundation.ts';
import { noProofs } from '../kit/relay-packages.ts';
import { options, serve } from './listen.ts';

const { databaseUrl } = await options<{ readonly databaseUrl: string }>();
const parts = new AsyncDisposableStack();
const foundation = await openFoundation({ databaseUrl, parts }, undefined, 'everywhere');
const desk = createRelayDesk(foundation, {
  pools: new Map(),
  proofs: noProofs,
  nodes: { nodes: [] },
  relayer: undefined,
});
const server = createServer();
useServer(
  { schema: executableSchema(relayResolvers(desk)) },
  new WebSocketServer({ server, path: '/graphql' }),
);
serve(server);
