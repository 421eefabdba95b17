import type { Server } from 'node:http';
import { clientNetwork } from '../kernel/client-network.js';
import { createQuota } from '../kernel/bounds/quota.js';

/**
 * Closes connections of a client that has too many. Each takes a file descriptor of the process, which also needs them for its
 * database: one client could take them all, and keep each for as long as it says something now and then. A connection that is
 * closed here gets no answer, because nobody has read what it asks.
 */
export function boundConnections(server: Server, maxPerClient: number): void {
  const open = createQuota(maxPerClient);
  server.on('connection', (socket) => {
    const client = clientNetwork(socket.remoteAddress ?? '');
    if (open.take(client)) socket.once('close', () => open.give(client));
    else socket.destroy();
  });
}
